// Failures of activities, exceptions of the code, and try_call.
#include "unit/replay/harness.hpp"

#include <stdexcept>

namespace belay::replay::failures_tests {
namespace {

using ::testing::HasSubstr;

Orchestration<std::string> plain(OrchestrationContext ctx) {
    co_return co_await ctx.call(Work, "a");
}

TEST(Failures, AFailedActivityFailsTheRunWithItsOwnFailure) {
    Scenario s(plain);
    const Failure failure{.kind = FailureKind::timeout,
                          .message = "too slow",
                          .where = "Work",
                          .attempt = 3,
                          .type = "std::runtime_error"};
    s.start().skip().fail(1, failure).expect({"failed timeout: too slow"});
    EXPECT_EQ(s.failure(), failure);
}

TEST(Failures, AFailureWithoutAPlaceGetsTheDefinition) {
    Scenario s(plain);
    s.start().fail(1, "broken");
    EXPECT_EQ(s.failure().where, kDefinition);
}

TEST(Failures, AFailureThatCannotBeReadIsAFailureAllTheSame) {
    Scenario s(plain);
    s.start().skip().feed(
        NewMessage{MessageKind::activity_failed, 1, 1, "", Payload::text("not a failure")});
    s.expect({"failed infrastructure: a payload that should hold a failure does not"});
}

TEST(Failures, ADuplicateOfAFailedActivityLeavesNoTrace) {  // W11.
    Scenario s(plain);
    s.start();
    s.in_one_turn([&] { s.fail(1, "once").fail(1, "twice"); });
    EXPECT_FALSE(s.applied());
    EXPECT_EQ(s.failure().message, "once");
}

Orchestration<std::string> retries(OrchestrationContext ctx) {
    for (int attempt = 1;; ++attempt) {
        bool again = false;
        try {
            co_return co_await ctx.call(Work, std::to_string(attempt));
        } catch (const OperationFailed& failed) {
            if (attempt == 3) throw;
            again = failed.failure().message == "again";
        }
        if (again) co_await ctx.timer(Millis(100));
    }
}

TEST(Failures, ACaughtFailureCanBeRetried) {
    Scenario s(retries);
    s.start().expect({"call #1 Work \"1\""});
    s.fail(1, "again").expect({"timer #2 +100"});
    s.fire(2).expect({"call #3 Work \"2\""});
    s.fail(3, "other").expect({"call #4 Work \"3\""});
    s.complete(4, "done").expect({"completed \"done\""});
}

TEST(Failures, ADuplicateOfAFailedActivityThatWasCaughtLeavesNoTrace) {  // W11.
    Scenario s(retries);
    s.start().fail(1, "again").skip();
    s.fail(1, "again").expect({});
    EXPECT_FALSE(s.applied());
    s.fire(2).expect({"call #3 Work \"2\""});
}

TEST(Failures, TheLastFailureOfARetryIsThrown) {
    Scenario s(retries);
    s.start().fail(1, "one").fail(2, "two").fail(3, "three");
    EXPECT_EQ(s.failure().message, "three");
}

Orchestration<void> throws_std(OrchestrationContext /*ctx*/) {
    throw std::out_of_range("no such thing");
    co_return;
}
Orchestration<void> throws_int(OrchestrationContext ctx) {
    co_await ctx.call(Ping);
    throw 7;
}
struct NotStandard {
    std::string text = "mine";
};
Orchestration<void> throws_class(OrchestrationContext /*ctx*/) {
    throw NotStandard();
    co_return;
}

TEST(Failures, AnExceptionBecomesAFailureWithItsType) {
    Scenario s(throws_std);
    s.start().expect({"failed application: no such thing"});
    EXPECT_EQ(s.failure().where, kDefinition);
    EXPECT_EQ(s.failure().type, "std::out_of_range");
}

TEST(Failures, ANonstandardExceptionIsAFailureToo) {
    Scenario number(throws_int);
    number.start().skip().complete(1).expect(
        {"failed application: something that is not a std::exception was thrown"});
    Scenario object(throws_class);
    object.start().expect(
        {"failed application: something that is not a std::exception was thrown"});
}

Orchestration<void> throws_kind(OrchestrationContext /*ctx*/, int kind) {
    throw OperationFailed(Failure{.kind = static_cast<FailureKind>(kind), .message = "odd"});
    co_return;
}

TEST(Failures, AKindThatNobodyKnowsIsRecordedAsApplication) {
    for (const int kind : {0, 9, 99, 255}) {
        Scenario s(throws_kind);
        s.start(kind).expect({"failed application: odd"});
    }
    Scenario known(throws_kind);
    known.start(8).expect({"failed id_in_use: odd"});
}

Orchestration<int> throwing_helper(OrchestrationContext ctx, bool wait) {
    if (wait) co_await ctx.call(Ping);
    throw std::runtime_error("from the helper");
}
Orchestration<int> passes_on(OrchestrationContext ctx, bool wait) {
    co_return co_await throwing_helper(ctx, wait);
}
Orchestration<std::string> catches_from_helpers(OrchestrationContext ctx) {
    std::string seen;
    for (const bool wait : {false, true}) {
        try {
            (void)co_await passes_on(ctx, wait);
        } catch (const std::runtime_error& problem) {
            seen += std::string(problem.what()) + ";";
        }
    }
    co_return seen;
}

TEST(Failures, ExceptionsPassThroughHelpers) {
    Scenario s(catches_from_helpers);
    s.start().complete(1);
    EXPECT_EQ(s.result<std::string>(), "from the helper;from the helper;");
}

Orchestration<int> int_thrower(OrchestrationContext /*ctx*/) {
    throw 42;
    co_return 0;
}
Orchestration<int> catches_int(OrchestrationContext ctx) {
    try {
        co_return co_await int_thrower(ctx);
    } catch (int value) {
        co_return value;
    }
}

TEST(Failures, ExceptionsOfAnyTypePassThroughHelpers) {
    Scenario s(catches_int);
    s.start();
    EXPECT_EQ(s.result<int>(), 42);
}

Orchestration<std::string> tries(OrchestrationContext ctx) {
    const TryResult<std::string> result = co_await ctx.try_call(Work, "a");
    if (result) co_return "value " + result.value();
    co_return "failure " + result.failure().message;
}

TEST(TryCall, GivesTheValue) {
    Scenario s(tries);
    s.start().expect({"call #1 Work \"a\""}).complete(1, "x");
    EXPECT_EQ(s.result<std::string>(), "value x");
}

TEST(TryCall, GivesTheFailureAsAValue) {
    Scenario s(tries);
    s.start().fail(1, "broken");
    EXPECT_EQ(s.result<std::string>(), "failure broken");
}

TEST(TryCall, DoesNotCatchACancel) {
    Scenario s(tries);
    s.start().skip().cancel("stop").expect({"cancel #1", "canceled by user: stop, cleanup done"});
}

Orchestration<std::string> tries_void(OrchestrationContext ctx) {
    const TryResult<void> result = co_await ctx.try_call(Ping);
    co_return result.ok() ? "fine" : result.failure().message;
}

TEST(TryCall, WorksWithoutAValue) {
    Scenario good(tries_void);
    good.start().complete(1);
    EXPECT_EQ(good.result<std::string>(), "fine");
    Scenario bad(tries_void);
    bad.start().fail(1, "broken");
    EXPECT_EQ(bad.result<std::string>(), "broken");
}

Orchestration<std::string> unchecked(OrchestrationContext ctx) {
    co_return (co_await ctx.try_call(Work, "a")).value();
}

TEST(TryCall, AskingForAValueThatIsNotThereThrowsTheFailure) {
    Scenario s(unchecked);
    s.start().fail(1, "broken");
    EXPECT_EQ(s.failure().message, "broken");
}

Orchestration<std::string> tries_all(OrchestrationContext ctx) {
    auto [a, b, c] = co_await ctx.join(
        ctx.try_call(Work, "a"), ctx.try_call(Work, "b"), ctx.try_call(Work, "c"));
    const auto show = [](const TryResult<std::string>& one) {
        return one ? one.value() : "!" + one.failure().message;
    };
    co_return show(a) + " " + show(b) + " " + show(c);
}

TEST(TryCall, AJoinOfTriesWaitsForAllOfThem) {
    Scenario s(tries_all);
    s.start().skip().fail(2, "two").expect({}).complete(1, "one").fail(3, "three");
    EXPECT_EQ(s.result<std::string>(), "one !two !three");
}

Orchestration<std::string> tries_many(OrchestrationContext ctx) {
    std::vector<TryCall<int>> calls;
    for (int i = 0; i < 4; ++i) calls.push_back(ctx.try_call(Count, i));
    const auto results = co_await ctx.join(std::move(calls));
    std::string text;
    for (const TryResult<int>& one : results) {
        text += one ? std::to_string(one.value()) : one.failure().message;
    }
    co_return text;
}

TEST(TryCall, AJoinOverAVectorOfTriesWaitsForAllOfThem) {
    Scenario s(tries_many);
    s.start().fail(1, "x").complete(4, 4).fail(3, "y").skip();
    s.complete(2, 2).expect({"completed \"x2y4\""});
}

TEST(TryCall, AJoinOfTriesIsCanceledAtOnce) {
    Scenario s(tries_many);
    s.start().fail(1, "x").skip().cancel("stop");
    s.expect({"cancel #2", "cancel #3", "cancel #4", "canceled by user: stop, cleanup done"});
}

Orchestration<std::string> first_of_tries(OrchestrationContext ctx) {
    auto first = co_await ctx.select(ctx.try_call(Work, "a"), ctx.timer(Millis(9)));
    if (first.index() == 1) co_return "timer";
    const auto& tried = std::get<0>(first);
    co_return tried ? tried.value() : "failed " + tried.failure().message;
}

TEST(TryCall, AFailedTryWinsASelectAsAValue) {
    Scenario s(first_of_tries);
    s.start().skip().fail(1, "early").expect({"cancel #2", "completed \"failed early\""});
}

struct Picky {
    int value = 0;
};

}  // namespace
}  // namespace belay::replay::failures_tests

template <>
struct belay::Codec<belay::replay::failures_tests::Picky> {
    static Payload encode(const replay::failures_tests::Picky& value) {
        if (value.value == 1) throw 1;
        return Codec<int>::encode(value.value);
    }
    static replay::failures_tests::Picky decode(const Payload& payload) {
        const int value = Codec<int>::decode(payload);
        if (value < 0) throw value;
        return replay::failures_tests::Picky{value};
    }
};

namespace belay::replay::failures_tests {
namespace {

Orchestration<Picky> picky(OrchestrationContext /*ctx*/, Picky picky) { co_return picky; }

TEST(Failures, ACodecThatThrowsAnythingOnInputFailsTheRun) {
    Scenario s(picky);
    s.start(-1);
    EXPECT_THAT(s.failure().message, HasSubstr("the input cannot be used"));
}

TEST(Failures, ACodecThatThrowsAnythingOnTheResultFailsTheRun) {
    Scenario s(picky);
    s.start(1);
    EXPECT_THAT(s.failure().message, HasSubstr("not a std::exception"));
}

TEST(Failures, ACodecThatDoesNotThrowIsUsed) {
    Scenario s(picky);
    s.start(5).expect({"completed 5"});
}

Orchestration<void> throws_application_error(OrchestrationContext /*ctx*/) {
    throw ApplicationError("CardDeclined", "the bank says no").detail("code 51").not_retryable();
    co_return;
}

TEST(Failures, AnApplicationErrorSaysWhatOthersActOn) {
    Scenario s(throws_application_error);
    s.start().expect({"failed application: the bank says no"});
    EXPECT_EQ(s.failure(),
              (Failure{.message = "the bank says no",
                       .where = kDefinition,
                       .detail = "code 51",
                       .type = "CardDeclined",
                       .retryable = false}));
}

Orchestration<std::string> acts_on_kind(OrchestrationContext ctx) {
    std::string told;
    try {
        told = co_await ctx.call(Work, "a");
    } catch (const OperationFailed& failed) {
        told = std::string(to_string(failed.kind())) + " " + failed.type();
    }
    co_return told;
}

TEST(Failures, EveryKindReachesTheCode) {
    for (const FailureKind kind : {FailureKind::application,
                                   FailureKind::timeout,
                                   FailureKind::canceled,
                                   FailureKind::nondeterminism,
                                   FailureKind::poison,
                                   FailureKind::limit,
                                   FailureKind::infrastructure,
                                   FailureKind::id_in_use}) {
        Scenario s(acts_on_kind);
        s.start().fail(1, Failure{.kind = kind, .message = "m", .type = "T"});
        EXPECT_EQ(s.result<std::string>(), std::string(to_string(kind)) + " T");
    }
}

class Speechless : public std::exception {
public:
    [[nodiscard]] const char* what() const noexcept override { return nullptr; }
};
Orchestration<void> throws_speechless(OrchestrationContext /*ctx*/) {
    throw Speechless();
    co_return;
}

TEST(Failures, AnExceptionWithoutAMessageIsAFailureToo) {
    Scenario s(throws_speechless);
    s.start().expect({"failed application: "});
    EXPECT_THAT(s.failure().type, HasSubstr("Speechless"));
}

}  // namespace
}  // namespace belay::replay::failures_tests
