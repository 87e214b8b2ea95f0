#include "runtime/commits.hpp"

#include <algorithm>
#include <iterator>
#include <string>
#include <utility>

namespace belay::runtime {

void Commits::send(Transition transition, Ended ended, Retry retry, Prepare prepare) {
    waiting_.push_back(Item{std::move(transition), std::move(ended), retry, std::move(prepare)});
}

void Commits::send(Part part, Ended ended) {
    Transition transition;
    transition.commit = services_.ids.commit_id();
    transition.parts.push_back(std::move(part));
    transition.stop = services_.stop_terms();
    send(std::move(transition), std::move(ended));
}

void Commits::send_later(Transition transition, Millis delay, Ended ended) {
    again_.emplace(services_.clock.monotonic() + delay,
                   Item{std::move(transition), std::move(ended), Retry::yes, nullptr});
}

std::optional<Millis> Commits::next_due() const {
    if (!can_send()) return std::nullopt;
    if (!waiting_.empty()) return services_.clock.monotonic();
    if (again_.empty()) return std::nullopt;
    return again_.begin()->first;
}

bool Commits::flush() {
    if (!can_send()) return false;
    if (!again_.empty()) {
        const auto due = again_.upper_bound(services_.clock.monotonic());
        for (auto at = again_.begin(); at != due; ++at) waiting_.push_back(std::move(at->second));
        again_.erase(again_.begin(), due);
    }
    if (waiting_.empty()) return false;
    auto batch = std::make_shared<Batch>();
    batch->items = take_waiting();
    batch->transitions = std::make_shared<std::vector<Transition>>();
    batch->transitions->reserve(batch->items.size());
    for (Item& item : batch->items) {
        if (const Prepare prepare = std::exchange(item.prepare, nullptr)) prepare(item.transition);
        batch->transitions->push_back(std::move(item.transition));
    }
    ++unanswered_;
    services_.store.commit_shared(batch->transitions,
                                  mailbox_.later<Result<std::vector<Answer>>>(
                                      [this, batch](Result<std::vector<Answer>> result) {
                                          on_answers(*batch, std::move(result));
                                      }));
    return true;
}

/// As many as make a batch.
std::vector<Commits::Item> Commits::take_waiting() {
    if (waiting_.size() <= traits_.batch_full) return std::exchange(waiting_, {});
    const auto rest = waiting_.begin() + static_cast<std::ptrdiff_t>(traits_.batch_full);
    std::vector<Item> taken(std::make_move_iterator(waiting_.begin()),
                            std::make_move_iterator(rest));
    waiting_.erase(waiting_.begin(), rest);
    return taken;
}

namespace {

/// Sending the same again may help.
bool may_pass(const Answer& answer) {
    return answer.verdict == Verdict::failed &&
           (answer.error->retryable() || answer.error->outcome_unknown());
}

}  // namespace

void Commits::on_answers(Batch& batch, Result<std::vector<Answer>> result) {
    --unanswered_;
    Answer failed;
    failed.verdict = Verdict::failed;
    if (result) {
        report_some(batch.items, *result);
    } else {
        failed.error = result.error();
        report_failed(batch.items.size(), result.error());
    }
    for (std::size_t i = 0; i < batch.items.size(); ++i) {
        Item& item = batch.items[i];
        item.transition = std::move((*batch.transitions)[i]);
        answered_.emplace_back(std::move(item), result ? std::move((*result)[i]) : failed);
    }
}

void Commits::report_failed(std::size_t count, const Error& error) {
    const std::string what = std::to_string(count) + (count == 1 ? " commit" : " commits");
    services_.events.report(store_event(EngineCode::commit_failed, what + " failed", error));
}

/// A coder may fail some transitions of a batch and leave the others. Reports only those that are
/// sent again: the sender of any other hears of it.
void Commits::report_some(const std::vector<Item>& items, const std::vector<Answer>& answers) {
    std::size_t count = 0;
    const Error* first = nullptr;
    std::uint64_t undelivered = 0;
    for (std::size_t i = 0; i < items.size(); ++i) {
        undelivered += answers[i].undelivered;
        if (items[i].retry == Retry::no || !may_pass(answers[i])) continue;
        if (count++ == 0) first = &*answers[i].error;
    }
    if (first != nullptr) report_failed(count, *first);
    if (undelivered > 0) services_.events.report(undelivered_event(undelivered));
}

bool Commits::handle_answer() {
    if (answered_.empty() && !mailbox_.run_one()) return false;
    if (answered_.empty()) return true;
    auto [item, answer] = std::move(answered_.front());
    answered_.pop_front();
    on_answer(std::move(item), answer);
    return true;
}

void Commits::on_answer(Item item, const Answer& answer) {
    if (item.retry == Retry::yes && may_pass(answer)) {
        again_.emplace(services_.clock.monotonic() + services_.policy.retry_delay, std::move(item));
        return;
    }
    item.ended(item.transition, answer);
}

}  // namespace belay::runtime
