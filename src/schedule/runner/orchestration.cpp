// The orchestration that keeps a schedule. It decides nothing: every decision is made in an
// activity and recorded, so releases may decide differently, and zone data may change.
#include "schedule/runner/client_runs.hpp"
#include "schedule/runner/names.hpp"
#include "schedule/runner/planner.hpp"
#include "schedule/runner/spec_store.hpp"
#include <belay/client.hpp>
#include <belay/management.hpp>
#include <belay/orchestration.hpp>
#include <belay/registry.hpp>
#include <belay/requests/finding.hpp>
#include <belay/service.hpp>

#include <map>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

namespace belay {

namespace schedule {

namespace {

using Values = std::map<std::string, Payload>;
using Messages = std::vector<Payload>;

constexpr Definition<void(std::string, std::string, Messages)> kKeep{kDefinition};
constexpr Activity<Values(std::string, Messages, std::int64_t, std::int64_t)> kDecide{kAdvance};

/// The steps of one execution, and the messages that one step takes.
constexpr std::int64_t kSteps = 50;
constexpr std::size_t kMostMessages = 100;
/// The executions whose history is kept.
constexpr std::uint32_t kExecutions = 2;
constexpr Millis kFailureWait{60'000};

// The fields of an answer.
constexpr const char* kState = "state";
constexpr const char* kWake = "wake";
constexpr const char* kEnded = "ended";
constexpr const char* kFresh = "fresh";

Values values_of(const Step& step) {
    Values values;
    values[kState] = Payload(PayloadCodec::json, encode(step.state));
    if (step.wake) values[kWake] = Codec<std::int64_t>::encode(to_unix_ms(*step.wake));
    if (step.spec) values[kSpec] = Payload::text(*step.spec);
    if (step.ended) values[kEnded] = Codec<bool>::encode(true);
    if (step.fresh) values[kFresh] = Codec<bool>::encode(true);
    return values;
}

InspectedRun own_run(Client& client, const std::string& id) {
    requests::InspectMany request;
    request.instances.push_back({.name = {client.default_namespace(), id}, .values = true});
    auto answer = client.service().ask(std::move(request));
    if (!answer) throw_unanswered(answer.error());
    if (!answer->front()) throw_unanswered(Error(Errc::not_found, "the schedule is removed"));
    return std::move(*answer->front());
}

State state_from(const std::string& text, const InspectedRun& own) {
    if (!text.empty()) return decode_state(text).or_throw();
    State state;
    state.cursor = own.info.created_at;
    return state;
}

/// The activity: `now` is the time of the turn, `step` counts the steps of its execution.
Values decide(ActivityContext& ctx,
              const std::string& state,
              const Messages& messages,
              std::int64_t now,
              std::int64_t step) {
    Client client = ctx.client();
    const InspectedRun own = own_run(client, ctx.instance_id());
    if (step == 0 && ctx.execution() > kExecutions) {
        // Not done: the next execution does it.
        (void)client.prune_executions(ctx.instance_id(), PruneOptions().keep_last(kExecutions));
    }
    const std::string name = name_of(ctx.instance_id());
    ClientRuns runs(client, name, own.info.run.key);
    Planner planner(name, spec_in(own.values), runs, from_unix_ms(now));
    return values_of(planner.step(state_from(state, own), messages));
}

/// Schedules go on while all slots of a worker are taken by other work.
ActivityHandler decide_handler() {
    const auto code =
        detail::make_handler<Values, std::string, Messages, std::int64_t, std::int64_t>(decide);
    return ActivityHandler(
        ActivityHandler::Function([code](ActivityContext& context, const Payload& input) {
            return code.call(context, input);
        }),
        ActivityKind::engine);
}

/// Keeps the description where clients and the activity can read it.
void keep_spec(const OrchestrationContext& ctx, const std::string& spec) {
    const std::vector<std::string> parts = split_spec(spec);
    for (std::size_t i = 0; i < parts.size(); ++i) ctx.set_value(spec_key(i), parts[i]);
    for (std::size_t i = parts.size(); ctx.value<std::string>(spec_key(i)); ++i) {
        ctx.clear_value(spec_key(i));
    }
}

/// The part of an answer that the orchestration acts on.
struct Decision {
    std::string state;
    std::optional<Timestamp> wake;
    bool ended = false;
    bool fresh = false;
};

Decision take(const OrchestrationContext& ctx, const Values& values) {
    Decision decision;
    const Payload& state = values.at(kState);
    decision.state = state.bytes;
    ctx.set_custom_status(state);
    if (const auto spec = values.find(kSpec); spec != values.end()) {
        keep_spec(ctx, spec->second.bytes);
    }
    if (const auto wake = values.find(kWake); wake != values.end()) {
        decision.wake = from_unix_ms(Codec<std::int64_t>::decode(wake->second));
    }
    decision.ended = values.contains(kEnded);
    decision.fresh = values.contains(kFresh);
    return decision;
}

/// Waits for the next step, and returns the messages that came.
Orchestration<Messages> next_messages(OrchestrationContext ctx, std::optional<Timestamp> wake) {
    Messages messages;
    if (wake) {
        const Millis delay = *wake - ctx.now();
        auto first = co_await ctx.select(ctx.receive<Payload>(kChanges), ctx.timer(delay));
        if (first.index() == 0) messages.push_back(std::get<0>(first));
    } else {
        messages.push_back(co_await ctx.receive<Payload>(kChanges));
    }
    while (messages.size() < kMostMessages) {
        std::optional<Payload> more = ctx.try_receive<Payload>(kChanges);
        if (!more) break;
        messages.push_back(std::move(*more));
    }
    co_return messages;
}

CallOptions patient() {
    return CallOptions().retry(
        RetryPolicy::exponential(Millis(200)).attempts(12).max_delay(kFailureWait));
}

/// `spec` is empty in all executions but the first. `messages` are those that a step could not
/// take.
Orchestration<void> keep(OrchestrationContext ctx,
                         std::string spec,
                         std::string state,
                         Messages messages) {
    if (!spec.empty()) keep_spec(ctx, spec);
    const auto decide_patiently = kDecide.with(patient());
    for (std::int64_t step = 0; step < kSteps; ++step) {
        const std::int64_t now = to_unix_ms(ctx.now());
        auto call = ctx.try_call(decide_patiently, state, messages, now, step);
        const auto answer = co_await std::move(call);
        if (!answer) {
            // The next execution tries again.
            ctx.log().warning("the schedule waits: " + answer.failure().message);
            co_await ctx.timer(kFailureWait);
            break;
        }
        const Decision decision = take(ctx, answer.value());
        state = decision.state;
        messages.clear();
        if (decision.ended) co_return;
        if (decision.fresh) break;
        auto waiting = next_messages(ctx, decision.wake);
        messages = co_await std::move(waiting);
    }
    const std::string kept;
    auto next = ctx.continue_as_new(kKeep, kept, state, messages);
    co_await std::move(next);
}

}  // namespace

}  // namespace schedule

void add_schedules(Registry& registry) {
    registry.add(schedule::kKeep, schedule::keep);
    registry.add_activity(std::string(schedule::kAdvance), schedule::decide_handler());
}

}  // namespace belay
