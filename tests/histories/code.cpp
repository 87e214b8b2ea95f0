#include "histories/code.hpp"

#include "flow/flow_code.hpp"
#include <belay/schedules.hpp>

#include <chrono>
#include <stdexcept>
#include <variant>
#include <vector>

namespace belay::histories {

namespace {

using namespace std::chrono_literals;

/// Activities, one of which fails, a timer and a status.
Orchestration<std::string> order(OrchestrationContext ctx, std::string id) {
    ctx.set_custom_status("charging");
    auto first = co_await ctx.try_call(Charge, id, -1);
    co_await ctx.timer(24h);
    const std::string receipt = co_await ctx.call(Charge, id, 7);
    ctx.set_custom_status("charged");
    co_return first.ok() ? "at once" : "later: " + receipt;
}

/// Fails, and undoes what it did.
Orchestration<void> saga(OrchestrationContext ctx, std::string id) {
    for (int i = 1; i <= 2; ++i) {
        ctx.on_rollback(Refund, id + "-" + std::to_string(i));
        co_await ctx.call(Charge, id, i);
    }
    throw std::runtime_error("out of stock");
}

/// An event, a deadline, and one that lost and is asked for again.
Orchestration<std::string> approval(OrchestrationContext ctx) {
    auto deadline = ctx.start(ctx.timer(72h));
    std::string votes;
    for (;;) {
        auto first = co_await ctx.select(ctx.wait<std::string>("vote"), deadline);
        if (first.index() == 1) co_return votes + "timeout";
        votes += std::get<0>(first) + " ";
    }
}

/// Children and activities side by side; one child fails.
Orchestration<int> fan_out(OrchestrationContext ctx, int count) {
    std::vector<Call<int>> squares;
    for (int i = 0; i < count; ++i) squares.push_back(ctx.call(Square, i));
    const std::vector<int> results = co_await ctx.join(std::move(squares));
    int sum = 0;
    for (const int result : results) sum += result;
    for (int i = 0; i < 2; ++i) {
        auto part = co_await ctx.try_call(Part, i);
        sum += part.ok() ? part.value() : 100;
    }
    co_return sum;
}

Orchestration<int> part(OrchestrationContext ctx, int number) {
    co_await ctx.timer(1s);
    if (number == 1) throw std::runtime_error("part one is broken");
    co_return number;
}

/// Messages, some of which are left for the next execution.
Orchestration<int> sums(OrchestrationContext ctx, int sum, int left) {
    sum += co_await ctx.receive<int>("numbers");
    if (left > 1) co_await ctx.continue_as_new(Sums, sum, left - 1);
    co_return sum;
}

/// Its cleanup when it is canceled.
Orchestration<void> cleanup(OrchestrationContext ctx) {
    bool canceled = false;
    try {
        co_await ctx.timer(1h);
    } catch (const Canceled&) {
        canceled = true;
    }
    if (canceled) {
        const Shield shield = ctx.shield();
        co_await ctx.call(Refund, "all");
        co_await ctx.timer(5s);
    }
}

/// Tries, key-values, chance, a patch marker, a child and a detached start with options.
Orchestration<std::string> notes(OrchestrationContext ctx, std::string id) {
    const auto patiently = Charge.with(CallOptions()
                                           .queue("payments")
                                           .priority(5)
                                           .start_to_close(30s)
                                           .retry(RetryPolicy::exponential(1s).attempts(3)));
    ctx.set_value("stage", "charging");
    auto charged = co_await ctx.try_call(patiently, id, -1);
    if (!charged.ok() && ctx.patched("refund")) co_await ctx.call(Refund, id);
    ctx.set_value("lot", static_cast<int>(ctx.random().integer(1, 1'000)));
    ctx.clear_value("stage");
    ctx.start_detached(Part, "apart-" + id, 0);
    const auto named = Part.with(ChildOptions().id("part-" + id).label("of", "notes"));
    auto part = co_await ctx.try_call(named, 1);
    const auto early = ctx.try_receive<int>("numbers");
    co_return ctx.new_uuid() + (part.ok() ? " whole" : " broken") + (early ? " early" : "");
}

/// Every term that a call or a child can have, nothing kept, and a version for the next execution.
Orchestration<std::string> terms(OrchestrationContext ctx, std::string id, int left) {
    const auto carefully = Charge.with(
        CallOptions().fairness_key(id).schedule_to_start(1h).heartbeat_timeout(1min).session(
            "session-" + id));
    const std::string receipt = co_await ctx.call(carefully, id, left);
    ctx.set_value("receipt", receipt);
    ctx.clear_values();
    const auto apart = Part.with(ChildOptions().version("1").parent_close(ParentClose::abandon));
    co_await ctx.call(apart, 0);
    if (left > 0) co_await ctx.continue_as_new(Terms, id, left - 1).version("1");
    co_return receipt;
}

/// A patch that is retired.
Orchestration<std::string> retired(OrchestrationContext ctx, std::string id) {
    ctx.retire_patch("charge-twice");
    const std::string first = co_await ctx.call(Charge, id, 1);
    const std::string second = co_await ctx.call(Charge, id, 2);
    co_return first + " " + second;
}

}  // namespace

Registry code() {
    Registry registry;
    registry.add(Charge, [](const std::string& id, int amount) {
        if (amount < 0) throw std::runtime_error("no negative amounts");
        return id + ":" + std::to_string(amount);
    });
    registry.add(Refund, [](const std::string&) {});
    registry.add(Square, [](int number) { return number * number; });
    registry.add(Order, order);
    registry.add(Saga, saga);
    registry.add(Approval, approval);
    registry.add(FanOut, fan_out);
    registry.add(Part, part);
    registry.add(Sums, sums);
    registry.add(Cleanup, cleanup);
    registry.add(Notes, notes);
    registry.add(Terms, terms);
    registry.add(Retired, retired);
    // Flows bring their definitions along.
    flow::add_flow_code(registry);
    add_schedules(registry);
    return registry;
}

}  // namespace belay::histories
