#include "workloads.hpp"

#include <stdexcept>
#include <utility>
#include <vector>

namespace belay::bench {

namespace {

Orchestration<std::int64_t> single(OrchestrationContext ctx, std::int64_t value) {
    co_return co_await ctx.call(Step, value);
}

Orchestration<std::int64_t> sequence(OrchestrationContext ctx, std::int64_t length) {
    std::int64_t value = 0;
    for (std::int64_t i = 0; i < length; ++i) value = co_await ctx.call(Step, value);
    co_return value;
}

Orchestration<std::int64_t> wide_join(OrchestrationContext ctx, std::int64_t width) {
    std::vector<Call<std::int64_t>> calls;
    for (std::int64_t i = 0; i < width; ++i) calls.push_back(ctx.call(Step, i));
    const std::vector<std::int64_t> values = co_await ctx.join(std::move(calls));
    std::int64_t sum = 0;
    for (const std::int64_t value : values) sum += value;
    co_return sum;
}

Orchestration<std::int64_t> fanout(OrchestrationContext ctx, std::int64_t /*value*/) {
    co_return co_await wide_join(ctx, 5);
}

Orchestration<std::int64_t> chain(OrchestrationContext ctx, std::int64_t /*value*/) {
    co_return co_await sequence(ctx, 10);
}

Orchestration<std::int64_t> waiting(OrchestrationContext ctx, std::int64_t value) {
    co_return value + co_await ctx.wait<std::int64_t>("go on");
}

Orchestration<std::int64_t> successor(OrchestrationContext /*ctx*/, std::int64_t value) {
    co_return value + 1;
}

Orchestration<std::int64_t> helper_loop(OrchestrationContext ctx, std::int64_t times) {
    std::int64_t value = 0;
    for (std::int64_t i = 0; i < times; ++i) value = co_await successor(ctx, value);
    co_return value;
}

Orchestration<std::int64_t> retry(OrchestrationContext ctx, std::int64_t value) {
    const CallOptions options = CallOptions().retry(RetryPolicy::fixed(Millis(0)));
    co_return co_await ctx.call(Flaky.with(options), value);
}

Orchestration<std::int64_t> parent(OrchestrationContext ctx, std::int64_t value) {
    co_return co_await ctx.call(Leaf, value);
}

Orchestration<std::int64_t> leaf(OrchestrationContext /*ctx*/, std::int64_t value) {
    co_return value;
}

Orchestration<std::int64_t> values(OrchestrationContext ctx, std::int64_t value) {
    for (const char* key : {"first", "second", "third"}) ctx.set_value(key, value);
    co_return co_await ctx.call(Step, value);
}

Orchestration<std::int64_t> consumer(OrchestrationContext ctx, std::int64_t /*value*/) {
    co_return co_await ctx.receive<std::int64_t>(kQueue);
}

}  // namespace

Registry orchestrations() {
    Registry registry;
    registry.add(Single, single);
    registry.add(Fanout, fanout);
    registry.add(Chain, chain);
    registry.add(Sequence, sequence);
    registry.add(WideJoin, wide_join);
    registry.add(Waiting, waiting);
    registry.add(HelperLoop, helper_loop);
    registry.add(Retry, retry);
    registry.add(Parent, parent);
    registry.add(Leaf, leaf);
    registry.add(Values, values);
    registry.add(Consumer, consumer);
    return registry;
}

Registry code_without_effects() {
    Registry registry = orchestrations();
    registry.add(Step, [](std::int64_t value) { return value; });
    registry.add(Flaky, [](ActivityContext& ctx, std::int64_t value) {
        if (ctx.attempt() == 1) throw std::runtime_error("not yet");
        return value;
    });
    return registry;
}

}  // namespace belay::bench
