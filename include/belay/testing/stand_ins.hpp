// Replacements for activities in a test: see World::replace.
#pragma once

#include <belay/status.hpp>

#include <cstdint>
#include <limits>
#include <string>
#include <tuple>
#include <type_traits>
#include <utility>

namespace belay::testing {

/// Begins and does not return until it is asked to stop.
class NeverAnswers {
public:
    NeverAnswers() = default;
};
/// See NeverAnswers.
[[nodiscard]] inline NeverAnswers never_answers() { return NeverAnswers(); }

/// Fails a number of times; later calls go to the code that it replaced.
class FailsFirst {
public:
    /// `times` may be 0: then no call fails.
    FailsFirst(std::uint32_t times, Failure failure)
        : times_(times), failure_(std::move(failure)) {}
    /// The number of calls that fail.
    [[nodiscard]] std::uint32_t times() const noexcept { return times_; }
    /// The failure of these calls.
    [[nodiscard]] const Failure& failure() const noexcept { return failure_; }

private:
    std::uint32_t times_;
    Failure failure_;
};
/// The first `times` calls fail with this message, or this failure.
[[nodiscard]] inline FailsFirst fails_first(std::uint32_t times,
                                            std::string message = "failed, as the test wants") {
    return FailsFirst(times, Failure{.message = std::move(message)});
}
[[nodiscard]] inline FailsFirst fails_first(std::uint32_t times, Failure failure) {
    return FailsFirst(times, std::move(failure));
}
/// All calls fail with this message, or this failure.
[[nodiscard]] inline FailsFirst fails_always(std::string message = "failed, as the test wants") {
    return fails_first(std::numeric_limits<std::uint32_t>::max(), std::move(message));
}
[[nodiscard]] inline FailsFirst fails_always(Failure failure) {
    return fails_first(std::numeric_limits<std::uint32_t>::max(), std::move(failure));
}

/// The first call gives the first value, the next one the next. A call for which no value is left
/// is a Problem of the test.
template <class... Values>
class InOrder {
public:
    /// Values of types that fit the result of the activity.
    explicit InOrder(Values... values) : values_(std::move(values)...) {}
    /// Returns the values in their order.
    [[nodiscard]] const std::tuple<Values...>& values() const noexcept { return values_; }

private:
    std::tuple<Values...> values_;
};
/// See InOrder; at least one value.
template <class... Values>
    requires(sizeof...(Values) > 0)
[[nodiscard]] InOrder<std::decay_t<Values>...> returns(Values&&... values) {
    return InOrder<std::decay_t<Values>...>(std::forward<Values>(values)...);
}

}  // namespace belay::testing
