#include "client/bulk.hpp"

#include <algorithm>

namespace belay::client {

namespace {

/// It went between two looks at it, or a child of it still runs: neither is wrong.
bool is_passed_over(const Answer& answer) {
    return answer.refused_with(Errc::not_found) || answer.refused_with(Errc::still_running);
}

}  // namespace

void Bulk::advance() {
    const std::shared_ptr<Bulk> alive = shared_from_this();
    calls_.advance([this] { step(); });
}

void Bulk::step() {
    if (error_) return finish(error_);
    if (selection_.needs_last()) return find_last();
    if (left_ == 0) return look_at_rest();
    if (!queue_.empty()) return only_pretends() ? pretend_all() : commit();
    if (selection_.at_end()) return finish(std::nullopt);
    read();
}

/// Names the first instances that the limit has left, if anybody wants to know.
void Bulk::look_at_rest() {
    if (!names_remaining()) return finish(std::nullopt);
    for (const InstanceMark& one : queue_) remaining_.push_back(one.instance.name.id);
    queue_.clear();
    if (remaining_.size() > kMostRemaining || selection_.at_end()) return finish(std::nullopt);
    read();
}

void Bulk::pretend_all() {
    for (; left_ > 0 && !queue_.empty(); --left_) {
        pretend(queue_.front());
        queue_.pop_front();
    }
    advance();
}

void Bulk::find_last() {
    sender_->store().read(selection_.ask_for_last(),
                          [self = shared_from_this()](const Result<ListInstances::Answer>& newest) {
                              if (newest) {
                                  self->selection_.saw_last(*newest);
                              } else {
                                  self->fail(newest.error());
                              }
                              self->advance();
                          });
}

void Bulk::read() {
    const std::uint32_t page = std::max(1U, sender_->policy().bulk_batch);
    sender_->store().read(selection_.next_page(page),
                          [self = shared_from_this()](Result<SelectInstances::Answer> found) {
                              if (found) {
                                  self->selection_.move_past(*found);
                                  for (InstanceMark& one : *found) {
                                      if (self->wanted(one)) {
                                          self->queue_.push_back(std::move(one));
                                      }
                                  }
                              } else {
                                  self->fail(found.error());
                              }
                              self->advance();
                          });
}

/// As many as the limit leaves and fit into one commit. The first fits whatever its size: it must
/// go some time.
std::size_t Bulk::batch_size() const {
    const std::size_t most = std::min<std::size_t>(queue_.size(), left_);
    std::uint64_t rows = queue_.front().size;
    std::size_t count = 1;
    for (; count < most; ++count) {
        rows += queue_[count].size;
        if (rows > sender_->policy().bulk_rows) break;
    }
    return count;
}

void Bulk::commit() {
    std::vector<Transition> changes;
    sent_ = batch_size();
    changes.reserve(sent_);
    for (std::size_t i = 0; i < sent_; ++i) changes.push_back(change(queue_[i]));
    sender_->send(std::move(changes),
                  [self = shared_from_this()](const Result<std::vector<Answer>>& answers) {
                      if (answers) {
                          self->take(*answers);
                      } else {
                          self->fail(answers.error());
                      }
                      self->advance();
                  });
}

void Bulk::take(const std::vector<Answer>& answers) {
    std::vector<InstanceMark> again;
    std::optional<Error> failed;
    for (const Answer& answer : answers) {
        InstanceMark one = std::move(queue_.front());
        queue_.pop_front();
        if (answer.done()) {
            retries_.reset();
            const Next next = note(one, answer);
            if (next == Next::changed) --left_;
            if (next == Next::again) again.push_back(std::move(one));
        } else if (answer.verdict == Verdict::failed) {
            if (!failed || failed->retryable()) failed = error_of(answer);
            again.push_back(std::move(one));
        } else if (is_passed_over(answer)) {
            note_passed_over(one);
        } else {
            error_ = error_of(answer);
        }
    }
    if (failed) fail(*failed);
    for (auto one = again.rbegin(); one != again.rend(); ++one) {
        queue_.push_front(std::move(*one));
    }
}

void Bulk::fail(const Error& error) {
    if (!error.retryable() || !retries_.allows_another()) error_ = error;
}

}  // namespace belay::client
