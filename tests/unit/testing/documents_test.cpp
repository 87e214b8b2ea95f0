// Runs that are interpreted by a document.
#include "shop.hpp"
#include <belay/requests/finding.hpp>
#include <belay/testing/replay.hpp>

#include <memory>
#include <stdexcept>
#include <string>
#include <utility>

namespace belay::testing_tests {
namespace {

/// Its name is known at run time only.
using Any = Definition<Payload(Payload)>;

ChildOptions with_document(std::string id) {
    ChildOptions options;
    options.id(std::move(id)).with_document();
    return options;
}

/// Does what the document says: "call Greet", "child part", "skip nothing to do".
Orchestration<Payload> interpret(OrchestrationContext ctx, std::string document, Payload input) {
    const std::size_t space = document.find(' ');
    const std::string verb = document.substr(0, space);
    const std::string what = space == std::string::npos ? "" : document.substr(space + 1);
    if (const auto failure = ctx.take_failure()) {
        co_return Payload::text("after: " + failure->message);
    }
    if (input.bytes == "broken") throw std::runtime_error("it is broken");
    if (input.bytes == "leaf") co_return Payload::text("a leaf of '" + document + "'");
    if (verb == "call") {
        const Activity<Payload(Payload)> activity(what);
        co_return co_await ctx.call(activity, input);
    }
    if (verb == "child") {
        const Any definition(what);
        const Payload leaf = Payload::text("leaf");
        co_return co_await ctx.call(definition.with(with_document(what)), leaf);
    }
    if (verb == "guarded") {
        ChildOptions options = with_document("part");
        options.on_fail();
        co_return co_await ctx.call(Any(what).with(options), Payload::text("broken"));
    }
    if (verb == "plain") {
        const Any definition(what);
        co_return co_await ctx.call(definition, input);
    }
    if (verb == "detached") {
        ChildOptions options;
        options.with_document();
        ctx.start_detached(Any("other").with(options), what, Payload::text("leaf"));
        co_return Payload::text("started");
    }
    if (verb == "detached-guarded") {
        ChildOptions options;
        options.with_document().on_fail();
        ctx.start_detached(Any("other").with(options), what, Payload::text("broken"));
        co_return Payload::text("started");
    }
    if (verb == "skip") throw SkipRun(what);
    if (verb == "again" && ctx.execution() < 3) {
        co_return ctx.continue_as_new(Any(ctx.definition()), input);
    }
    if (verb == "fail") throw std::runtime_error(what);
    co_return Payload::text("execution " + std::to_string(ctx.execution()));
}

/// Refuses a document without a verb.
OrchestrationHandler compile(const Payload& document) {
    if (document.bytes.empty()) throw std::invalid_argument("the document is empty");
    return [text = document.bytes](OrchestrationContext ctx,
                                   const Payload& input) -> std::unique_ptr<detail::Root> {
        return std::make_unique<detail::RootOf<Payload>>(interpret(std::move(ctx), text, input));
    };
}

Registry interpreter() {
    Registry registry;
    registry.set_interpreter(compile);
    registry.add(Activity<Payload(Payload)>("Greet"),
                 [](const Payload& whom) { return Payload::text("hello " + whom.bytes); });
    return registry;
}

StartOptions with(const std::string& id, const std::string& document) {
    return StartOptions().id(id).document(Payload::text(document));
}

Ended<Payload> run(World& world, const std::string& document) {
    const InstanceName name =
        world.start_with(Any("greeting"), with("a", document), Payload::text("you"));
    return world.wait(Any("greeting"), name);
}

std::string result_of(World& world, const std::string& id) {
    const Result<Outcome> outcome = world.client().outcome(id);
    return outcome ? outcome->output.bytes : outcome.error().describe();
}

TEST(Documents, ARunDoesWhatItsDocumentSays) {
    World world(interpreter());
    EXPECT_EQ(run(world, "call Greet").value(), Payload::text("hello you"));
    const Result<InstanceInfo> info = world.client().inspect("a");
    ASSERT_TRUE(info.ok());
    EXPECT_EQ(info->definition, "greeting");
    EXPECT_EQ(info->document_number, 1U);
    ASSERT_TRUE(info->document.has_value());
    EXPECT_EQ(world.client().document(*info->document).value(), Payload::text("call Greet"));
    const auto all = world.client().documents(requests::ListDocuments());
    ASSERT_EQ(all->size(), 1U);
    EXPECT_EQ(all->front().runs, 1U);
    EXPECT_EQ(all->front().head.name, "greeting");
    EXPECT_EQ(world.client().document(Digest()).error().code(), Errc::not_found);
}

TEST(Documents, AnInterpreterMayPrepareNothing) {
    Registry registry;
    registry.set_interpreter([](OrchestrationContext ctx,
                                const Payload& document,
                                const Payload& input) -> std::unique_ptr<detail::Root> {
        return std::make_unique<detail::RootOf<Payload>>(
            interpret(std::move(ctx), document.bytes, input));
    });
    World world(std::move(registry));
    EXPECT_EQ(run(world, "say").value(), Payload::text("execution 1"));
}

TEST(Documents, AChildCanHaveTheDocumentOfItsParent) {
    World world(interpreter());
    EXPECT_EQ(run(world, "child part").value(), Payload::text("a leaf of 'child part'"));
    EXPECT_EQ(world.client().inspect("a/part")->document, world.client().inspect("a")->document);
}

TEST(Documents, AChildWithoutOneIsCode) {
    World world(interpreter());
    world.add(Definition<Payload(Payload)>("Code"),
              [](OrchestrationContext, Payload input) -> Orchestration<Payload> {
                  co_return Payload::text("code for " + input.bytes);
              });
    EXPECT_EQ(run(world, "plain Code").value(), Payload::text("code for you"));
}

TEST(Documents, ADetachedRunCanHaveIt) {
    World world(interpreter());
    EXPECT_EQ(run(world, "detached b").value(), Payload::text("started"));
    world.run_until_idle();
    EXPECT_EQ(result_of(world, "b"), "a leaf of 'detached b'");
}

TEST(Documents, TheNextExecutionHasIt) {
    World world(interpreter());
    EXPECT_EQ(run(world, "again").value(), Payload::text("execution 3"));
}

TEST(Documents, ADocumentThatCannotBeReadFailsItsRuns) {
    World world(interpreter());
    const Ended<Payload> ended = run(world, "");
    ASSERT_EQ(ended.outcome().status, Status::failed);
    EXPECT_EQ(ended.outcome().failure.message, "the input cannot be used: the document is empty");
}

TEST(Documents, ASkippedRunSaysWhy) {
    World world(interpreter());
    const Ended<Payload> ended = run(world, "skip nothing to do");
    EXPECT_EQ(ended.outcome().status, Status::skipped);
    EXPECT_EQ(ended.outcome().skip_reason, "nothing to do");
    EXPECT_THROW((void)ended.value(), OperationFailed);
}

TEST(Documents, ASkippedRunThatIsCanceledIsCanceled) {
    World world(interpreter());
    world.add(Definition<void()>("Skips"), [](OrchestrationContext ctx) -> Orchestration<void> {
        bool canceled = false;
        try {
            co_await ctx.timer(std::chrono::hours(1));
        } catch (const Canceled&) {
            canceled = true;
        }
        if (canceled) throw SkipRun("canceled anyway");
    });
    const InstanceName name = world.start(Definition<void()>("Skips"));
    world.run_until_idle();
    world.cancel(name, "enough");
    EXPECT_EQ(world.wait(Definition<void()>("Skips"), name).outcome().status, Status::canceled);
}

TEST(Documents, AParentIsToldThatItsChildWasSkipped) {
    World world(interpreter());
    world.add(Definition<Payload(Payload)>("Skips"),
              [](OrchestrationContext, Payload) -> Orchestration<Payload> {
                  throw SkipRun("not today");
                  co_return Payload();
              });
    EXPECT_EQ(run(world, "plain Skips").value(), Payload(PayloadCodec::skipped, "not today"));
    EXPECT_EQ(world.status({"default", "a/1"}), Status::skipped);
}

TEST(Documents, AReasonThatIsTooLongFails) {
    World world(interpreter(), WorldOptions().limits([] {
        Limits limits;
        limits.reason_bytes = 4;
        return limits;
    }()));
    EXPECT_EQ(run(world, "skip nothing to do").outcome().failure.kind, FailureKind::limit);
}

TEST(Documents, AFailureStartsTheRunForIt) {
    World world(interpreter());
    const InstanceName name = world.start_with(
        Any("greeting"), with("a", "fail no stock").on_fail(), Payload::text("you"));
    EXPECT_EQ(world.wait(Any("greeting"), name).outcome().status, Status::failed);
    world.run_until_idle();
    EXPECT_EQ(result_of(world, "a/~on-fail"), "after: no stock");
    EXPECT_EQ(world.client().inspect("a/~on-fail")->on_fail_of, world.client().inspect("a")->run);
}

TEST(Documents, AFailureOfAChildStartsTheRunForIt) {
    World world(interpreter());
    const auto outcome = run(world, "guarded other").outcome();
    EXPECT_EQ(outcome.failure.message, "it is broken");
    world.run_until_idle();
    EXPECT_EQ(result_of(world, "a/part/~on-fail"), "after: it is broken");
    EXPECT_EQ(world.client().inspect("a/part/~on-fail")->on_fail_of,
              world.client().inspect("a/part")->run);
    EXPECT_FALSE(world.client().inspect("a/~on-fail").ok()) << "its own was not asked for";
}

TEST(Documents, AFailureOfADetachedRunStartsTheRunForIt) {
    World world(interpreter());
    EXPECT_EQ(run(world, "detached-guarded away").value(), Payload::text("started"));
    world.run_until_idle();
    EXPECT_EQ(result_of(world, "away/~on-fail"), "after: it is broken");
}

TEST(Documents, NobodyElseRaisesAFailure) {
    World world(interpreter());
    const InstanceName name =
        world.start_with(Any("greeting"), with("a", "say"), Payload::text("you"));
    EXPECT_THROW(world.raise(name, std::string(kRunFailedEvent)), Problem);
}

TEST(Documents, WithoutAnInterpreterTheWorldSaysSo) {
    World world;
    try {
        (void)run(world, "say");
        FAIL();
    } catch (const Problem& problem) {
        EXPECT_NE(std::string(problem.what()).find("nothing interprets it"), std::string::npos)
            << problem.what();
    }
}

TEST(Documents, AnExportedRunIsReplayedWithItsDocument) {
    World world(interpreter());
    (void)run(world, "child part");
    const std::string document = world.exported({"default", "a"});
    EXPECT_TRUE(testing::replay(document, interpreter()).ok());
    const Result<void> without = testing::replay(document, Registry());
    ASSERT_FALSE(without.ok());
    EXPECT_EQ(without.error().code(), Errc::not_found);
    Registry other;
    other.set_interpreter([](OrchestrationContext ctx,
                             const Payload&,
                             const Payload& input) -> std::unique_ptr<detail::Root> {
        return std::make_unique<detail::RootOf<Payload>>(
            interpret(std::move(ctx), "call Greet", input));
    });
    const Result<void> changed = testing::replay(document, other);
    ASSERT_FALSE(changed.ok());
    EXPECT_EQ(changed.error().code(), Errc::nondeterminism);
}

TEST(Documents, AnImportBringsTheDocument) {
    World world(interpreter());
    (void)run(world, "call Greet");
    const std::string document = world.exported({"default", "a"});
    World other(interpreter());
    ASSERT_TRUE(other.client().import_instance(document).ok());
    EXPECT_EQ(other.client().inspect("a")->document, world.client().inspect("a")->document);
    EXPECT_EQ(other.exported({"default", "a"}), document);

    std::string forged = document;
    forged.replace(forged.find("call Greet"), 10, "call Other");
    const auto refused = other.client().import_instance(forged);
    ASSERT_FALSE(refused.ok());
    EXPECT_EQ(refused.error().code(), Errc::invalid_argument);
}

}  // namespace
}  // namespace belay::testing_tests
