// A store's answers, turned into those of a client.
#pragma once

#include <belay/store/store.hpp>

#include <functional>
#include <initializer_list>
#include <utility>

namespace belay::client {

[[nodiscard]] inline Error error_of(const Answer& answer) {
    return answer.error ? *answer.error : Error(Errc::corrupt, "the store gave no reason");
}

/// Returns the first error among `checks`.
[[nodiscard]] inline Result<void> first_problem(std::initializer_list<Result<void>> checks) {
    for (const Result<void>& check : checks) {
        if (!check) return check;
    }
    return {};
}

/// Calls `done` with what `value` finds in the answer, or with the error.
template <class T, class Value>
[[nodiscard]] std::function<void(Result<Answer>)> tell(Done<T> done, Value value) {
    return [done = std::move(done), value = std::move(value)](Result<Answer> result) {
        if (!result) {
            done(result.error());
        } else if (!result->done()) {
            done(error_of(*result));
        } else {
            done(value(*result));
        }
    };
}

[[nodiscard]] inline std::function<void(Result<Answer>)> tell_brief(Done<InstanceBrief> done) {
    return tell<InstanceBrief>(std::move(done), [](const Answer& answer) {
        return answer.instance.value_or(InstanceBrief());
    });
}

[[nodiscard]] inline std::function<void(Result<Answer>)> tell_done(Done<void> done) {
    return [done = std::move(done)](const Result<Answer>& result) {
        if (!result) return done(result.error());
        if (!result->done()) return done(error_of(*result));
        done(Result<void>());
    };
}

template <class T>
[[nodiscard]] Result<void> without_value(const Result<T>& result) {
    return result ? Result<void>() : Result<void>(result.error());
}

}  // namespace belay::client
