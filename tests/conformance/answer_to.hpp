// Blocks until a store has answered.
#pragma once

#include <belay/store/store.hpp>

#include <future>
#include <memory>
#include <utility>

namespace belay::conformance {

/// Asks, and waits for the answer on whichever thread it comes.
template <class T, class Ask>
Result<T> answer_to(Ask ask) {
    auto answer = std::make_shared<std::promise<Result<T>>>();
    auto answered = answer->get_future();
    ask(Done<T>([answer](Result<T> result) { answer->set_value(std::move(result)); }));
    return answered.get();
}

}  // namespace belay::conformance
