// Starts that share a commit with the first turn of what they start.
#include "world.hpp"
#include <belay/store/operations.hpp>

namespace belay::runtime_tests::starts {
namespace {

using namespace std::chrono_literals;

Orchestration<std::string> says_when_it_began(OrchestrationContext ctx, std::string input) {
    const Timestamp began = ctx.now();
    co_await ctx.call(Work, input);
    co_return std::to_string(to_unix_ms(began));
}

using Starts = World;

/// The client did not hear of the first one. The first turn that was sent is recorded, so
/// the coroutine of the second, which has seen another time, must not go on.
TEST_F(Starts, OneThatIsSentAgainGoesOnFromTheTurnThatIsRecorded) {
    Process& p = process(registry_with(says_when_it_began));
    NewInstance made;
    made.name = {"default", "i1"};
    made.run = RunRef{shard_of(made.name.id), RunKey{77}};
    made.definition = Main.name();
    made.input = detail::encode_arguments<std::string>("x");
    const Transition start{CommitId{1, 2}, {op::start(made)}};

    const std::int64_t began = to_unix_ms(inner->now());
    std::vector<Verdict> verdicts;
    const auto keep = [&](const Result<std::vector<Answer>>& answers) {
        ASSERT_TRUE(answers.ok());
        verdicts.push_back(answers->front().verdict);
    };
    p.runtime->store().commit({start}, keep);
    settle();
    clock.advance(7ms);
    p.runtime->store().commit({start}, keep);
    settle();
    EXPECT_EQ(verdicts, (std::vector<Verdict>{Verdict::applied, Verdict::already_applied}));
    ASSERT_EQ(p.executor.count(), 1U);
    p.executor.finish(0);
    settle();

    const auto outcome = client.outcome(made.name);
    ASSERT_TRUE(outcome.ok());
    ASSERT_EQ(outcome->status, Status::completed);
    EXPECT_EQ(outcome->output.bytes, std::to_string(began));
}

}  // namespace
}  // namespace belay::runtime_tests::starts
