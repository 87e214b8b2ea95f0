// Runs that have a document: claimed by interpreters, and started where the text comes from.
#include "world.hpp"
#include <belay/store/operations.hpp>

#include <memory>
#include <string>
#include <utility>

namespace belay::runtime_tests::documents {
namespace {

using namespace std::chrono_literals;

Orchestration<std::string> interpret(OrchestrationContext ctx, std::string document) {
    co_return co_await ctx.call(Work, document);
}

class Documents : public World {
protected:
    Registry interpreter() {
        Registry registry = activities_only();
        registry.set_interpreter([this](const Payload& document) -> OrchestrationHandler {
            ++compiled;
            return [text = document.bytes](OrchestrationContext ctx, const Payload&) {
                return std::make_unique<detail::RootOf<std::string>>(
                    interpret(std::move(ctx), text));
            };
        });
        return registry;
    }
    InstanceName start(const std::string& id) {
        const auto started = client.start(
            "anything", Payload(), StartOptions().id(id).document(Payload::text("steps")));
        EXPECT_TRUE(started.ok()) << started.error().describe();
        return {"default", id};
    }
    std::string output_of(const InstanceName& name) {
        const auto outcome = client.outcome(name);
        return outcome ? outcome->output.bytes : outcome.error().describe();
    }
    void finish_all(Process& process) {
        for (std::size_t i = 0; i < process.executor.count(); ++i) process.executor.finish(i);
        settle();
    }

    int compiled = 0;
};

TEST_F(Documents, AreReadOnceAndCompiledOnce) {
    Process& p = process(interpreter());
    const InstanceName a = start("a");
    const InstanceName b = start("b");
    settle();
    ASSERT_EQ(p.executor.count(), 2U);
    finish_all(p);
    EXPECT_EQ(output_of(a), "did steps");
    EXPECT_EQ(output_of(b), "did steps");
    EXPECT_EQ(compiled, 1);
}

TEST_F(Documents, ARunIsLeftAloneByAProcessWithoutAnInterpreter) {
    Process& without = process(registry_with(one_step));
    const InstanceName name = start("a");
    settle();
    pass(Policy().code_patience);
    EXPECT_EQ(without.executor.count(), 0U);
    EXPECT_TRUE(info(name).code_missing_since.has_value());
    Process& with = process(interpreter());
    settle();
    ASSERT_EQ(with.executor.count(), 1U) << "an interpreter takes it at once";
    finish_all(with);
    EXPECT_EQ(output_of(name), "did steps");
}

TEST_F(Documents, AStartSharesACommitWithTheFirstTurn) {
    Process& p = process(interpreter());
    Start part;
    part.instance.name = {"default", "a"};
    part.instance.run = RunRef{shard_of("a"), RunKey{77}};
    part.instance.definition = "anything";
    part.instance.document = Digest{1, 2, 3};
    part.document = Payload::text("steps");
    int answered = 0;
    p.runtime->store().commit({Transition{CommitId{1, 2}, {part}}},
                              [&](const Result<std::vector<Answer>>& answers) {
                                  ASSERT_TRUE(answers.ok());
                                  EXPECT_EQ(answers->front().verdict, Verdict::applied);
                                  EXPECT_EQ(info(part.instance.name).status, Status::running);
                                  ++answered;
                              });
    settle();
    EXPECT_EQ(answered, 1);
    ASSERT_EQ(p.executor.count(), 1U);
    finish_all(p);
    EXPECT_EQ(output_of(part.instance.name), "did steps");
}

TEST_F(Documents, ADocumentThatCannotBeReadNowIsReadLater) {
    Process& p = process(interpreter());
    const InstanceName name = start("a");
    store.fail_document_reads(1);
    settle();
    EXPECT_EQ(p.executor.count(), 0U);
    EXPECT_FALSE(info(name).code_missing_since.has_value());
    pass(Policy().retry_delay);
    ASSERT_EQ(p.executor.count(), 1U);
    finish_all(p);
    EXPECT_EQ(output_of(name), "did steps");
}

}  // namespace
}  // namespace belay::runtime_tests::documents
