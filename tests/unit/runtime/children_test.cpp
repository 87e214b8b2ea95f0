// Children: how parents and children start, end and cancel one another.
#include "world.hpp"

namespace belay::runtime_tests::children {
namespace {

using namespace std::chrono_literals;

inline constexpr Definition<std::string(std::string)> Child{"Child"};

Orchestration<std::string> child(OrchestrationContext ctx, std::string input) {
    if (input == "fail") throw std::runtime_error("it broke");
    if (input == "wait") co_return co_await ctx.wait<std::string>("go");
    if (input == "again") co_await ctx.continue_as_new(Child, std::string("fine"));
    co_return "child says " + input;
}

Orchestration<std::string> parent(OrchestrationContext ctx, std::string input) {
    co_return co_await ctx.call(Child, input).id("c");
}

/// Calls its child only in its second execution, without an explicit id.
Orchestration<std::string> parent_in_second_execution(OrchestrationContext ctx, std::string input) {
    const std::string first = co_await ctx.call(Child, std::string("fine"));
    if (input == "x") co_await ctx.continue_as_new(Main, std::string("y"));
    co_return first + input;
}

Orchestration<std::string> tries_child(OrchestrationContext ctx, std::string input) {
    const auto tried = co_await ctx.try_call(Child, input).id("c");
    co_return tried.ok() ? "ok" : std::string(to_string(tried.failure().kind));
}

class Children : public World {
protected:
    Registry family(Code main) {
        Registry registry = registry_with(main);
        registry.add(Child, child);
        return registry;
    }
    const InstanceName child_name{"default", "i1/c"};
};

TEST_F(Children, AChildsResultReachesItsParent) {
    process(family(parent));
    const auto run = start();
    settle();
    EXPECT_EQ(status(run), Status::completed);
    EXPECT_EQ(info(run).outcome->output.bytes, "child says x");
    EXPECT_EQ(info(child_name).started_by, "i1");
}

Orchestration<std::string> starts_another(OrchestrationContext ctx, std::string input) {
    ctx.start_detached(Child, "alone", input);
    co_return co_await ctx.call(Child, input).id("c");
}

TEST_F(Children, ChildrenOfARunBelongToItsOwner) {
    Process& p = process(family(starts_another));
    Client in_process(p.runtime->store(), clock);
    // By itself, and together with its first turn.
    for (Client* const starter : {&client, &in_process}) {
        starter->start(std::string(Main.name()),
                       detail::encode_arguments<std::string>("x"),
                       StartOptions().id("i1").owner("shop"),
                       [](const Result<StartResult>& started) { EXPECT_TRUE(started.ok()); });
        settle();
        const InstanceName alone{"default", "alone"};
        EXPECT_EQ(info(child_name).owner, "shop");
        EXPECT_EQ(info(alone).owner, "shop");
        EXPECT_TRUE(client.delete_instance(alone).ok());
        EXPECT_TRUE(client.delete_instance(InstanceName{"default", "i1"}).ok());
    }
}

TEST_F(Children, AVersionThatNoStoreTakesIsNotRegistered) {
    for (const std::string& version : {std::string("1\n"), std::string(256, '1')}) {
        Registry registry = registry_with(parent);
        try {
            registry.add(Child, child, version);
            FAIL() << "accepted";
        } catch (const std::invalid_argument& problem) {
            EXPECT_NE(std::string(problem.what()).find("version"), std::string::npos);
        }
    }
}

TEST_F(Children, AChildsFailureReachesItsParent) {
    process(family(parent));
    const auto run = start("i1", "fail");
    settle();
    EXPECT_EQ(status(run), Status::failed);
    EXPECT_EQ(info(run).outcome->failure.message, "it broke");
}

TEST_F(Children, AChildThatContinuesAsNewStillAnswersItsParent) {
    process(family(parent));
    const auto run = start("i1", "again");
    settle();
    EXPECT_EQ(info(run).outcome->output.bytes, "child says fine");
}

TEST_F(Children, AParentPastItsFirstExecutionGetsItsChildsAnswer) {
    process(family(parent_in_second_execution));
    const auto run = start();
    settle();
    EXPECT_EQ(status(run), Status::completed);
    EXPECT_EQ(info(run).outcome->output.bytes, "child says finey");
}

TEST_F(Children, CancelingTheParentCancelsTheChild) {
    process(family(parent));
    const auto run = start("i1", "wait");
    settle();
    ASSERT_TRUE(client.cancel(run).ok());
    settle();
    EXPECT_EQ(status(run), Status::canceled);
    EXPECT_EQ(status(child_name), Status::canceled);
    EXPECT_EQ(info(child_name).cancel->source, CancelSource::parent);
}

TEST_F(Children, TerminatingTheParentCancelsTheChild) {
    process(family(parent));
    const auto run = start("i1", "wait");
    settle();
    ASSERT_TRUE(client.terminate(run).ok());
    settle();
    EXPECT_EQ(info(run).outcome->cleanup, Cleanup::terminated);
    EXPECT_EQ(status(child_name), Status::canceled);
}

TEST_F(Children, ACanceledChildIsAFailureOfKindCanceledToItsParent) {
    process(family(tries_child));
    const auto run = start("i1", "wait");
    settle();
    ASSERT_TRUE(client.cancel(child_name).ok());
    settle();
    EXPECT_EQ(info(run).outcome->output.bytes, "canceled");
}

TEST_F(Children, ATerminatedChildIsToldToItsParent) {
    process(family(tries_child));
    const auto run = start("i1", "wait");
    settle();
    ASSERT_TRUE(client.terminate(child_name).ok());
    settle();
    EXPECT_EQ(info(run).outcome->output.bytes, "canceled");
}

TEST_F(Children, AChildWhoseIdIsInUseFailsAtOnceAndDoesNotHang) {
    process(family(tries_child));
    const auto first = start("i1", "wait");
    settle();
    // A namesake of the parent, while the old child is still there.
    const auto replaced = client.start(
        Main, StartOptions().id("i1").on_conflict(IdConflict::replace), std::string("wait"));
    ASSERT_TRUE(replaced.ok());
    settle();
    pass(2s);
    EXPECT_EQ(status({"default", "i1"}), Status::completed);
    EXPECT_EQ(info({"default", "i1"}).outcome->output.bytes, "id_in_use");
    (void)first;
}

TEST_F(Children, AnIdInUseSaysWhatToDo) {
    process(family(parent));
    start("i1", "wait");
    settle();
    ASSERT_TRUE(client
                    .start(Main,
                           StartOptions().id("i1").on_conflict(IdConflict::replace),
                           std::string("wait"))
                    .ok());
    settle();
    pass(2s);
    ASSERT_EQ(status({"default", "i1"}), Status::failed);
    EXPECT_EQ(info({"default", "i1"}).outcome->failure.message,
              "the id 'i1/c' is in use: give the child another name (ChildOptions::id) each time, "
              "or none");
}

TEST_F(Children, AChildNobodyHasTheCodeForIsCanceledWithItsParent) {
    process(registry_with(parent));
    const auto run = start("i1", "wait");
    settle();
    ASSERT_TRUE(client.cancel(run).ok());
    settle();
    EXPECT_EQ(status(run), Status::canceled);
    EXPECT_EQ(status(child_name), Status::canceled);
}

TEST_F(Children, AFamilyIsDeletedFromItsRootOnly) {
    process(family(parent));
    const auto run = start();
    settle();
    EXPECT_EQ(client.delete_instance(child_name).error().code(), Errc::has_parent);
    const auto counts = client.delete_instance(run);
    ASSERT_TRUE(counts.ok());
    EXPECT_EQ(counts->instances, 2U);
    EXPECT_EQ(client.inspect(child_name).error().code(), Errc::not_found);
}

}  // namespace
}  // namespace belay::runtime_tests::children
