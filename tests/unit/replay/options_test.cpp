// Options of calls: carried into history as they were given.
#include "unit/replay/harness.hpp"

#include <stdexcept>

namespace belay::replay::options_tests {
namespace {

using namespace std::chrono_literals;
using ::testing::HasSubstr;

const model::ActivityScheduled& activity(const Scenario& s) {
    return std::get<model::ActivityScheduled>(s.history().back());
}
const model::ChildScheduled& child(const Scenario& s) {
    return std::get<model::ChildScheduled>(s.history().back());
}

Orchestration<std::string> with_all(OrchestrationContext ctx) {
    co_return co_await ctx.call(Work.with(CallOptions()
                                              .queue("gpu")
                                              .priority(-5)
                                              .fairness_key("tenant-7")
                                              .schedule_to_start(5min)
                                              .start_to_close(30s)
                                              .heartbeat_timeout(7s)
                                              .session("build-9")),
                                "a");
}

TEST(CallOptions, AreRecorded) {
    Scenario s(with_all);
    s.start().expect({"call #1 Work \"a\" on gpu"});
    const Timestamp began = std::get<model::TurnStarted>(s.history().front()).at;
    EXPECT_EQ(activity(s).queue, "gpu");
    EXPECT_EQ(activity(s).terms.priority, -5);
    EXPECT_EQ(activity(s).terms.fairness_key, "tenant-7");
    EXPECT_EQ(activity(s).terms.schedule_to_start, began + 5min);
    EXPECT_EQ(activity(s).terms.start_to_close, 30s);
    EXPECT_EQ(activity(s).terms.heartbeat_timeout, 7s);
    EXPECT_EQ(activity(s).terms.session, "build-9");
    EXPECT_EQ(activity(s).terms.attempt, 1U);
    s.complete(1, "done").expect({"completed \"done\""});
}

TEST(CallOptions, AreReadableInHistory) {
    Scenario s(with_all);
    s.start();
    EXPECT_THAT(model::describe(s.history().back()),
                HasSubstr("on queue gpu, priority -5, for tenant-7, start by "));
    EXPECT_THAT(model::describe(s.history().back()), HasSubstr(", close within 30000 ms"));
}

Orchestration<std::string> with_none(OrchestrationContext ctx) {
    co_return co_await ctx.call(Work.with(CallOptions()), "a");
}

TEST(CallOptions, EmptyOptionsLeaveNothing) {
    Scenario s(with_none);
    s.start().expect({"call #1 Work \"a\""});
    EXPECT_EQ(activity(s).terms, model::ActivityTerms());
}

TEST(CallOptions, ChangedOptionsAreAMismatch) {
    Scenario s(with_all);
    s.start();
    const Result<void> same = replay_with(with_none, s.history());
    ASSERT_FALSE(same.ok());
    EXPECT_THAT(same.error().message(), HasSubstr("priority -5"));
}

Orchestration<int> tries(OrchestrationContext ctx) {
    const auto urgent = Count.with(CallOptions().priority(9));
    const auto first = co_await ctx.try_call(urgent, 1);
    const auto second = co_await ctx.try_call(urgent, 2);
    co_return first.value() + second.value();
}

TEST(CallOptions, CanBeKeptAndUsedAgain) {
    Scenario s(tries);
    s.start();
    EXPECT_EQ(activity(s).terms.priority, 9);
    s.complete(1, 1);
    EXPECT_EQ(activity(s).terms.priority, 9);
    s.complete(2, 2);
    EXPECT_EQ(s.result<int>(), 3);
}

Orchestration<void> queue_that_is_none(OrchestrationContext ctx) {
    co_await ctx.call(Ping.with(CallOptions().queue("a\nb")));
}
Orchestration<void> key_that_is_none(OrchestrationContext ctx) {
    co_await ctx.call(Ping.with(CallOptions().fairness_key(std::string(300, 'x'))));
}

TEST(CallOptions, NamesAreChecked) {
    Scenario queue(queue_that_is_none);
    queue.start();
    EXPECT_THAT(queue.failure().message, HasSubstr("a queue's name"));
    Scenario key(key_that_is_none);
    key.start();
    EXPECT_EQ(key.failure().kind, FailureKind::limit);
    EXPECT_THAT(key.failure().message, HasSubstr("a fairness key"));
}

TEST(CallOptions, TimesArePositive) {
    EXPECT_THROW(CallOptions().schedule_to_start(0ms), std::invalid_argument);
    EXPECT_THROW(CallOptions().start_to_close(-1ms), std::invalid_argument);
}

Orchestration<std::string> child_with_all(OrchestrationContext ctx) {
    co_return co_await ctx.call(Child.with(ChildOptions()
                                               .id("ship")
                                               .version("2")
                                               .label("region", std::string("eu"))
                                               .label("weight", std::int64_t{7})
                                               .parent_close(ParentClose::abandon)
                                               .on_fail()),
                                "in");
}

TEST(ChildOptions, AreRecorded) {
    Scenario s(child_with_all);
    s.start().expect({"child #1 Child \"in\" as test-1/ship"});
    EXPECT_EQ(child(s).terms.version, "2");
    EXPECT_EQ(child(s).terms.labels,
              (Labels{{"region", std::string("eu")}, {"weight", std::int64_t{7}}}));
    EXPECT_EQ(child(s).terms.parent_close, ParentClose::abandon);
    EXPECT_TRUE(child(s).on_fail);
    EXPECT_THAT(model::describe(s.history().back()),
                HasSubstr("version 2, region = \"eu\", weight = 7, abandoned with its parent, "
                          "with a run for its failure"));
}

Orchestration<void> too_many_labels(OrchestrationContext ctx) {
    ChildOptions options;
    for (int i = 0; i < 100; ++i) options.label("l" + std::to_string(i), true);
    (void)co_await ctx.call(Child.with(options), "in");
}
Orchestration<void> label_that_is_no_number(OrchestrationContext ctx) {
    const auto options = ChildOptions().label("l", std::numeric_limits<double>::quiet_NaN());
    (void)co_await ctx.call(Child.with(options), "in");
}

TEST(ChildOptions, LabelsAreChecked) {
    Scenario many(too_many_labels);
    many.start();
    EXPECT_EQ(many.failure().kind, FailureKind::limit);
    EXPECT_THAT(many.failure().message, HasSubstr("100 labels"));
    Scenario nan(label_that_is_no_number);
    nan.start();
    EXPECT_THAT(nan.failure().message, HasSubstr("label 'l' is not a number"));
}

Orchestration<void> compensated(OrchestrationContext ctx) {
    ctx.on_rollback(Undo.with(CallOptions().queue("slow").retry(RetryPolicy::fixed(1s))), "x");
    throw std::runtime_error("broken");
    co_return;
}

TEST(CallOptions, CompensationsHaveThemToo) {
    Scenario s(compensated);
    s.start().expect({"call #1 Undo \"x\" on slow shielded"});
    s.fail(1, "not now").expect({"timer #2 +1000 shielded"});
    s.fire(2).expect({"call #3 Undo \"x\" on slow attempt 2 shielded"});
    s.complete(3).expect({"failed application: broken"});
}

}  // namespace
}  // namespace belay::replay::options_tests
