// Requests of orchestrations other than calls reach the store, and clients.
#include "world.hpp"

#include <gmock/gmock.h>

namespace belay::runtime_tests::features {
namespace {

using namespace std::chrono_literals;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

using Features = World;

inline constexpr Definition<std::string(std::string)> Other{"Other"};

// ---- Options of calls --------------------------------------------------------------------------

Orchestration<std::string> asks_for_much(OrchestrationContext ctx, std::string input) {
    const auto work = Work.with(CallOptions()
                                    .queue("gpu")
                                    .priority(7)
                                    .fairness_key("tenant")
                                    .schedule_to_start(1min)
                                    .start_to_close(5s)
                                    .heartbeat_timeout(2s)
                                    .session("one"));
    co_return co_await ctx.call(work, input);
}

TEST_F(Features, OptionsOfACallReachTheQueue) {
    process(registry_with(asks_for_much), RuntimeOptions().queues({"other"}));
    start();
    settle();
    ClaimActivities request;
    request.queues = {"gpu"};
    request.lease = 1s;
    request.first_token = LeaseToken{1, 1};
    std::vector<ClaimedActivity> claimed;
    inner->claim(request, [&](Result<ClaimActivities::Answer> r) { claimed = r->claimed; });
    ASSERT_EQ(claimed.size(), 1U);
    EXPECT_EQ(claimed[0].queue, "gpu");
    EXPECT_EQ(claimed[0].schedule_to_start, clock.wall() + 1min);
    EXPECT_EQ(claimed[0].start_to_close, 5s);
    EXPECT_EQ(claimed[0].heartbeat_timeout, 2s);
    EXPECT_EQ(claimed[0].fairness_key, "tenant");
    EXPECT_EQ(claimed[0].session, "one");
}

Orchestration<std::string> prefers_second(OrchestrationContext ctx, std::string) {
    auto later = ctx.call(Work.with(CallOptions().priority(-1)), "later");
    auto first = ctx.call(Work.with(CallOptions().priority(1)), "first");
    (void)co_await ctx.join(std::move(later), std::move(first));
    co_return "done";
}

TEST_F(Features, PriorityDecidesWhichIsClaimedFirst) {
    process(registry_with(prefers_second), RuntimeOptions().queues({"other"}));
    start();
    settle();
    ClaimActivities request;
    request.lease = 1s;
    request.first_token = LeaseToken{1, 1};
    std::string input;
    inner->claim(request,
                 [&](Result<ClaimActivities::Answer> r) { input = r->claimed.at(0).input.bytes; });
    EXPECT_EQ(input, "first");
}

// ---- Retries -----------------------------------------------------------------------------------

Orchestration<std::string> tries_again(OrchestrationContext ctx, std::string input) {
    const auto policy = RetryPolicy::fixed(10s).attempts(3);
    co_return co_await ctx.call(Work.with(CallOptions().retry(policy)), input);
}

TEST_F(Features, ARetryWaitsInATimerAndKeepsItsIdempotencyKey) {
    Registry registry;
    std::vector<std::string> keys;
    std::vector<std::uint32_t> attempts;
    registry.add(Work, [&](ActivityContext& ctx, const std::string& what) -> std::string {
        keys.push_back(ctx.idempotency_key());
        attempts.push_back(ctx.attempt());
        if (attempts.size() < 3) throw ApplicationError("Busy", "not now");
        return "did " + what;
    });
    registry.add(Main, tries_again);
    Process& p = process(std::move(registry));
    const auto run = start();
    for (std::size_t attempt = 0; attempt < 3; ++attempt) {
        settle();
        p.executor.finish(attempt);
        settle();
        EXPECT_TRUE(queue().empty()) << "nothing is leased between attempts";
        pass(10s);
    }
    EXPECT_EQ(client.outcome(run)->output.bytes, "did x");
    EXPECT_THAT(attempts, ElementsAre(1U, 2U, 3U));
    EXPECT_EQ(keys[0], keys[1]);
    EXPECT_EQ(keys[0], keys[2]);
}

TEST_F(Features, ACancelBetweenTwoAttemptsEndsTheRun) {
    Registry registry;
    registry.add(Work, [](const std::string&) -> std::string { throw std::runtime_error("no"); });
    registry.add(Main, tries_again);
    Process& p = process(std::move(registry));
    const auto run = start();
    settle();
    p.executor.finish(0);
    settle();
    ASSERT_TRUE(client.cancel(run, CancelOptions().reason("stop")).ok());
    settle();
    EXPECT_EQ(status(run), Status::canceled);
    pass(1h);
    EXPECT_TRUE(queue().empty());
}

TEST_F(Features, TheLastFailureTellsItsTypeAndTheNumberOfAttempts) {
    Registry registry;
    registry.add(Work, [](const std::string&) -> std::string {
        throw ApplicationError("CardDeclined", "the bank says no").not_retryable();
    });
    registry.add(Main, tries_again);
    Process& p = process(std::move(registry));
    const auto run = start();
    settle();
    p.executor.finish(0);
    settle();
    const auto outcome = client.outcome(run);
    ASSERT_TRUE(outcome.ok());
    EXPECT_EQ(outcome->failure.type, "CardDeclined");
    EXPECT_EQ(outcome->failure.attempt, 1U);
    EXPECT_FALSE(outcome->failure.retryable);
}

TEST_F(Features, ANonstandardExceptionDoesNotEscape) {
    Registry registry;
    registry.add(Work, [](const std::string&) -> std::string { throw 42; });
    registry.add(Main,
                 [](OrchestrationContext ctx, std::string input) -> Orchestration<std::string> {
                     co_return co_await ctx.call(Work, input);
                 });
    Process& p = process(std::move(registry));
    const auto run = start();
    settle();
    p.executor.finish(0);
    settle();
    EXPECT_EQ(client.outcome(run)->failure.type, "int");
}

// ---- Key-values --------------------------------------------------------------------------------

Orchestration<std::string> keeps_values(OrchestrationContext ctx, std::string input) {
    ctx.set_value("stage", "begun with " + input);
    ctx.set_value("rounds", ctx.value<int>("rounds").value_or(0) + 1);
    const std::string message = co_await ctx.wait<std::string>("go");
    if (message == "again") {
        auto next = ctx.continue_as_new(Main, "again");
        co_await std::move(next);
    }
    ctx.clear_value("stage");
    co_return message;
}

TEST_F(Features, KeyValuesAreSeenByClientsAcrossExecutions) {
    Process& p = process(registry_with(keeps_values));
    const auto run = start();
    settle();
    EXPECT_EQ(**client.value<std::string>(run, "stage"), "begun with x");
    EXPECT_EQ(**client.value<int>(run, "rounds"), 1);
    EXPECT_FALSE(client.value<int>(run, "nothing")->has_value());
    EXPECT_EQ(client.value<int>(run, "stage").error().code(), Errc::invalid_argument);
    EXPECT_EQ(client.values({"default", "nobody"}).error().code(), Errc::not_found);

    ASSERT_TRUE(client.raise(run, "go", Payload::text("again")).ok());
    settle();
    EXPECT_EQ(**client.value<int>(run, "rounds"), 2);
    while (p.runtime->evict_one()) {
    }
    ASSERT_TRUE(client.raise(run, "go", Payload::text("end")).ok());
    settle();
    EXPECT_EQ(status(run), Status::completed);
    EXPECT_EQ(client.values(run)->size(), 1U) << "they stay when the run has ended";
    EXPECT_EQ(**client.value<int>(run, "rounds"), 2);
}

// ---- Versions ----------------------------------------------------------------------------------

Orchestration<std::string> version_one(OrchestrationContext ctx, std::string) {
    const std::string message = co_await ctx.wait<std::string>("go");
    if (message == "again") {
        auto next = ctx.continue_as_new(Main, "");
        co_await std::move(next);
    }
    if (message == "stay") {
        auto next = ctx.continue_as_new(Main, "").version("1");
        co_await std::move(next);
    }
    co_return "one " + ctx.version();
}
Orchestration<std::string> version_two(OrchestrationContext ctx, std::string) {
    co_await ctx.wait<std::string>("go");
    co_return "two " + ctx.version();
}

TEST_F(Features, NewRunsTakeTheNewestVersionAndOthersStayOnTheirs) {
    Registry old;
    old.add(Main, version_one, "1");
    Process& before = process(old);
    const auto running = start("running");
    settle();
    crash(before);

    Registry both;
    both.add(Main, version_two, "2");
    both.add(Main, version_one, "1");
    process(std::move(both));
    const auto fresh = start("fresh");
    const auto continued = start("continued");
    settle();
    pass(Policy().turn_lease + 1s);
    for (const InstanceName& run : {running, fresh}) {
        ASSERT_TRUE(client.raise(run, "go", Payload::text("end")).ok());
    }
    settle();
    EXPECT_EQ(client.outcome(running)->output.bytes, "one 1");
    EXPECT_EQ(client.outcome(fresh)->output.bytes, "two 2");
    EXPECT_EQ(info(continued).version, "2");
}

TEST_F(Features, ContinuingAsNewTakesTheNewestOrTheNamedVersion) {
    Registry both;
    both.add(Main, version_two, "2");
    both.add(Main, version_one, "1");
    process(std::move(both));
    for (const char* id : {"newest", "named"}) {
        ASSERT_TRUE(client.start(Main, StartOptions().id(id).version("1"), "x").ok());
    }
    settle();
    ASSERT_TRUE(client.raise({"default", "newest"}, "go", Payload::text("again")).ok());
    ASSERT_TRUE(client.raise({"default", "named"}, "go", Payload::text("stay")).ok());
    settle();
    EXPECT_EQ(info({"default", "newest"}).version, "2");
    EXPECT_EQ(info({"default", "named"}).version, "1");
    EXPECT_EQ(info({"default", "named"}).execution, 2U);
}

TEST_F(Features, ARunWhoseVersionIsNotHereWaitsForAProcessThatHasIt) {
    Registry two;
    two.add(Main, version_two, "2");
    Process& without = process(std::move(two));
    ASSERT_TRUE(client.start(Main, StartOptions().id("old").version("1"), "x").ok());
    pass(Policy().code_patience);
    const InstanceName old{"default", "old"};
    EXPECT_EQ(status(old), Status::pending);
    EXPECT_GT(info(old).unregistered, 0U);

    crash(without);
    Registry one;
    one.add(Main, version_one, "1");
    process(std::move(one));
    pass(2min);
    EXPECT_EQ(status(old), Status::running);
    EXPECT_EQ(info(old).version, "1");
}

// ---- Children and detached starts --------------------------------------------------------------

Orchestration<std::string> abandons(OrchestrationContext ctx, std::string) {
    const auto child = Other.with(ChildOptions().id("c").parent_close(ParentClose::abandon));
    auto pending = ctx.start(ctx.call(child, "in"));
    co_await ctx.wait<std::string>("go");
    co_return "parent done";
}
Orchestration<std::string> waits(OrchestrationContext ctx, std::string) {
    co_return co_await ctx.wait<std::string>("go");
}

TEST_F(Features, AnAbandonedChildGoesOnWhenItsParentEnds) {
    Registry registry = registry_with(abandons);
    registry.add(Other, waits);
    process(std::move(registry));
    const auto parent = start("p");
    const InstanceName child{"default", "p/c"};
    settle();
    ASSERT_TRUE(client.raise(parent, "go", Payload::text("now")).ok());
    settle();
    EXPECT_EQ(status(parent), Status::completed);
    EXPECT_EQ(status(child), Status::running);
    EXPECT_FALSE(info(parent).settled);
    ASSERT_TRUE(client.raise(child, "go", Payload::text("own end")).ok());
    settle();
    EXPECT_EQ(client.outcome(child)->output.bytes, "own end");
    EXPECT_TRUE(info(parent).settled);
}

TEST_F(Features, AnAbandonedChildIsLeftAloneByACancelOfItsParent) {
    Registry registry = registry_with(abandons);
    registry.add(Other, waits);
    process(std::move(registry));
    const auto parent = start("p");
    settle();
    ASSERT_TRUE(client.cancel(parent, CancelOptions().reason("stop")).ok());
    settle();
    EXPECT_EQ(status(parent), Status::canceled);
    EXPECT_EQ(status({"default", "p/c"}), Status::running);
}

Orchestration<std::string> detaches(OrchestrationContext ctx, std::string input) {
    const auto audit = Other.with(ChildOptions().label("of", ctx.instance_id()));
    ctx.start_detached(audit, "audit", input);
    ctx.start_detached(audit, "audit", "a second time");
    co_return "done";
}

TEST_F(Features, ADetachedStartIsARunOnItsOwn) {
    Registry registry = registry_with(detaches);
    registry.add(Other, waits);
    process(std::move(registry));
    const auto first = start("first", "from first");
    const auto second = start("second", "from second");
    settle();
    EXPECT_EQ(status(first), Status::completed);
    EXPECT_EQ(status(second), Status::completed);
    const InstanceInfo audit = info({"default", "audit"});
    EXPECT_EQ(audit.status, Status::running);
    EXPECT_FALSE(audit.parent.has_value());
    EXPECT_EQ(audit.started_by, "first");
    EXPECT_EQ(audit.input.bytes, "from first");
    EXPECT_EQ(audit.labels.at("of"), LabelValue(std::string("first")));
    EXPECT_TRUE(info(first).settled) << "it is no child";
}

// ---- Headers -----------------------------------------------------------------------------------

std::string trace_of(const Headers& headers) {
    std::string all;
    for (const auto& [name, value] : headers) all += name + "=" + value + " ";
    return all;
}

Orchestration<std::string> hands_on(OrchestrationContext ctx, std::string input) {
    const auto policy = RetryPolicy::fixed(10s).attempts(2);
    (void)co_await ctx.call(Work.with(CallOptions().retry(policy)), input);
    if (ctx.execution() == 1) {
        auto next = ctx.continue_as_new(Main, "again");
        co_await std::move(next);
    }
    ctx.start_detached(Other, "detached", input);
    const std::string child = co_await ctx.call(Other.with(ChildOptions().id("c")), input);
    co_return trace_of(ctx.headers()) + child;
}

TEST_F(Features, HeadersReachActivitiesChildrenAndWhatIsStarted) {
    Registry registry;
    std::vector<std::string> seen;
    registry.add(Work, [&](ActivityContext& ctx, const std::string&) -> std::string {
        seen.push_back(trace_of(ctx.headers()));
        if (ctx.attempt() == 1) throw std::runtime_error("another time");
        return "done";
    });
    registry.add(Main, hands_on);
    registry.add(Other, [](OrchestrationContext ctx, std::string) -> Orchestration<std::string> {
        co_return trace_of(ctx.headers());
    });
    Process& p = process(std::move(registry));
    const InstanceName run{"default", "i1"};
    const auto options = StartOptions().id("i1").header("traceparent", "00-1").header("a", "b");
    ASSERT_TRUE(client.start(Main, options, "x").ok());
    for (std::size_t attempt = 0; attempt < 4; ++attempt) {
        settle();
        p.executor.finish(attempt);
        settle();
        while (p.runtime->evict_one()) {
        }
        pass(10s);
    }
    const std::string given = "a=b traceparent=00-1 ";
    EXPECT_THAT(seen, ElementsAre(given, given, given, given))
        << "without the engine's own, which say which attempt it is";
    EXPECT_EQ(client.outcome(run)->output.bytes, given + given);
    EXPECT_EQ(client.outcome({"default", "detached"})->output.bytes, given);
}

// ---- Log, random numbers -----------------------------------------------------------------------

Orchestration<std::string> logs(OrchestrationContext ctx, std::string) {
    const std::string id = ctx.new_uuid();
    ctx.log().info("drew " + id);
    co_await ctx.wait<std::string>("go");
    ctx.log().info("went on");
    co_return id;
}

TEST_F(Features, TheLogIsSilentOnReplayAndRandomNumbersAreTheSame) {
    std::vector<std::string> lines;
    const auto options = RuntimeOptions().events([&](const EngineEvent& event) {
        if (event.code != EngineCode::orchestration_log) return;
        lines.push_back(event.instance->id + ": " + event.what);
    });
    Process& p = process(registry_with(logs), options);
    const auto one = start("one");
    const auto two = start("two");
    settle();
    ASSERT_EQ(lines.size(), 2U);
    EXPECT_NE(lines[0].substr(5), lines[1].substr(5)) << "each run has its own";
    const std::vector<std::string> drawn = lines;
    lines.clear();
    while (p.runtime->evict_one()) {
    }
    ASSERT_TRUE(client.raise(one, "go", Payload::text("")).ok());
    ASSERT_TRUE(client.raise(two, "go", Payload::text("")).ok());
    settle();
    EXPECT_THAT(lines, ::testing::UnorderedElementsAre("one: went on", "two: went on"));
    for (const InstanceName& run : {one, two}) {
        EXPECT_THAT(drawn, ::testing::Contains(HasSubstr(client.outcome(run)->output.bytes)));
    }
}

}  // namespace
}  // namespace belay::runtime_tests::features
