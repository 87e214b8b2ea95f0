// Runs that repeat runs that have ended.
#include <belay/client.hpp>
#include <belay/codec.hpp>
#include <belay/finding.hpp>
#include <belay/management.hpp>
#include <belay/requests/finding.hpp>
#include <belay/service.hpp>
#include <belay/testing/world.hpp>
#include <belay/transfer.hpp>

#include <gtest/gtest.h>

#include <chrono>
#include <stdexcept>
#include <string>

namespace belay {
namespace {

using namespace std::chrono_literals;

inline constexpr Definition<int(int)> RerunJob{"Job"};
inline constexpr Definition<int(int)> RerunCountdown{"Countdown"};
inline constexpr Definition<int(int)> RerunParent{"Parent"};
inline constexpr Definition<std::string(std::string)> ResumeOrder{"Order"};
inline constexpr Definition<std::string()> ResumeTree{"Tree"};
inline constexpr Definition<std::string(int)> ResumeRounds{"Rounds"};
inline constexpr Activity<std::string(std::string)> Reserve{"Reserve"};
inline constexpr Activity<std::string(std::string)> Charge{"Charge"};

/// Fails for a negative number.
Orchestration<int> rerun_job(OrchestrationContext ctx, int number) {
    co_await ctx.timer(1h);
    if (number < 0) throw std::runtime_error("negative");
    co_return number;
}

Orchestration<int> rerun_countdown(OrchestrationContext ctx, int left) {
    co_await ctx.timer(1h);
    if (left > 0) co_await ctx.continue_as_new(RerunCountdown, left - 1);
    co_return left;
}

Orchestration<int> rerun_parent(OrchestrationContext ctx, int number) {
    const int result = co_await ctx.call(RerunJob, number);
    co_return result;
}

/// Reserves, then waits an hour and charges at the same time.
Orchestration<std::string> resume_order(OrchestrationContext ctx, std::string order) {
    ctx.set_custom_status(std::string("reserving"));
    const std::string hold = co_await ctx.call(Reserve, order);
    ctx.set_value("hold", hold);
    auto pause = ctx.start(ctx.timer(1h));
    const std::string paid = co_await ctx.call(Charge, hold);
    co_await std::move(pause);
    co_return hold + ", " + paid;
}

/// Waits for an event and for a child, and fails with its failure.
Orchestration<std::string> resume_tree(OrchestrationContext ctx) {
    const std::string one = co_await ctx.call(ResumeOrder, "one");
    const std::string word = co_await ctx.wait<std::string>("word");
    const auto guarded = ResumeOrder.with(ChildOptions().on_fail());
    const std::string two = co_await ctx.call(guarded, word);
    co_return one + "; " + two;
}

/// Execution 1 sets a value and a status, and takes a message along that execution 2 receives.
Orchestration<std::string> resume_rounds(OrchestrationContext ctx, int round) {
    if (round == 0) {
        ctx.set_custom_status(std::string("begun"));
        ctx.set_value("hold", std::string("kept"));
        co_await ctx.timer(1h);
        co_await ctx.continue_as_new(ResumeRounds, 1);
    }
    co_await ctx.timer(1h);
    const std::string word = co_await ctx.receive<std::string>("words");
    const std::string child = co_await ctx.call(ResumeOrder, word);
    const std::string paid = co_await ctx.call(Charge, word);
    co_return ctx.value<std::string>("hold").value_or("lost") + "; " + child + "; " + paid;
}

class Reruns : public ::testing::Test {
protected:
    Reruns() : world(registry()) {}

    static Registry registry() {
        Registry registry;
        registry.add(RerunJob, rerun_job);
        registry.add(RerunCountdown, rerun_countdown);
        registry.add(RerunParent, rerun_parent);
        registry.add(ResumeOrder, resume_order);
        registry.add(ResumeTree, resume_tree);
        registry.add(ResumeRounds, resume_rounds);
        registry.add(Reserve, [](const std::string& order) { return "held " + order; });
        registry.add(Charge, [](const std::string& hold) { return "paid for " + hold; });
        return registry;
    }
    Client& client() { return world.client(); }
    InstanceInfo info(const std::string& id) { return client().inspect(id).or_throw(); }
    Errc refusal(const std::string& id, const RerunOptions& options = RerunOptions()) {
        const auto result = client().rerun(id, options);
        EXPECT_FALSE(result.ok());
        return result.ok() ? Errc::unsupported : result.error().code();
    }

    testing::World world;
};

TEST_F(Reruns, ARerunHasTheInputAndTheTermsOfTheRunAndItsName) {
    const auto options = StartOptions()
                             .id("job-1")
                             .owner("shop")
                             .key("once")
                             .label("city", "Ulm")
                             .header("trace", "7")
                             .priority(3)
                             .deadline(3h);
    const InstanceName first = world.start_with(RerunJob, options, -4);
    EXPECT_EQ(world.wait(RerunJob, first).outcome().status, Status::failed);

    const auto again = client().rerun(
        "job-1", RerunOptions().id("job-2").started_by("ann").label("why", "repaired"));
    ASSERT_TRUE(again.ok() && again->created);
    const InstanceInfo second = info("job-2");
    EXPECT_EQ(second.definition, "Job");
    EXPECT_EQ(second.owner, "shop");
    EXPECT_EQ(second.started_by, "ann");
    EXPECT_EQ(second.priority, 3);
    EXPECT_EQ(second.deadline, second.created_at + 3h);
    EXPECT_EQ(second.headers.at("trace"), "7");
    EXPECT_EQ(second.headers.at(kRerunHeader), "job-1");
    EXPECT_EQ(second.labels.at("city"), LabelValue("Ulm"));
    EXPECT_EQ(second.labels.at("why"), LabelValue("repaired"));
    EXPECT_EQ(second.labels.at(kRerunLabel), LabelValue("job-1"));
    EXPECT_FALSE(second.key.has_value());
    EXPECT_EQ(world.wait(RerunJob, second.name).outcome().failure.message, "negative");
}

TEST_F(Reruns, ARerunWithAnotherInputBeginsWithIt) {
    (void)world.wait(RerunJob, world.start_with(RerunJob, StartOptions().id("job-1"), -4));
    const auto again =
        client().rerun("job-1", RerunOptions().input(detail::encode_arguments<int>(9)).id("job-2"));
    ASSERT_TRUE(again.ok());
    EXPECT_EQ(world.wait(RerunJob, again->instance.name).value(), 9);
}

TEST_F(Reruns, ARunIsRepeatedOnlyOnceItHasEnded) {
    const InstanceName run = world.start_with(RerunJob, StartOptions().id("job-1"), 1);
    EXPECT_EQ(refusal("job-1"), Errc::still_running);
    world.run_until_idle();
    EXPECT_EQ(refusal("job-1"), Errc::still_running);
    (void)world.wait(RerunJob, run);
    EXPECT_TRUE(client().rerun("job-1").ok());
    EXPECT_EQ(refusal("job-9"), Errc::not_found);
}

TEST_F(Reruns, ARunThatContinuedAsNewIsRepeatedFromItsFirstInput) {
    (void)world.wait(RerunCountdown, world.start_with(RerunCountdown, StartOptions().id("c-1"), 2));
    ASSERT_EQ(info("c-1").execution, 3U);
    ASSERT_TRUE(client().rerun("c-1", RerunOptions().id("c-2")).ok());
    (void)world.wait(RerunCountdown, InstanceName{"default", "c-2"});
    EXPECT_EQ(info("c-2").execution, 3U);
}

TEST_F(Reruns, AFirstInputThatWasPrunedMustBeGiven) {
    (void)world.wait(RerunCountdown, world.start_with(RerunCountdown, StartOptions().id("c-1"), 2));
    ASSERT_TRUE(client().prune_executions("c-1", PruneOptions().keep_last(1)).ok());
    EXPECT_EQ(refusal("c-1"), Errc::not_found);
    EXPECT_TRUE(client().rerun("c-1", RerunOptions().input(detail::encode_arguments<int>(1))).ok());
}

TEST_F(Reruns, AChildIsRepeatedAsARunOfItsOwn) {
    (void)world.wait(RerunParent, world.start_with(RerunParent, StartOptions().id("p"), 5));
    const InstanceInfo parent = info("p");
    const auto children = client().service().ask(requests::ListChildren{parent.run}).or_throw();
    ASSERT_EQ(children.size(), 1U);
    const auto again = client().rerun(children.front().name);
    ASSERT_TRUE(again.ok());
    EXPECT_FALSE(client().inspect(again->instance.name).or_throw().parent.has_value());
    EXPECT_EQ(world.wait(RerunJob, again->instance.name).value(), 5);
}

TEST_F(Reruns, ARepeatedRequestStartsNoSecondRun) {
    (void)world.wait(RerunJob, world.start_with(RerunJob, StartOptions().id("job-1"), 1));
    const auto options = RerunOptions().request_id("click-1");
    const auto first = client().rerun("job-1", options);
    const auto second = client().rerun("job-1", options);
    ASSERT_TRUE(first.ok() && second.ok());
    EXPECT_EQ(first->instance.run, second->instance.run);
}

TEST_F(Reruns, TheLinkOfARerunIsTheRunThatItRepeatsAndNoEarlierOne) {
    (void)world.wait(RerunJob, world.start_with(RerunJob, StartOptions().id("job-1"), 1));
    ASSERT_TRUE(client().rerun("job-1", RerunOptions().id("job-2").link(kResumeLabel)).ok());
    (void)world.wait(RerunJob, InstanceName{"default", "job-2"});
    ASSERT_TRUE(client().rerun("job-2", RerunOptions().id("job-3")).ok());
    const InstanceInfo third = info("job-3");
    EXPECT_EQ(third.labels.at(kRerunLabel), LabelValue("job-2"));
    EXPECT_FALSE(third.labels.contains(kResumeLabel));
    EXPECT_EQ(third.headers.at(kRerunHeader), "job-2");
}

TEST_F(Reruns, ARunWhoseNameAnotherOneHasByNowIsStillTheOneThatIsRepeated) {
    const InstanceName name = world.start_with(RerunJob, StartOptions().id("job-1"), 1);
    (void)world.wait(RerunJob, name);
    const RunRef run = info("job-1").run;
    const auto replaced = StartOptions().id("job-1").on_conflict(IdConflict::replace);
    (void)world.wait(RerunJob, world.start_with(RerunJob, replaced, 2));
    const auto again = client().rerun(InstanceAddress(name, run));
    ASSERT_TRUE(again.ok());
    EXPECT_EQ(world.wait(RerunJob, again->instance.name).value(), 1);
}

TEST_F(Reruns, ARerunWaitsInLineForTheOthersOfItsConcurrencyKey) {
    const auto options = StartOptions().id("job-1").concurrency("city");
    (void)world.wait(RerunJob, world.start_with(RerunJob, options, 1));
    ASSERT_TRUE(client().rerun("job-1", RerunOptions().id("job-2")).ok());
    ASSERT_TRUE(client().rerun("job-1", RerunOptions().id("job-3")).ok());
    EXPECT_TRUE(info("job-3").in_line);
    EXPECT_EQ(world.wait(RerunJob, InstanceName{"default", "job-3"}).value(), 1);
    EXPECT_EQ(refusal("job-1", RerunOptions().link("")), Errc::invalid_argument);
}

// ---- Many --------------------------------------------------------------------------------------

class RerunMany : public Reruns {
protected:
    RerunMany() {
        for (const int number : {-1, -2, 5}) {
            const auto options = StartOptions().id("job-" + std::to_string(number));
            (void)world.wait(RerunJob, world.start_with(RerunJob, options, number));
        }
    }
    EndedRuns find(InstanceFilter filter = InstanceFilter()) {
        return client().find_ended(filter.definition("Job")).or_throw();
    }
};

TEST_F(RerunMany, ThoseThatFailedRunAgainOnce) {
    const EndedRuns found = find();
    ASSERT_EQ(found.found.size(), 2U);
    EXPECT_EQ(found.found[0].name.id, "job--1");
    EXPECT_EQ(client().rerun_many(found).started, 2U);
    EXPECT_EQ(client().rerun_many(found).there, 2U);
    EXPECT_TRUE(find().found.empty());
    EXPECT_EQ(find().started_again, 2U);
    world.advance(2h);
    // The new ones have failed, too.
    EXPECT_EQ(find().found.size(), 2U);
    EXPECT_EQ(client().rerun_many(find()).started, 2U);
}

TEST_F(RerunMany, AFilterChoosesAndItsLimitLeavesSome) {
    EXPECT_EQ(find(InstanceFilter().status(Status::completed)).found.size(), 1U);
    const EndedRuns one = find(InstanceFilter().limit(1));
    EXPECT_EQ(one.found.size(), 1U);
    EXPECT_TRUE(one.more);
    const auto running = client().find_ended(InstanceFilter().status(Status::running));
    EXPECT_EQ(running.error().code(), Errc::invalid_argument);
}

TEST_F(RerunMany, ARunThatCannotRunAgainStopsNoOther) {
    const EndedRuns found = find();
    ASSERT_TRUE(client().delete_instance("job--1").ok());
    const RerunManyResult result = client().rerun_many(found);
    EXPECT_EQ(result.started, 1U);
    ASSERT_EQ(result.refused.size(), 1U);
    EXPECT_EQ(result.refused[0].name.id, "job--1");
    EXPECT_EQ(result.refused[0].why.code(), Errc::not_found);
}

// ---- From an event -----------------------------------------------------------------------------

class Resumption : public Reruns {
protected:
    /// Returns the number of the first event whose line begins with this text.
    EventNo number_of(const std::string& id, const std::string& text, ExecutionNo execution = 0) {
        for (const TimelineEntry& entry : client().timeline(id, execution).or_throw().entries) {
            if (entry.text.starts_with(text)) return entry.event;
        }
        ADD_FAILURE() << "there is no " << text << " in " << id;
        return 0;
    }
    std::size_t times(std::string_view activity) { return world.calls_of(activity).size(); }
    std::string result(const std::string& id) {
        return world.wait(ResumeOrder, InstanceName{"default", id}).value();
    }
    /// An order that failed when it was charged.
    void fail_order() {
        world.replace(Charge, testing::fails_always());
        const auto options = StartOptions().id("o-1").label("city", "Ulm");
        const InstanceName order = world.start_with(ResumeOrder, options, "x");
        EXPECT_EQ(world.wait(ResumeOrder, order).outcome().status, Status::failed);
        world.replace(Charge, [](const std::string& hold) { return "paid for " + hold; });
    }
    Errc resume_refusal(const std::string& id,
                        EventNo from,
                        const RerunOptions& options = RerunOptions()) {
        const auto result = client().resume(id, from, options);
        EXPECT_FALSE(result.ok());
        return result.ok() ? Errc::unsupported : result.error().code();
    }
};

TEST_F(Resumption, WhatHappenedBeforeTheEventIsKeptAndTheCallAfterItIsMadeAgain) {
    fail_order();
    const std::size_t reserved = times("Reserve");
    const std::size_t charged = times("Charge");
    const auto started = client().resume(
        "o-1", number_of("o-1", "CommandFailed"), RerunOptions().id("o-2").started_by("ann"));
    ASSERT_TRUE(started.ok() && started->created);
    const InstanceInfo before = info("o-2");
    EXPECT_EQ(before.status, Status::running);
    EXPECT_EQ(before.labels.at("city"), LabelValue("Ulm"));
    EXPECT_EQ(before.labels.at(kResumeLabel), LabelValue("o-1"));
    EXPECT_EQ(Codec<std::string>::decode(*before.custom_status), "reserving");
    EXPECT_EQ(client().value<std::string>("o-2", "hold").or_throw(), "held x");
    EXPECT_EQ(result("o-2"), "held x, paid for held x");
    EXPECT_EQ(times("Reserve"), reserved);
    EXPECT_EQ(times("Charge"), charged + 1);
    EXPECT_EQ(info("o-1").status, Status::failed);
}

TEST_F(Resumption, AllEventsOfATurnAreLeftOutTogether) {
    fail_order();
    // The first answer came in the turn that scheduled the charge and the pause.
    const EventNo scheduled = number_of("o-1", "TimerScheduled");
    ASSERT_TRUE(client().resume("o-1", scheduled, RerunOptions().id("o-2")).ok());
    const std::size_t reserved = times("Reserve");
    EXPECT_EQ(result("o-2"), "held x, paid for held x");
    EXPECT_EQ(times("Reserve"), reserved + 1);
}

TEST_F(Resumption, AnOpenTimerHasTheTimeThatWasLeft) {
    fail_order();
    world.advance(100h);
    ASSERT_TRUE(
        client().resume("o-1", number_of("o-1", "CommandFailed"), RerunOptions().id("o-2")).ok());
    const Timestamp begun = world.now();
    (void)result("o-2");
    EXPECT_EQ(world.now() - begun, 1h);
}

TEST_F(Resumption, AResumedRunIsResumedAgainExportedAndImported) {
    fail_order();
    const EventNo at = number_of("o-1", "CommandFailed");
    ASSERT_TRUE(client().resume("o-1", at, RerunOptions().id("o-2")).ok());
    (void)result("o-2");
    ASSERT_TRUE(
        client().resume("o-2", number_of("o-2", "TimerScheduled"), RerunOptions().id("o-3")).ok());
    EXPECT_EQ(result("o-3"), "held x, paid for held x");
    const std::string exported = world.exported(InstanceName{"default", "o-3"});
    ImportOptions options;
    options.id("copy");
    EXPECT_TRUE(client().import_instance(exported, options).ok());
}

TEST_F(Resumption, ChildrenThatCompletedAreKeptAndOpenOnesAreStartedBelowTheNewRun) {
    const InstanceName tree = world.start_with(ResumeTree, StartOptions().id("t-1"));
    world.raise(tree, "word", std::string("two"));
    EXPECT_EQ(world.wait(ResumeTree, tree).value(),
              "held one, paid for held one; held two, paid for held two");
    const std::size_t reserved = times("Reserve");
    // Before the second child was completed.
    EventNo last = 0;
    for (const TimelineEntry& entry : client().timeline("t-1").or_throw().entries) {
        if (entry.text.starts_with("CommandCompleted")) last = entry.event;
    }
    ASSERT_TRUE(client().resume("t-1", last, RerunOptions().id("t-2")).ok());
    EXPECT_EQ(world.wait(ResumeTree, InstanceName{"default", "t-2"}).value(),
              "held one, paid for held one; held two, paid for held two");
    EXPECT_EQ(times("Reserve"), reserved + 1);
    const auto children =
        client().service().ask(requests::ListChildren{info("t-2").run}).or_throw();
    ASSERT_EQ(children.size(), 1U);
    EXPECT_TRUE(children.front().name.id.starts_with("t-2/"));
    EXPECT_TRUE(client().inspect(children.front().name)->on_fail.has_value());
}

TEST_F(Resumption, ARunThatWaitedForAnEventWaitsAgain) {
    const InstanceName tree = world.start_with(ResumeTree, StartOptions().id("t-1"));
    world.advance(3h);
    world.raise(tree, "word", std::string("two"));
    (void)world.wait(ResumeTree, tree);
    ASSERT_TRUE(
        client().resume("t-1", number_of("t-1", "MessageReceived"), RerunOptions().id("t-2")).ok());
    const InstanceName again{"default", "t-2"};
    world.advance(3h);
    EXPECT_EQ(world.status(again), Status::running);
    world.raise(again, "word", std::string("three"));
    EXPECT_EQ(world.wait(ResumeTree, again).value(),
              "held one, paid for held one; held three, paid for held three");
}

TEST_F(Resumption, EventsThatCannotBeResumedFromAreRefused) {
    fail_order();
    EXPECT_EQ(resume_refusal("o-1", 0), Errc::invalid_argument);
    EXPECT_EQ(resume_refusal("o-1", 2), Errc::invalid_argument);
    EXPECT_EQ(resume_refusal("o-1", 10'000), Errc::invalid_argument);
    EXPECT_EQ(resume_refusal("o-9", 5), Errc::not_found);
    const EventNo at = number_of("o-1", "CommandFailed");
    EXPECT_EQ(resume_refusal("o-1", at, RerunOptions().delay(1h)), Errc::invalid_argument);
    EXPECT_EQ(resume_refusal("o-1", at, RerunOptions().id(std::string(300, 'x'))),
              Errc::limit_exceeded);
    (void)world.wait(RerunCountdown, world.start_with(RerunCountdown, StartOptions().id("c-1"), 1));
    EXPECT_EQ(resume_refusal("c-1", 3), Errc::invalid_argument);
    (void)world.start_with(ResumeOrder, StartOptions().id("o-3"), "y");
    EXPECT_EQ(resume_refusal("o-3", 4), Errc::still_running);
}

TEST_F(Resumption, ARunIsNotResumedFromBehindItsCancel) {
    const InstanceName order = world.start_with(ResumeOrder, StartOptions().id("o-1"), "x");
    world.run_until_idle();
    world.cancel(order, "stop");
    (void)world.wait(ResumeOrder, order);
    const EventNo canceled = number_of("o-1", "CancelRequested");
    ASSERT_TRUE(client().resume("o-1", canceled, RerunOptions().id("o-2")).ok());
    EXPECT_EQ(result("o-2"), "held x, paid for held x");
}

TEST_F(Resumption, ARepeatedRequestResumesOnce) {
    fail_order();
    const EventNo at = number_of("o-1", "CommandFailed");
    const auto options = RerunOptions().request_id("click-1");
    const auto first = client().resume("o-1", at, options);
    const auto second = client().resume("o-1", at, options);
    ASSERT_TRUE(first.ok() && second.ok());
    EXPECT_EQ(first->instance.run, second->instance.run);
    EXPECT_EQ(result(first->instance.name.id), "held x, paid for held x");
}

// ---- From an event of a run that continued as new ----------------------------------------------

class ResumedRounds : public Resumption {
protected:
    ResumedRounds() {
        world.replace(Charge, testing::fails_always());
        const InstanceName run = world.start_with(ResumeRounds, StartOptions().id("r-1"), 0);
        world.enqueue(run, "words", std::string("x"));
        EXPECT_EQ(world.wait(ResumeRounds, run).outcome().status, Status::failed);
        world.replace(Charge, [](const std::string& hold) { return "paid for " + hold; });
    }
    std::string rounds(const std::string& id) {
        return world.wait(ResumeRounds, InstanceName{"default", id}).value();
    }
};

TEST_F(ResumedRounds, TheLastExecutionHasWhatItTookAlong) {
    ASSERT_EQ(info("r-1").execution, 2U);
    const std::size_t reserved = times("Reserve");
    const EventNo failed = number_of("r-1", "CommandFailed");
    ASSERT_TRUE(client().resume("r-1", failed, RerunOptions().id("r-2")).ok());
    EXPECT_EQ(info("r-2").execution, 1U);
    EXPECT_EQ(Codec<std::string>::decode(*info("r-2").custom_status), "begun");
    EXPECT_EQ(client().value<std::string>("r-2", "hold").or_throw(), "kept");
    EXPECT_EQ(rounds("r-2"), "kept; held x, paid for held x; paid for x");
    EXPECT_EQ(times("Reserve"), reserved + 1);
}

TEST_F(ResumedRounds, AMessageThatWasTakenAlongIsReceived) {
    // Before the turn that received it.
    const EventNo fired = number_of("r-1", "CommandCompleted");
    ASSERT_TRUE(client().resume("r-1", fired, RerunOptions().id("r-2")).ok());
    EXPECT_EQ(rounds("r-2"), "kept; held x, paid for held x; paid for x");
}

TEST_F(ResumedRounds, AnEarlierExecutionGoesOnFromItsEvent) {
    const EventNo fired = number_of("r-1", "CommandCompleted", 1);
    ASSERT_TRUE(client().resume("r-1", 1, fired, RerunOptions().id("r-2")).ok());
    EXPECT_EQ(rounds("r-2"), "kept; held x, paid for held x; paid for x");
    EXPECT_EQ(info("r-2").execution, 2U);
}

TEST_F(ResumedRounds, ARerunOfTheResumedRunBeginsWithTheInputOfItsExecution) {
    const EventNo fired = number_of("r-1", "CommandCompleted");
    ASSERT_TRUE(client().resume("r-1", fired, RerunOptions().id("r-2")).ok());
    (void)rounds("r-2");
    ASSERT_TRUE(client().rerun("r-2", RerunOptions().id("r-3")).ok());
    world.enqueue(InstanceName{"default", "r-3"}, "words", std::string("y"));
    EXPECT_EQ(rounds("r-3"), "lost; held y, paid for held y; paid for y");
}

TEST_F(ResumedRounds, ExecutionsThatCannotBeResumedFromAreRefused) {
    const auto refusal_of = [this](ExecutionNo execution, EventNo event) {
        return client().resume("r-1", execution, event).error();
    };
    EXPECT_EQ(refusal_of(3, 4).code(), Errc::invalid_argument);
    EXPECT_NE(refusal_of(2, 2).message().find("begins execution 2"), std::string::npos);
    EXPECT_NE(refusal_of(1, 900).message().find("of execution 1"), std::string::npos);
    ASSERT_TRUE(client().prune_executions("r-1", PruneOptions().keep_last(1)).ok());
    EXPECT_EQ(refusal_of(1, 4).code(), Errc::not_found);
}

}  // namespace
}  // namespace belay
