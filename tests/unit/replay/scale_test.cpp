// Sizes: nothing here may cost more than linear time or a deep stack, with any compiler and
// sanitizer.
#include "model/encoding.hpp"
#include "unit/replay/harness.hpp"

namespace belay::replay::scale_tests {
namespace {

Limits large() {
    Limits limits;
    limits.history_events = 10'000'000;
    limits.open_commands = 1'000'000;
    limits.buffered_messages = 1'000'000;
    return limits;
}

/// An execution alone, without the doubles of a Scenario.
class Alone {
public:
    template <class R, class... Params>
    explicit Alone(Orchestration<R> (*code)(OrchestrationContext, Params...)) {
        registry_.add(Definition<R(Params...)>{kDefinition}, code);
        execution_ = make();
    }

    void start(Payload input = {}) {
        execution_->begin_turn(from_unix_ms(1), input);
        keep();
    }
    bool apply(MessageKind kind, CommandNo command, Payload payload = {}) {
        return execution_->apply(NewMessage{kind, 1, command, "", std::move(payload)});
    }
    void raise(const std::string& name) {
        execution_->apply(NewMessage{MessageKind::event_raised, 0, 0, name, Payload()});
    }
    void keep() {
        const auto recorded = execution_->take_recorded();
        history_.insert(history_.end(), recorded.begin(), recorded.end());
    }
    /// Replaces the execution by one made from history.
    void evict() {
        keep();
        execution_ = make();
        const Result<void> same = execution_->replay(history_);
        ASSERT_TRUE(same.ok()) << same.error().describe();
        ASSERT_EQ(execution_->position(), history_.size());
    }
    [[nodiscard]] Execution& execution() { return *execution_; }
    [[nodiscard]] const std::vector<model::Event>& history() const { return history_; }
    template <class T>
    [[nodiscard]] T result() const {
        EXPECT_TRUE(execution_->outcome().has_value());
        if (!execution_->outcome()) return T();
        return Codec<T>::decode(execution_->outcome()->output);
    }

private:
    [[nodiscard]] std::unique_ptr<Execution> make() const {
        return std::make_unique<Execution>(registry_.orchestration(kDefinition)->handler,
                                           Identity{{"", kInstance}, 1, kDefinition, "1"},
                                           large());
    }

    Registry registry_;
    std::unique_ptr<Execution> execution_;
    std::vector<model::Event> history_;
};

Orchestration<int> one(OrchestrationContext /*ctx*/) { co_return 1; }
Orchestration<int> million_helpers(OrchestrationContext ctx) {
    int sum = 0;
    for (int i = 0; i < 1'000'000; ++i) sum += co_await one(ctx);
    co_return sum;
}

TEST(Scale, AMillionAwaitsOfHelpers) {
    Alone run(million_helpers);
    run.start();
    EXPECT_EQ(run.result<int>(), 1'000'000);
}

Orchestration<int> sequence(OrchestrationContext ctx) {
    int sum = 0;
    for (int i = 0; i < 100'000; ++i) sum += co_await ctx.call(Count, i);
    co_return sum;
}

TEST(Scale, AHundredThousandActivitiesInSequenceAndTheirReplay) {
    Alone run(sequence);
    run.start();
    for (CommandNo i = 1; i <= 100'000; ++i) {
        run.apply(MessageKind::activity_completed, i, Codec<int>::encode(1));
    }
    EXPECT_EQ(run.result<int>(), 100'000);
    run.evict();
    EXPECT_EQ(run.result<int>(), 100'000);
}

Orchestration<int> fan_out(OrchestrationContext ctx, int count) {
    std::vector<Call<int>> calls;
    for (int i = 0; i < count; ++i) calls.push_back(ctx.call(Count, i));
    int sum = 0;
    for (const int value : co_await ctx.join(std::move(calls))) sum += value;
    co_return sum;
}

TEST(Scale, AJoinOfTenThousandIsReplayedInOneGo) {
    Alone run(fan_out);
    run.start(Codec<int>::encode(10'000));
    for (CommandNo i = 10'000; i > 0; --i) {
        run.apply(MessageKind::activity_completed, i, Codec<int>::encode(2));
    }
    EXPECT_EQ(run.result<int>(), 20'000);
    run.evict();
    EXPECT_EQ(run.result<int>(), 20'000);
}

TEST(Scale, AJoinOf1024DoesNotHangAfterReplay) {  // W1.
    for (const CommandNo done : {0U, 1U, 29U, 30U, 31U, 1'023U}) {
        Alone run(fan_out);
        run.start(Codec<int>::encode(1'024));
        for (CommandNo i = 1; i <= done; ++i) {
            run.apply(MessageKind::activity_completed, i, Codec<int>::encode(1));
        }
        run.evict();
        EXPECT_FALSE(run.execution().finished());
        for (CommandNo i = done + 1; i <= 1'024; ++i) {
            run.apply(MessageKind::activity_completed, i, Codec<int>::encode(1));
        }
        EXPECT_EQ(run.result<int>(), 1'024);
    }
}

TEST(Scale, AFailureInAJoinOfTenThousandCancelsAllOthers) {
    Alone run(fan_out);
    run.start(Codec<int>::encode(10'000));
    run.apply(
        MessageKind::activity_failed, 10'000, model::to_payload(Failure{.message = "broken"}));
    run.keep();
    EXPECT_EQ(run.execution().outcome()->status, Status::failed);
    std::size_t canceled = 0;
    for (const model::Event& event : run.history()) {
        canceled += std::holds_alternative<model::CommandCanceled>(event) ? 1U : 0U;
    }
    EXPECT_EQ(canceled, 9'999U);
    run.evict();
}

TEST(Scale, ACancelOfTenThousandOpenActivities) {
    Alone run(fan_out);
    run.start(Codec<int>::encode(10'000));
    run.execution().apply_cancel(CancelRecord{.reason = "stop"});
    EXPECT_EQ(run.execution().outcome()->status, Status::canceled);
    EXPECT_EQ(run.execution().open_commands(), 0U);
    run.evict();
}

Orchestration<int> select_of_many(OrchestrationContext ctx) {
    std::vector<Call<int>> calls;
    for (int i = 0; i < 10'000; ++i) calls.push_back(ctx.call(Count, i));
    co_return static_cast<int>((co_await ctx.select(std::move(calls))).index());
}

TEST(Scale, ASelectOfTenThousand) {
    Alone run(select_of_many);
    run.start();
    run.apply(MessageKind::activity_completed, 7'000, Codec<int>::encode(1));
    EXPECT_EQ(run.result<int>(), 6'999);
    run.evict();
}

Orchestration<int> helper(OrchestrationContext ctx, int value) {
    const int a = co_await ctx.call(Count, value);
    co_return a + co_await ctx.call(Count, a);
}
Orchestration<int> many_helpers(OrchestrationContext ctx) {
    std::vector<Orchestration<int>> helpers;
    for (int i = 0; i < 10'000; ++i) helpers.push_back(helper(ctx, i));
    int sum = 0;
    for (const int value : co_await ctx.join(std::move(helpers))) sum += value;
    co_return sum;
}

TEST(Scale, AJoinOfTenThousandHelpers) {
    Alone run(many_helpers);
    run.start();
    for (CommandNo i = 1; i <= 20'000; ++i) {
        run.apply(MessageKind::activity_completed, i, Codec<int>::encode(1));
    }
    EXPECT_EQ(run.result<int>(), 20'000);
    run.evict();
}

TEST(Scale, TenThousandHelpersAreDestroyedWhereTheyWait) {
    Alone run(many_helpers);
    run.start();
    EXPECT_EQ(run.execution().open_commands(), 10'000U);
}

Orchestration<int> waits_on_one_channel(OrchestrationContext ctx) {
    {
        std::vector<Future<void>> dropped;
        for (int i = 0; i < 20'000; ++i) dropped.push_back(ctx.start(ctx.wait<void>("go")));
        co_await ctx.call(Ping);
    }
    std::vector<Call<void>> waits;
    for (int i = 0; i < 20'000; ++i) waits.push_back(ctx.wait<void>("go"));
    co_return static_cast<int>((co_await ctx.join(std::move(waits))).size());
}

TEST(Scale, TwentyThousandWaitsOnOneChannelDroppedAndServed) {
    Alone run(waits_on_one_channel);
    run.start();
    run.apply(MessageKind::activity_completed, 20'001);
    for (int i = 0; i < 20'000; ++i) run.raise("go");
    EXPECT_EQ(run.result<int>(), 20'000);
    run.evict();
}

Orchestration<int> nest(OrchestrationContext ctx, int depth) {
    if (depth == 0) {
        co_await ctx.call(Ping);
        co_return 0;
    }
    const int below = co_await nest(ctx, depth - 1);
    co_return below + 1;
}
Orchestration<int> deepest(OrchestrationContext ctx) {
    co_return co_await nest(ctx, static_cast<int>(Limits().helper_depth) - 1);
}

TEST(Scale, TheDeepestNestOfHelpersRuns) {
    Alone run(deepest);
    run.start();
    run.apply(MessageKind::activity_completed, 1);
    EXPECT_EQ(run.result<int>(), 499);
}

TEST(Scale, TheDeepestNestOfHelpersIsDestroyedWhereItWaits) {
    Alone run(deepest);
    run.start();
    EXPECT_EQ(run.execution().open_commands(), 1U);
}

Orchestration<int> compensates(OrchestrationContext ctx) {
    for (int i = 0; i < 10'000; ++i) {
        (void)co_await ctx.call(Count, i);
        ctx.on_rollback(Ping);
    }
    co_return co_await ctx.call(Count, 0);
}

TEST(Scale, TenThousandCompensations) {
    Alone run(compensates);
    run.start();
    for (CommandNo i = 1; i <= 10'000; ++i) {
        run.apply(MessageKind::activity_completed, i, Codec<int>::encode(1));
    }
    run.execution().apply_cancel(CancelRecord{.reason = "stop"});
    for (CommandNo i = 10'002; i <= 20'001; ++i) {
        ASSERT_TRUE(run.apply(MessageKind::activity_completed, i));
    }
    EXPECT_EQ(run.execution().outcome()->cleanup, Cleanup::done);
    run.evict();
}

}  // namespace
}  // namespace belay::replay::scale_tests
