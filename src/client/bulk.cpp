#include "client/bulk.hpp"

#include <algorithm>

namespace belay::client {

namespace {

/// It went between two looks at it, or a child of it still runs: neither is wrong.
bool is_passed_over(const Answer& answer) {
    return answer.refused_with(Errc::not_found) || answer.refused_with(Errc::still_running);
}

}  // namespace

void Bulk::go_on() {
    const std::shared_ptr<Bulk> alive = shared_from_this();
    steps_.go_on([this] { step(); });
}

void Bulk::step() {
    if (error_) return finish(error_);
    if (!batch_.empty()) return commit();
    if (left_ == 0 || selection_.at_end()) return finish(std::nullopt);
    read();
}

void Bulk::read() {
    const std::uint32_t page = std::min(left_, std::max(1U, sender_->policy().bulk_batch));
    sender_->store().read(selection_.next_page(page),
                          [self = shared_from_this()](Result<SelectInstances::Answer> found) {
                              if (found) {
                                  self->selection_.saw(*found);
                                  for (InstanceMark& one : *found) {
                                      if (self->wanted(one)) self->batch_.push_back(one);
                                  }
                              } else {
                                  self->error_ = found.error();
                              }
                              self->go_on();
                          });
}

void Bulk::commit() {
    std::vector<Transition> changes;
    changes.reserve(batch_.size());
    for (const InstanceMark& one : batch_) changes.push_back(change(one));
    sender_->send(changes, [self = shared_from_this()](const Result<std::vector<Answer>>& answers) {
        if (answers) {
            self->take(*answers);
        } else {
            self->error_ = answers.error();
        }
        self->go_on();
    });
}

void Bulk::take(const std::vector<Answer>& answers) {
    const std::vector<InstanceMark> batch = std::exchange(batch_, {});
    for (std::size_t i = 0; i < batch.size(); ++i) {
        const Answer& answer = answers[i];
        if (answer.done()) {
            const Next next = note(batch[i], answer);
            if (next == Next::changed) --left_;
            if (next == Next::again) batch_.push_back(batch[i]);
        } else if (!is_passed_over(answer)) {
            error_ = error_of(answer);
        }
    }
}

}  // namespace belay::client
