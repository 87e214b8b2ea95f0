// Histories that are fed to code: whatever they say, the engine agrees or says why not.
#include "fuzz/target.hpp"
#include "model/event.hpp"
#include "replay/execution.hpp"
#include <belay/context.hpp>
#include <belay/registry.hpp>

#include <chrono>

using namespace belay;

namespace {

constexpr Activity<std::string(std::string)> kWork{"Work"};
constexpr Definition<std::string(std::string)> kSelf{"Test"};

/// One of each: an activity, a timer, a select, a wait.
Orchestration<std::string> code(OrchestrationContext ctx, std::string input) {
    std::string worked = co_await ctx.call(kWork, input);
    co_await ctx.timer(std::chrono::seconds(1));
    auto winner = co_await ctx.select(ctx.call(kWork, worked), ctx.timer(std::chrono::seconds(2)));
    if (winner.index() == 1) ctx.set_custom_status(std::string("late"));
    auto told = co_await ctx.wait<std::string>("go");
    if (told == "again") {
        auto next = ctx.continue_as_new(kSelf, told);
        co_await std::move(next);
    }
    co_return told;
}

const Registry& registry() {
    static const Registry* const made = [] {
        auto* one = new Registry();
        one->add(kSelf, code);
        return one;
    }();
    return *made;
}

}  // namespace

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    std::string_view rest = fuzz::text_of(data, size);
    HistoryRow row;
    row.count = fuzz::take_byte(rest);
    row.bytes = rest;
    const auto events = model::decode_events(row);
    if (!events) return 0;
    replay::Execution execution(registry().orchestration("Test")->handler,
                                replay::Identity{{"default", "fuzz"}, 1, "Test", "1"},
                                Limits());
    const Result<void> same = execution.replay(*events);
    if (same) fuzz::require(execution.position() == events->size(), "all of it was replayed");
    return 0;
}
