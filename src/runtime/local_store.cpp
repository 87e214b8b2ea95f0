#include "runtime/local_store.hpp"

#include <utility>
#include <variant>

namespace belay::runtime {

bool is_ready_start(const std::vector<Transition>& batch) {
    if (batch.size() != 1 || batch.front().parts.size() != 1) return false;
    const auto* start = std::get_if<Start>(&batch.front().parts.front());
    // A run that replaces another one may have to wait for its end.
    return start != nullptr && start->delay <= Millis(0) &&
           start->on_conflict != IdConflict::replace;
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
