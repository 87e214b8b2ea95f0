#include "flow/interpreter/waits.hpp"

#include "base/duration.hpp"
#include "expr/value_json.hpp"
#include "flow/definition/params.hpp"
#include "flow/interpreter/calls.hpp"

#include <algorithm>
#include <exception>
#include <expected>
#include <limits>
#include <string_view>
#include <utility>
#include <variant>

namespace belay::flow {

namespace {

using expr::Kind;
using expr::Value;

constexpr std::int64_t kMostMillis = 100LL * 365 * 24 * 3'600'000;

/// Returns the length of a sleep: a number of milliseconds, a duration, or a text like "10m".
Millis length_of(const Value& value) {
    if (value.is(Kind::text)) {
        if (const auto length = base::parse_duration(value.text())) return *length;
    }
    if (value.is(Kind::integer) && value.integer() >= 0 && value.integer() <= kMostMillis) {
        return Millis(value.integer());
    }
    if (value.is(Kind::duration)) {
        const expr::Span span = value.duration();
        if (span.seconds >= 0 && span.seconds <= kMostMillis / 1'000) {
            return Millis(span.seconds * 1'000 + span.nanos / 1'000'000);
        }
    }
    throw_failure(FailureKind::application,
                  "'" + text_of(value) + "' is no time to sleep: give text like \"10m\", or a " +
                      "number of milliseconds, of at most a hundred years",
                  "expression");
}

void announce(const GraphRun& graph, const Spot& spot, const Wanted& wanted) {
    if (graph.run().observer) graph.run().observer->waits(spot, wanted);
}

std::optional<Timestamp> end_of(Timestamp now, std::optional<Millis> timeout) {
    if (!timeout) return std::nullopt;
    return now + *timeout;
}

StepEnd timed_out(OnTimeout then, const std::string& what) {
    switch (then) {
        case OnTimeout::skip: return StepEnd::skipped(what + " did not come in time");
        case OnTimeout::complete: return StepEnd::completed(Value());
        case OnTimeout::fail: break;
    }
    return StepEnd::failed(Failure{.kind = FailureKind::timeout,
                                   .message = what + " did not come in time",
                                   .retryable = false});
}

}  // namespace

std::string approval_event(std::string_view step, std::optional<std::uint64_t> item) {
    std::string event("approval/");
    event += step;
    if (item) event.append("/").append(std::to_string(*item));
    return event;
}

Orchestration<StepEnd> run_sleep(OrchestrationContext ctx,
                                 std::shared_ptr<GraphRun> graph,
                                 Spot spot,
                                 expr::Map variables) {
    const auto& sleep = std::get<Sleep>(graph->step(spot).action);
    const Millis length = length_of(evaluated(sleep.duration, variables));
    announce(*graph, spot, Wanted{Wanted::What::time, {}, {}, ctx.now() + length});
    co_await ctx.timer(length);
    co_return StepEnd::completed(Value());
}

Orchestration<StepEnd> run_wait(OrchestrationContext ctx,
                                std::shared_ptr<GraphRun> graph,
                                Spot spot) {
    const auto& wait = std::get<Wait>(graph->step(spot).action);
    announce(
        *graph, spot, Wanted{Wanted::What::event, wait.event, {}, end_of(ctx.now(), wait.timeout)});
    belay::Call<Payload> event = ctx.wait<Payload>(wait.event);
    std::optional<Payload> got;
    if (wait.timeout) {
        auto bounded = std::move(event).within(*wait.timeout);
        got = co_await std::move(bounded);
    } else {
        got = co_await std::move(event);
    }
    if (!got) co_return timed_out(wait.on_timeout, "the event '" + wait.event + "'");
    co_return StepEnd::completed(value_of(*got));
}

// ---- Approvals ---------------------------------------------------------------------------------

namespace {

std::string text_field(const expr::Map& map, std::string_view name) {
    const Value* const value = map.find(name);
    return value != nullptr && value->is(Kind::text) ? value->text() : std::string();
}

/// Returns how the step ends with this answer; or the reason why it is ignored.
std::expected<StepEnd, std::string> judged(const Approval& approval, const Payload& answer) {
    const Value value = answer.codec == PayloadCodec::text
                            ? expr::parse_json(answer.bytes).or_throw()
                            : value_of(answer);
    if (!value.is(Kind::map)) return std::unexpected("it is not an object");
    const expr::Map& map = value.map();
    const Value* const approved = map.find("approved");
    if (approved == nullptr || !approved->is(Kind::boolean)) {
        return std::unexpected("its field 'approved' is not true or false");
    }
    const std::string role = text_field(map, "role");
    if (!approval.from.empty() && std::ranges::find(approval.from, role) == approval.from.end()) {
        return std::unexpected("the role '" + role + "' may not answer");
    }
    const std::string by = text_field(map, "by");
    if (!approved->boolean()) {
        return StepEnd::failed(Failure{.message = "refused by " + (by.empty() ? "somebody" : by),
                                       .type = "refused",
                                       .retryable = false});
    }
    const Value* const given = map.find("values");
    const auto values = check_fields(approval.input, given != nullptr ? *given : Value(), "value");
    if (!values) return std::unexpected(described(values.error()));
    Fields output;
    output.emplace_back("approved", Value(true));
    output.emplace_back("by", Value(by));
    output.emplace_back("role", Value(role));
    output.emplace_back("values", Value(*values));
    return StepEnd::completed(Value(map_of(std::move(output))));
}

std::expected<StepEnd, std::string> judged_safely(const Approval& approval, const Payload& answer) {
    try {
        return judged(approval, answer);
    } catch (const std::exception& problem) {
        return std::unexpected(std::string(problem.what()));
    }
}

/// Waits for the next answer. Returns none if the clock came first.
Orchestration<std::optional<Payload>> next_answer(
    OrchestrationContext ctx,
    std::string event,
    std::shared_ptr<std::optional<Future<void>>> clock) {
    belay::Call<Payload> answer = ctx.wait<Payload>(std::move(event));
    if (!*clock) {
        Payload got = co_await std::move(answer);
        co_return std::optional<Payload>(std::move(got));
    }
    auto first = ctx.select(std::move(answer), **clock);
    auto winner = co_await std::move(first);
    if (winner.index() == 1) co_return std::optional<Payload>();
    co_return std::optional<Payload>(std::get<0>(std::move(winner)));
}

}  // namespace

Orchestration<StepEnd> run_approval(OrchestrationContext ctx,
                                    std::shared_ptr<GraphRun> graph,
                                    Spot spot,
                                    expr::Map variables) {
    const Step& step = graph->step(spot);
    const auto& approval = std::get<Approval>(step.action);
    const std::string event = approval_event(step.id, spot.item);
    announce(*graph,
             spot,
             Wanted{Wanted::What::approval,
                    event,
                    text_of(evaluated(approval.prompt, variables)),
                    end_of(ctx.now(), approval.timeout)});
    const auto clock = std::make_shared<std::optional<Future<void>>>();
    if (approval.timeout) clock->emplace(ctx.start(ctx.timer(*approval.timeout)));
    for (;;) {
        auto next = next_answer(ctx, event, clock);
        const std::optional<Payload> answer = co_await std::move(next);
        if (!answer) co_return timed_out(approval.on_timeout, "the answer");
        auto end = judged_safely(approval, *answer);
        if (end) co_return *std::move(end);
        ctx.log().warning("an answer to the approval of the step '" + step.id +
                          "' was ignored: " + end.error());
    }
}

}  // namespace belay::flow
