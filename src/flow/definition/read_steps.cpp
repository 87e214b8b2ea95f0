// Steps.
#include "flow/definition/draft.hpp"
#include "flow/definition/kinds.hpp"
#include "flow/definition/limits.hpp"

#include <algorithm>
#include <limits>

namespace belay::flow {

namespace {

/// A step while it is read.
struct StepDraft {
    Step step;
    StepFacts facts{};
    std::optional<Action> action{};
    RetryDraft retry{};
    std::optional<int> stop_signal{};
    std::vector<Argument> arguments{};
};

using OutputName = std::pair<std::string_view, OutputForm>;

constexpr OutputName kOutputs[] = {{"text", OutputForm::text},
                                   {"lines", OutputForm::lines},
                                   {"json", OutputForm::json},
                                   {"none", OutputForm::none}};

// ---- Order -------------------------------------------------------------------------------------

void read_step_names(Reading& in, const Entry& entry, std::vector<StepName>& out) {
    if (entry.value.kind == yaml::Kind::text) {
        in.report(entry.value.place,
                  in_quotes(entry.name) + " must be a list, not a text",
                  "Write [" + entry.value.text + "]");
        return;
    }
    if (!in.is_list(entry)) return;
    for (const yaml::Value& item : entry.value.items) {
        std::string name;
        if (!in.text({entry.name, item.place, item}, name)) continue;
        if (std::ranges::find(out, name, &StepName::name) != out.end()) {
            in.report(item.place, in_quotes(name) + " is there twice");
            continue;
        }
        out.push_back({std::move(name), item.place});
    }
}

// ---- Maps --------------------------------------------------------------------------------------

/// Returns a literal list as an expression.
std::optional<expr::Program> read_list(Reading& in, const Entry& entry) {
    auto list = in.constant(entry.value);
    if (!list) return std::nullopt;
    for (const yaml::Value& item : entry.value.items) {
        if (item.kind != yaml::Kind::text || !item.text.contains("${{")) continue;
        in.report(item.place,
                  "a literal list cannot have expressions",
                  "Write the whole list as one expression, as in map: '[params.a, \"b\"]'");
    }
    return expr::Program::constant(*std::move(list), entry.value.place);
}

void read_map(Reading& in, const Entry& entry, StepDraft& draft) {
    auto over =
        entry.value.kind == yaml::Kind::list ? read_list(in, entry) : in.bare(entry, SiteKind::map);
    if (!over) over = expr::Program::constant(expr::Value(expr::List()));
    draft.step.map.emplace(MapOver{.over = *std::move(over)});
}

/// Returns the map, or reports that the field needs one.
MapOver* map_of(Reading& in, const Entry& entry, StepDraft& draft) {
    if (draft.step.map) return &*draft.step.map;
    in.report(entry.key, in_quotes(entry.name) + " needs \"map\"");
    return nullptr;
}

void read_as(Reading& in, const Entry& entry, StepDraft& draft) {
    static constexpr std::string_view kTaken[] = {
        "params", "steps", "secrets", "run", "step", "index", "failure", "outcome", "env"};
    MapOver* const map = map_of(in, entry, draft);
    if (map == nullptr || !in.name(entry, map->as)) return;
    if (std::ranges::find(kTaken, map->as) != std::end(kTaken) || !expr::Program::parse(map->as)) {
        in.report(entry.value.place, in_quotes(map->as) + " has a meaning in expressions already");
    }
}

void read_items_may_fail(Reading& in, const Entry& entry, StepDraft& draft) {
    MapOver* const map = map_of(in, entry, draft);
    if (map == nullptr) return;
    if (entry.value.kind == yaml::Kind::boolean) {
        map->any_may_fail = entry.value.truth;
        return;
    }
    std::int64_t most = 0;
    if (in.integer(entry, 0, std::numeric_limits<std::uint32_t>::max(), most)) {
        map->items_may_fail = static_cast<std::uint32_t>(most);
    }
}

// ---- Cleanup -----------------------------------------------------------------------------------

struct OnCancelDraft {
    OnCancel on_cancel{};
    std::optional<Action> action{};
};

void read_cleanup_kind(Reading& in, const Entry& entry, OnCancelDraft& draft) {
    read_action(in, entry, draft.action);
}

constexpr Field<OnCancelDraft> kOnCancelFields[] = {
    {"exec", read_cleanup_kind},
    {"script", read_cleanup_kind},
    {"http", read_cleanup_kind},
    {"activity", read_cleanup_kind},
    {"with",
     [](Reading& in, const Entry& entry, OnCancelDraft& draft) {
         draft.on_cancel.with = read_with(in, entry, nullptr);
     }},
    {"args",
     [](Reading& in, const Entry& entry, OnCancelDraft& draft) {
         read_args(in, entry, draft.on_cancel.args);
     }},
    {"arg_types",
     [](Reading& in, const Entry& entry, OnCancelDraft& draft) {
         read_arg_types(in, entry, draft.on_cancel.args);
     }},
    {"env",
     [](Reading& in, const Entry& entry, OnCancelDraft& draft) {
         draft.on_cancel.env = in.environment(entry, SiteKind::with_secret);
     }},
    {"dir",
     [](Reading& in, const Entry& entry, OnCancelDraft& draft) {
         draft.on_cancel.dir = in.text_form(entry.name, entry.value, SiteKind::action);
     }},
    {"timeout",
     [](Reading& in, const Entry& entry, OnCancelDraft& draft) {
         if (!in.duration(entry, Millis(1), draft.on_cancel.timeout)) return;
         if (draft.on_cancel.timeout <= kLongestCleanup) return;
         in.report(entry.value.place,
                   "\"timeout\" must be at most 50m: a cancel does not wait longer");
     }},
};

void read_on_cancel(Reading& in, const Entry& entry, StepDraft& draft) {
    OnCancelDraft cleanup;
    const bool is_object = read_object<OnCancelDraft>(
        in, entry.value, in_quotes("on_cancel"), kOnCancelFields, cleanup);
    if (!is_object) return;
    const auto kind = find_kind(in, entry.value, in_quotes("on_cancel"), kCleanupKinds);
    if (kind) refuse_misplaced(in, entry.value, *kind);
    refuse_two_inputs(in, entry.value);
    if (!cleanup.action) return;
    cleanup.on_cancel.action = *std::move(cleanup.action);
    draft.step.on_cancel = std::move(cleanup.on_cancel);
}

// ---- The table ---------------------------------------------------------------------------------

void read_kind(Reading& in, const Entry& entry, StepDraft& draft) {
    std::optional<Action> action;
    read_action(in, entry, action);
    if (action) draft.action = std::move(action);
}

constexpr Field<StepDraft> kStepFields[] = {
    {"id",
     [](Reading& in, const Entry& entry, StepDraft& draft) {
         draft.facts.id = entry.value.place;
         (void)in.name(entry, draft.step.id);
     },
     true},
    {"description",
     [](Reading& in, const Entry& entry, StepDraft& draft) {
         (void)in.description(entry, draft.step.description);
     }},
    {"needs",
     [](Reading& in, const Entry& entry, StepDraft& draft) {
         read_step_names(in, entry, draft.facts.needs);
     }},
    {"after",
     [](Reading& in, const Entry& entry, StepDraft& draft) {
         read_step_names(in, entry, draft.facts.after);
     }},
    {"if",
     [](Reading& in, const Entry& entry, StepDraft& draft) {
         draft.facts.condition = entry.value.place;
         draft.step.condition = in.bare(entry, SiteKind::condition);
     }},
    {"map", read_map},
    {"as", read_as},
    {"window",
     [](Reading& in, const Entry& entry, StepDraft& draft) {
         MapOver* const map = map_of(in, entry, draft);
         std::int64_t window = 0;
         if (map != nullptr && in.integer(entry, 1, kMostWindow, window)) {
             map->window = static_cast<std::uint32_t>(window);
         }
     }},
    {"items_may_fail", read_items_may_fail},
    {"exec", read_kind},
    {"script", read_kind},
    {"http", read_kind},
    {"sleep", read_kind},
    {"wait", read_kind},
    {"approval", read_kind},
    {"flow", read_kind},
    {"activity", read_kind},
    {"set", read_kind},
    {"with",
     [](Reading& in, const Entry& entry, StepDraft& draft) {
         draft.step.with = read_with(in, entry, &draft.arguments);
     }},
    {"args",
     [](Reading& in, const Entry& entry, StepDraft& draft) {
         read_args(in, entry, draft.step.args);
     }},
    {"arg_types",
     [](Reading& in, const Entry& entry, StepDraft& draft) {
         read_arg_types(in, entry, draft.step.args);
     }},
    {"env",
     [](Reading& in, const Entry& entry, StepDraft& draft) {
         draft.step.env = in.environment(entry, SiteKind::with_secret);
     }},
    {"dir",
     [](Reading& in, const Entry& entry, StepDraft& draft) {
         draft.step.dir = in.text_form(entry.name, entry.value, SiteKind::action);
     }},
    {"stdin",
     [](Reading& in, const Entry& entry, StepDraft& draft) {
         draft.step.input = in.text_form(entry.name, entry.value, SiteKind::with_secret);
     }},
    {"output",
     [](Reading& in, const Entry& entry, StepDraft& draft) {
         draft.facts.output_given = in.choice<OutputForm>(entry, kOutputs, draft.step.output);
     }},
    {"stop_signal",
     [](Reading& in, const Entry& entry, StepDraft& draft) {
         draft.stop_signal = read_stop_signal(in, entry);
     }},
    {"may_fail",
     [](Reading& in, const Entry& entry, StepDraft& draft) {
         (void)in.boolean(entry, draft.step.may_fail);
     }},
    {"timeout",
     [](Reading& in, const Entry& entry, StepDraft& draft) {
         (void)in.duration(entry, Millis(1), draft.step.timeout);
     }},
    {"retry",
     [](Reading& in, const Entry& entry, StepDraft& draft) { read_retry(in, entry, draft.retry); }},
    {"queue",
     [](Reading& in, const Entry& entry, StepDraft& draft) {
         (void)in.engine_name(entry, draft.step.queue);
     }},
    {"session",
     [](Reading& in, const Entry& entry, StepDraft& draft) {
         (void)in.engine_name(entry, draft.step.session);
     }},
    {"limit_key",
     [](Reading& in, const Entry& entry, StepDraft& draft) {
         draft.step.limit_key = in.text_form(entry.name, entry.value, SiteKind::action);
     }},
    {"priority",
     [](Reading& in, const Entry& entry, StepDraft& draft) {
         std::int64_t priority = 0;
         if (in.integer(entry, -kMostPriority, kMostPriority, priority)) {
             draft.step.priority = static_cast<std::int32_t>(priority);
         }
     }},
    {"on_cancel", read_on_cancel},
    {"end_flow",
     [](Reading& in, const Entry& entry, StepDraft& draft) {
         draft.facts.end_flow = entry.value.place;
         if (in.owner.part != Part::steps) {
             in.report(entry.key, "only a step of \"steps\" can end the flow");
         }
         draft.step.end_flow = in.bare(entry, SiteKind::end_flow);
         draft.step.end_flow_text = entry.value.text;
     }},
};

/// Fills in what the step leaves to `defaults` and to the kind.
void apply_defaults(const Defaults& defaults, std::string_view kind, StepDraft& draft) {
    static const RetryDraft kNone;
    const bool runs_activity = takes("queue", kind);
    const RetryDraft& rest = runs_activity ? defaults.retry : kNone;
    draft.step.retry = merged_retry(draft.retry, rest, kind);
    if (!runs_activity) return;
    if (!draft.step.timeout) draft.step.timeout = defaults.timeout;
    if (draft.step.queue.empty()) draft.step.queue = defaults.queue;
    if (!draft.step.limit_key) draft.step.limit_key = defaults.limit_key;
    if (!takes("stop_signal", kind)) return;
    if (!draft.stop_signal) draft.stop_signal = defaults.stop_signal;
    if (draft.stop_signal) draft.step.stop_signal = *draft.stop_signal;
}

void read_step(Reading& in, const yaml::Value& object, Part part, Draft& draft) {
    std::vector<Step>& steps = draft.steps(part);
    in.owner = {part, steps.size()};
    StepDraft fresh;
    fresh.step.place = object.place;
    if (!read_object<StepDraft>(in, object, "a step", kStepFields, fresh)) return;
    if (const auto kind = find_kind(in, object, "the step", kStepKinds)) {
        refuse_misplaced(in, object, *kind);
        refuse_two_inputs(in, object);
        apply_defaults(draft.defaults, *kind, fresh);
    }
    if (fresh.action) fresh.step.action = *std::move(fresh.action);
    if (const auto* flow = std::get_if<SubFlow>(&fresh.step.action)) {
        in.uses.push_back(
            {in.owner, flow->flow, object.find("flow")->place, std::move(fresh.arguments)});
    }
    steps.push_back(std::move(fresh.step));
    draft.facts_of(part).push_back(std::move(fresh.facts));
}

}  // namespace

void read_steps(Reading& in, const Entry& entry, Part part, Draft& draft) {
    if (!in.is_list(entry)) return;
    if (entry.value.items.empty()) {
        in.report(entry.value.place, in_quotes(entry.name) + " has no steps");
    }
    for (const yaml::Value& item : entry.value.items) {
        if (++in.steps > kMostSteps) {
            in.report(item.place,
                      "there are more than " + std::to_string(kMostSteps) + " steps",
                      "Map over a list, or start other flows");
            break;
        }
        read_step(in, item, part, draft);
    }
    in.owner = {};
}

std::vector<ObjectFields> step_fields() {
    return {{"a step", names_of<StepDraft>(kStepFields)},
            {"on_cancel", names_of<OnCancelDraft>(kOnCancelFields)}};
}

}  // namespace belay::flow
