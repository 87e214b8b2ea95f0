// GoogleTest matchers for runs, their histories, and their calls. The only header that needs
// GoogleTest (gmock).
#pragma once

#include <belay/ended.hpp>
#include <belay/testing/world.hpp>

#include <gmock/gmock.h>

#include <cstddef>
#include <functional>
#include <ostream>
#include <sstream>
#include <string>
#include <string_view>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

// NOLINTBEGIN(readability-identifier-naming): as GoogleTest names its own.

namespace belay {

/// Prints it for GoogleTest, as do the others of this name.
template <class R>
void PrintTo(const Ended<R>& ended, std::ostream* out) {
    *out << "a run that is " << testing::describe_outcome(ended.outcome());
}
inline void PrintTo(const Timeline& history, std::ostream* out) {
    *out << "the history of '" << history.instance.name.id << "', execution " << history.execution;
}

namespace testing {

/// Prints it for GoogleTest.
inline void PrintTo(const World& world, std::ostream* out) {
    const std::size_t count = world.calls_of().size();
    *out << "a world in which activities were called " << count
         << (count == 1 ? " time" : " times");
}

namespace matchers {

/// Text matches any text that contains it; a matcher is used as it is.
template <class M>
::testing::Matcher<std::string> text_matcher(M matcher) {
    if constexpr (std::is_convertible_v<M, std::string>) {
        return ::testing::HasSubstr(std::string(std::move(matcher)));
    } else {
        return ::testing::SafeMatcherCast<std::string>(std::move(matcher));
    }
}

inline ::testing::Matcher<std::string> any_text() { return ::testing::A<std::string>(); }

template <class T>
std::string said_of(const ::testing::Matcher<T>& matcher) {
    std::ostringstream out;
    matcher.DescribeTo(&out);
    return out.str();
}

/// Completed, with a value that matches. `E` is an Ended<R>, or a reference to one.
template <class E>
class CompletedImpl final : public ::testing::MatcherInterface<E> {
public:
    using Value = decltype(std::declval<const std::remove_cvref_t<E>&>().value());
    explicit CompletedImpl(::testing::Matcher<Value> value) : value_(std::move(value)) {}

    bool MatchAndExplain(E ended, ::testing::MatchResultListener* listener) const override {
        *listener << "which is " << describe_outcome(ended.outcome());
        return ended.completed() && value_.Matches(ended.value());
    }
    void DescribeTo(std::ostream* out) const override {
        *out << "completed with a value that " << said_of(value_);
    }
    void DescribeNegationTo(std::ostream* out) const override {
        *out << "did not complete with a value that " << said_of(value_);
    }

private:
    ::testing::Matcher<Value> value_;
};

template <class M>
class CompletedWith {
public:
    explicit CompletedWith(M value) : value_(std::move(value)) {}
    // The conversion is meant: that is how a matcher becomes one of a type.
    template <class E>
    operator ::testing::Matcher<E>() const {
        using Value = typename CompletedImpl<E>::Value;
        return ::testing::Matcher<E>(
            new CompletedImpl<E>(::testing::SafeMatcherCast<Value>(value_)));
    }

private:
    M value_;
};

/// An outcome for which something is true.
class OutcomeMatcher {
public:
    using is_gtest_matcher = void;
    using Check = std::function<bool(const Outcome&)>;
    OutcomeMatcher(std::string what, Check check)
        : what_(std::move(what)), check_(std::move(check)) {}

    template <class R>
    bool MatchAndExplain(const Ended<R>& ended, ::testing::MatchResultListener* listener) const {
        return MatchAndExplain(ended.outcome(), listener);
    }
    bool MatchAndExplain(const Outcome& outcome, ::testing::MatchResultListener* listener) const {
        *listener << "which is " << describe_outcome(outcome);
        return check_(outcome);
    }
    void DescribeTo(std::ostream* out) const { *out << what_; }
    void DescribeNegationTo(std::ostream* out) const { *out << "not: " << what_; }

private:
    std::string what_;
    Check check_;
};

/// Some entries of a history, in this order.
class HistoryMatcher {
public:
    using is_gtest_matcher = void;
    explicit HistoryMatcher(std::vector<::testing::Matcher<std::string>> entries)
        : entries_(std::move(entries)) {}

    bool MatchAndExplain(const Timeline& history, ::testing::MatchResultListener* listener) const {
        std::size_t found = 0;
        for (const TimelineEntry& entry : history.entries) {
            if (found < entries_.size() && entries_[found].Matches(entry.text)) ++found;
        }
        if (found == entries_.size()) return true;
        *listener << "which has no event that " << said_of(entries_[found])
                  << (found == 0 ? "" : " behind those before it") << ":";
        for (const TimelineEntry& entry : history.entries) {
            *listener << "\n  " << entry.event << "  " << entry.text;
        }
        return false;
    }
    void DescribeTo(std::ostream* out) const {
        *out << "has, in this order, an event that";
        for (std::size_t i = 0; i < entries_.size(); ++i) {
            *out << (i == 0 ? " " : ", one that ") << said_of(entries_[i]);
        }
    }
    void DescribeNegationTo(std::ostream* out) const {
        *out << "not: ";
        DescribeTo(out);
    }

private:
    std::vector<::testing::Matcher<std::string>> entries_;
};

inline void tell_calls(const World& world,
                       std::string_view activity,
                       ::testing::MatchResultListener* listener) {
    for (const ActivityCall& call : world.calls_of(activity)) {
        *listener << "\n  " << call.activity << describe_input(call.input) << " by '"
                  << call.instance.id << "'";
    }
}

class CalledMatcher {
public:
    using is_gtest_matcher = void;
    CalledMatcher(std::string activity, ::testing::Matcher<std::size_t> times)
        : activity_(std::move(activity)), times_(std::move(times)) {}

    bool MatchAndExplain(const World& world, ::testing::MatchResultListener* listener) const {
        const std::size_t times = world.calls_of(activity_).size();
        *listener << "in which it was called " << times << (times == 1 ? " time" : " times");
        if (times_.Matches(times)) return true;
        tell_calls(world, activity_, listener);
        return false;
    }
    void DescribeTo(std::ostream* out) const {
        *out << "called " << activity_ << " a number of times that " << said_of(times_);
    }
    void DescribeNegationTo(std::ostream* out) const {
        *out << "did not call " << activity_ << " a number of times that " << said_of(times_);
    }

private:
    std::string activity_;
    ::testing::Matcher<std::size_t> times_;
};

template <class... Params>
class CalledWithMatcher {
public:
    using is_gtest_matcher = void;
    using Arguments = ::testing::Matcher<const std::tuple<Params...>&>;
    CalledWithMatcher(std::string activity, Arguments arguments)
        : activity_(std::move(activity)), arguments_(std::move(arguments)) {}

    bool MatchAndExplain(const World& world, ::testing::MatchResultListener* listener) const {
        const std::vector<ActivityCall> calls = world.calls_of(activity_);
        for (const ActivityCall& call : calls) {
            if (arguments_.Matches(detail::decode_arguments<Params...>(call.input))) return true;
        }
        *listener << (calls.empty() ? "in which it was not called at all"
                                    : "in which the calls were");
        tell_calls(world, activity_, listener);
        return false;
    }
    void DescribeTo(std::ostream* out) const {
        *out << "called " << activity_ << " with arguments that " << said_of(arguments_);
    }
    void DescribeNegationTo(std::ostream* out) const {
        *out << "never called " << activity_ << " with arguments that " << said_of(arguments_);
    }

private:
    std::string activity_;
    Arguments arguments_;
};

}  // namespace matchers

/// A run that completed, with a value that matches: `EXPECT_THAT(ended, Completed("paid"))`.
template <class M>
[[nodiscard]] matchers::CompletedWith<M> Completed(M value) {
    return matchers::CompletedWith<M>(std::move(value));
}
/// A completed run with any value.
[[nodiscard]] inline matchers::OutcomeMatcher Completed() {
    return {"completed",
            [](const Outcome& outcome) { return outcome.status == Status::completed; }};
}

/// A run that failed, with a failure of this kind and a message that matches: text matches any
/// message that contains it.
template <class M>
[[nodiscard]] matchers::OutcomeMatcher Failed(FailureKind kind, M message) {
    const ::testing::Matcher<std::string> matcher = matchers::text_matcher(std::move(message));
    return {"failed (" + std::string(to_string(kind)) + ") with a message that " +
                matchers::said_of(matcher),
            [kind, matcher](const Outcome& outcome) {
                return outcome.status == Status::failed && outcome.failure.kind == kind &&
                       matcher.Matches(outcome.failure.message);
            }};
}
/// A run that failed because the code of an orchestration or an activity threw.
template <class M>
[[nodiscard]] matchers::OutcomeMatcher Failed(M message) {
    return Failed(FailureKind::application, std::move(message));
}
/// A run that failed in any way.
[[nodiscard]] inline matchers::OutcomeMatcher Failed() {
    return {"failed", [](const Outcome& outcome) { return outcome.status == Status::failed; }};
}

/// A canceled run whose canceler and reason match.
template <class Who, class M>
[[nodiscard]] matchers::OutcomeMatcher CanceledBy(Who who, M reason) {
    const ::testing::Matcher<std::string> by = matchers::text_matcher(std::move(who));
    const ::testing::Matcher<std::string> why = matchers::text_matcher(std::move(reason));
    return {"was canceled by somebody who " + matchers::said_of(by) + ", for a reason that " +
                matchers::said_of(why),
            [by, why](const Outcome& outcome) {
                return outcome.status == Status::canceled && by.Matches(outcome.cancel.by) &&
                       why.Matches(outcome.cancel.reason);
            }};
}
template <class Who>
[[nodiscard]] matchers::OutcomeMatcher CanceledBy(Who who) {
    return CanceledBy(std::move(who), matchers::any_text());
}
/// A canceled run with any canceler and reason.
[[nodiscard]] inline matchers::OutcomeMatcher WasCanceled() {
    return {"was canceled",
            [](const Outcome& outcome) { return outcome.status == Status::canceled; }};
}
/// A canceled run with this result of its cleanup.
[[nodiscard]] inline matchers::OutcomeMatcher CleanedUp(Cleanup how = Cleanup::done) {
    return {"was canceled, with its cleanup " + std::string(to_string(how)),
            [how](const Outcome& outcome) {
                return outcome.status == Status::canceled && outcome.cleanup == how;
            }};
}

/// A history that has these events, in this order and perhaps with others between them. Text
/// matches any event that contains it: `HistoryHas("Scheduled #1 Charge", "CommandFailed #1")`.
template <class... M>
    requires(sizeof...(M) > 0)
[[nodiscard]] matchers::HistoryMatcher HistoryHas(M... events) {
    std::vector<::testing::Matcher<std::string>> entries;
    (entries.push_back(matchers::text_matcher(std::move(events))), ...);
    return matchers::HistoryMatcher(std::move(entries));
}

/// A world in which the activity was called this often (a number, or a matcher of one), by any run,
/// each attempt counted: `EXPECT_THAT(world, Called(Charge, 2))`.
template <class R, class... Params, class M>
[[nodiscard]] matchers::CalledMatcher Called(const Activity<R(Params...)>& activity, M times) {
    if constexpr (std::is_integral_v<M>) {
        return {std::string(activity.name()), ::testing::Eq(static_cast<std::size_t>(times))};
    } else {
        return {std::string(activity.name()),
                ::testing::SafeMatcherCast<std::size_t>(std::move(times))};
    }
}
/// Called at least once.
template <class R, class... Params>
[[nodiscard]] matchers::CalledMatcher Called(const Activity<R(Params...)>& activity) {
    return Called(activity, ::testing::Gt(std::size_t{0}));
}
/// Called at least once with these arguments, each a value or a matcher.
template <class R, class... Params, class... M>
[[nodiscard]] matchers::CalledWithMatcher<Params...> CalledWith(
    const Activity<R(Params...)>& activity, M... arguments) {
    static_assert(sizeof...(M) == sizeof...(Params),
                  "belay: pass a value or a matcher for each parameter of the activity");
    return matchers::CalledWithMatcher<Params...>(
        std::string(activity.name()),
        ::testing::SafeMatcherCast<const std::tuple<Params...>&>(
            ::testing::FieldsAre(std::move(arguments)...)));
}

}  // namespace testing

}  // namespace belay

// NOLINTEND(readability-identifier-naming)
