#include "simulation/flows/flow_load.hpp"

#include "expr/value_json.hpp"
#include "flow/flow_code.hpp"
#include "flow/flow_start.hpp"
#include "runtime/retry_header.hpp"
#include "simulation/flows/generator.hpp"
#include "simulation/flows/run_check.hpp"
#include <belay/exceptions.hpp>

#include <algorithm>
#include <variant>

namespace belay::sim {

namespace {

using FlowActivity = Activity<Payload(Payload)>;

flow::Bundle read_flows(Violations& violations, const FlowTexts& texts) {
    const auto find = [&](std::string_view name) -> std::optional<std::string> {
        const auto found = texts.by_name.find(name);
        if (found == texts.by_name.end()) return std::nullopt;
        return found->second;
    };
    auto bundle = flow::read_bundle(texts.by_name.at(kMainFlow), find);
    if (bundle) return *std::move(bundle);
    const flow::Problem& first = bundle.error().front();
    violations.report("a generated definition is valid",
                      first.flow + ": " + to_string(first) + "\n" + texts.by_name.at(first.flow));
    return {};
}

}  // namespace

FlowLoad::FlowLoad(std::uint64_t seed, Violations& violations, TrueStore& true_store, Trace& trace)
    : rng_(seed),
      scripts_(rng_.next()),
      violations_(violations),
      true_store_(true_store),
      trace_(trace) {}

// ---- Code --------------------------------------------------------------------------------------

void FlowLoad::register_code(Registry& registry, bool interprets, bool cleans_up) {
    if (interprets) {
        registry.set_interpreter(DocumentCompiler(flow::compile_bundle),
                                 std::string(flow::kInterpreterVersion));
    }
    for (const char* const name : kFlowActivities) {
        if (!cleans_up && name == std::string_view(kUndoActivity)) continue;
        registry.add(FlowActivity{name}, [this](ActivityContext& context, const Payload& input) {
            return work(context, input);
        });
    }
}

/// A context counts attempts of the engine, too: those that a crash took. The script knows only
/// those of the retry policy.
void FlowLoad::note_begin(const ActivityTask& task) {
    const ActivityDetails& about = task.details();
    ActivityRef first = about.activity;
    if (about.first_command != 0) first.command = about.first_command;
    std::uint32_t attempt = 1;
    true_store_.with_tables([&](memory::Tables& tables) {
        const memory::Activity* const row = memory::find_activity(tables, about.activity);
        if (row != nullptr) attempt = runtime::attempt_of(row->about.headers).number;
    });
    attempts_[about.worker + " " + to_string(first)] = attempt;
}

Payload FlowLoad::work(const ActivityContext& context, const Payload& input) {
    const expr::Value value = expr::parse_json(input.bytes).or_throw();
    const std::string key = text_in(value, "key");
    const std::string of_call = context.worker() + " " + context.idempotency_key();
    const std::uint32_t attempt = attempts_[of_call];
    const Scripted scripted = scripts_.end_of(context.name(), key, attempt);
    if (scripted == Scripted::completes) {
        return {PayloadCodec::json, expr::to_json(scripts_.result_of(value)).or_throw()};
    }
    ApplicationError failure(kScriptedFailure, Scripts::message_of(key, attempt));
    if (scripted == Scripted::fails_for_good) failure.not_retryable();
    throw ApplicationError(failure);
}

// ---- Operators ---------------------------------------------------------------------------------

void FlowLoad::start_fresh(Operators& operators) {
    const std::string id = "f" + std::to_string(started() + 1);
    const FlowTexts texts = random_flows(rng_);
    for (const auto& [name, text] : texts.by_name) {
        trace_.line("flows", [&] { return "for " + id + ", " + name + ":\n" + text; });
    }
    flow::Bundle bundle = read_flows(violations_, texts);
    if (violations_.any()) return;
    StartOptions options = flow::start_options(bundle, "simulator");
    options.id(id);
    if (rng_.percent(20)) options.delay(Millis(rng_.between(1, 500)));
    bundles_.emplace(id, std::move(bundle));
    operators.start_run(kMainFlow, Payload(PayloadCodec::json, random_params(rng_)), options);
}

void FlowLoad::act(Operators& operators) {
    const std::size_t kind = rng_.below(100);
    if (kind < 60) {
        const auto events = expected_events();
        if (events.empty()) return;
        const auto& [id, event] = rng_.pick(events);
        operators.send(MessageKind::event_raised, id, event);
        if (rng_.percent(20)) operators.send(MessageKind::event_raised, id, event);
    } else if (kind < 68) {
        const std::vector<std::string> ids = ids_under_way(rng_.percent(60));
        if (ids.empty()) return;
        operators.cancel(rng_.pick(ids), "an operator wants it");
    } else if (kind < 69) {
        const std::vector<std::string> ids = ids_under_way(true);
        if (!ids.empty()) operators.terminate(rng_.pick(ids));
    }
}

std::vector<std::string> FlowLoad::ids_under_way(bool roots) {
    std::vector<std::string> ids;
    true_store_.with_tables([&](memory::Tables& tables) {
        for (const auto& [ref, run] : tables.runs) {
            if (!run.ended() && (!roots || !run.about.parent)) ids.push_back(run.about.name.id);
        }
    });
    return ids;
}

std::vector<std::pair<std::string, std::string>> FlowLoad::expected_events() {
    std::vector<std::pair<std::string, std::string>> events;
    true_store_.with_tables([&](memory::Tables& tables) {
        for (const auto& [ref, run] : tables.runs) {
            if (run.ended() || run.about.on_fail_of) continue;
            const flow::Bundle& bundle = bundle_of(run.about.name.id);
            for (const flow::Step& step : bundle.flows.find(run.about.definition)->second.steps) {
                const auto* const wait = std::get_if<flow::Wait>(&step.action);
                if (wait == nullptr || !wait->event.starts_with(kSentEvent)) continue;
                events.emplace_back(run.about.name.id, wait->event);
            }
        }
    });
    return events;
}

void FlowLoad::send_awaited(Operators& operators) {
    for (const auto& [id, event] : expected_events()) {
        operators.send(MessageKind::event_raised, id, event);
    }
}

// ---- The end -----------------------------------------------------------------------------------

const flow::Bundle& FlowLoad::bundle_of(const std::string& id) const {
    return bundles_.at(id.substr(0, id.find('/')));
}

void FlowLoad::check_end() {
    true_store_.with_tables([&](memory::Tables& tables) {
        for (const auto& [ref, run] : tables.runs) {
            if (violations_.any()) return;
            const flow::Bundle& bundle = bundle_of(run.about.name.id);
            RunCheck(violations_, counts_, scripts_, tables, bundle, run).check();
        }
    });
}

}  // namespace belay::sim
