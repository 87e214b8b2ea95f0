#include "runtime/local_store.hpp"

#include <utility>
#include <variant>

namespace belay::runtime {

bool is_ready_start(const std::vector<Transition>& batch) {
    if (batch.size() != 1 || batch.front().parts.size() != 1) return false;
    const auto* start = std::get_if<Start>(&batch.front().parts.front());
    if (start == nullptr || start->delay > Millis(0)) return false;
    // A run that replaces others, or stands in line, may have to wait for their end.
    if (start->on_conflict == IdConflict::replace) return false;
    // One that may wait for its rate, or be dropped, is not ready either.
    if (start->rate && start->rate->when_over != WhenOver::refuse) return false;
    return !start->concurrency || start->concurrency->when_busy == WhenBusy::refuse ||
           start->concurrency->when_busy == WhenBusy::allow;
}

void LocalStore::commit(std::vector<Transition> batch, Done<std::vector<Answer>> done) {
    if (!is_ready_start(batch)) {
        inner().commit(std::move(batch), std::move(done));
        return;
    }
    turns_.start(std::move(batch.front()), [done = std::move(done)](Answer answer) {
        std::vector<Answer> answers;
        answers.push_back(std::move(answer));
        done(std::move(answers));
    });
}

}  // namespace belay::runtime
