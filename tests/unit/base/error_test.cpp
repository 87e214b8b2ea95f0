#include <belay/error.hpp>
#include <belay/exceptions.hpp>
#include <belay/time.hpp>

#include <gtest/gtest.h>

#include <memory>
#include <set>
#include <string>
#include <utility>

namespace belay {
namespace {

constexpr Errc kAll[] = {
    Errc::invalid_argument, Errc::limit_exceeded,   Errc::not_found,         Errc::id_in_use,
    Errc::duplicate_key,    Errc::already_ended,    Errc::still_running,     Errc::has_parent,
    Errc::not_held,         Errc::lease_lost,       Errc::canceled,          Errc::position_moved,
    Errc::cancel_unseen,    Errc::messages_waiting, Errc::run_key_taken,     Errc::busy,
    Errc::unavailable,      Errc::outcome_unknown,  Errc::corrupt,           Errc::unsupported,
    Errc::nondeterminism,   Errc::unreadable,       Errc::request_id_reused, Errc::has_children,
    Errc::store_lost,       Errc::concurrency_busy, Errc::rate_exceeded,
};

TEST(Error, EveryCodeHasANameOfItsOwn) {
    std::set<std::string_view> names;
    for (const Errc code : kAll) names.insert(to_string(code));
    EXPECT_EQ(names.size(), std::size(kAll));
    EXPECT_FALSE(names.contains("unknown"));
    EXPECT_EQ(to_string(static_cast<Errc>(9'999)), "unknown");
}

TEST(Error, OnlyWhatWroteNothingIsRetryable) {
    for (const Errc code : kAll) {
        const Error error(code, "x");
        EXPECT_EQ(error.retryable(), code == Errc::busy || code == Errc::unavailable)
            << error.describe();
        EXPECT_EQ(error.outcome_unknown(), code == Errc::outcome_unknown) << error.describe();
    }
}

TEST(Error, KnowsWhereItWasRaised) {
    const Error error(Errc::not_found, "no instance 'order-7'");
    EXPECT_EQ(error.describe(), "not_found: no instance 'order-7'");
    EXPECT_NE(std::string(error.where().file_name()).find("error_test.cpp"), std::string::npos);
}

Result<int> half(int value) {
    if (value % 2 != 0) return Error(Errc::invalid_argument, "odd");
    return value / 2;
}

TEST(ResultOf, IsAValueOrAnError) {
    const Result<int> good = half(4);
    ASSERT_TRUE(good.ok());
    EXPECT_TRUE(static_cast<bool>(good));
    EXPECT_EQ(*good, 2);
    const Result<int> bad = half(3);
    ASSERT_FALSE(bad.ok());
    EXPECT_EQ(bad.error().message(), "odd");
}

TEST(ResultOf, HoldsMoveOnlyValues) {
    Result<std::unique_ptr<int>> result(std::make_unique<int>(7));
    const std::unique_ptr<int> taken = std::move(result).value();
    EXPECT_EQ(*taken, 7);
}

TEST(ResultOf, GivesAccessToMembers) {
    Result<std::string> result(std::string("text"));
    EXPECT_EQ(result->size(), 4U);
    result->append("!");
    EXPECT_EQ(*result, "text!");
}

TEST(ResultOf, NothingIsGoodUnlessItIsAnError) {
    const Result<void> good;
    EXPECT_TRUE(good.ok());
    const Result<void> bad = Error(Errc::busy, "later");
    ASSERT_FALSE(bad.ok());
    EXPECT_TRUE(bad.error().retryable());
}

TEST(ResultOf, ThrowsItsErrorWhenAskedTo) {
    EXPECT_EQ(half(4).or_throw(), 2);
    Result<int> named = half(8);
    named.or_throw() += 1;
    EXPECT_EQ(std::as_const(named).or_throw(), 5);
    try {
        (void)half(3).or_throw();
        ADD_FAILURE() << "nothing was thrown";
    } catch (const ResultError& error) {
        EXPECT_EQ(error.code(), Errc::invalid_argument);
        EXPECT_EQ(error.error().message(), "odd");
        EXPECT_STREQ(error.what(), "invalid_argument: odd");
    }
    Result<int> bad = half(3);
    EXPECT_THROW((void)bad.or_throw(), ResultError);
    EXPECT_THROW((void)std::as_const(bad).or_throw(), ResultError);
}

TEST(ResultOf, NothingThrowsOnlyIfItIsAnError) {
    EXPECT_NO_THROW(Result<void>().or_throw());
    EXPECT_THROW(Result<void>(Error(Errc::busy, "later")).or_throw(), ResultError);
}

TEST(ResultOf, GivesAMoveOnlyValueOrThrows) {
    const std::unique_ptr<int> taken =
        Result<std::unique_ptr<int>>(std::make_unique<int>(7)).or_throw();
    EXPECT_EQ(*taken, 7);
}

TEST(ResultDeathTest, AskingForWhatIsNotThereStopsTheProcess) {
    ::testing::FLAGS_gtest_death_test_style = "threadsafe";
    Result<int> bad = half(3);
    const std::string says =
        "belay: the value of a Result was asked for, which is an error: " + bad.error().describe();
    EXPECT_DEATH((void)bad.value(), says);
    EXPECT_DEATH((void)*std::as_const(bad), says);
    EXPECT_DEATH((void)std::move(bad).value(), says);
    const Result<int> good = half(2);
    EXPECT_DEATH((void)good.error(), "assertion failed: !ok\\(\\)");
}

TEST(Time, MillisecondsSinceTheEpochGoBothWays) {
    for (const std::int64_t ms :
         {std::int64_t{0}, std::int64_t{-1}, std::int64_t{1'700'000'000'123}}) {
        EXPECT_EQ(to_unix_ms(from_unix_ms(ms)), ms);
    }
}

TEST(Time, TheMachinesMonotonicClockDoesNotGoBack) {
    const Millis first = system_clock().monotonic();
    EXPECT_GE(system_clock().monotonic(), first);
    EXPECT_GT(to_unix_ms(system_clock().wall()), 1'600'000'000'000);
}

}  // namespace
}  // namespace belay
