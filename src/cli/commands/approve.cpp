#include "cli/commands/all.hpp"
#include "cli/commands/input.hpp"
#include "cli/flow/pipeline.hpp"
#include "cli/flow/run_reader.hpp"
#include "cli/text.hpp"
#include "expr/value_json.hpp"
#include "flow/definition/params.hpp"

#include <algorithm>
#include <charconv>

namespace belay::cli {

namespace {

/// The step that asks, or the item of a map: "release", "release[3]".
struct Asked {
    std::string step;
    std::optional<std::uint64_t> item{};
};

Asked asked_of(const std::string& word) {
    const std::size_t open = word.find('[');
    if (open == std::string::npos) return Asked{word};
    Asked asked{word.substr(0, open)};
    std::uint64_t item = 0;
    const char* const end = word.data() + word.size();
    const auto [stopped, problem] = std::from_chars(word.data() + open + 1, end, item);
    if (problem != std::errc() || stopped + 1 != end || *stopped != ']') {
        throw usage_problem("'" + safe(word) + "' is no step; write STEP, or STEP[3] for an item");
    }
    asked.item = item;
    return asked;
}

const flow::Approval* approval_in(const std::vector<flow::Step>& steps, const std::string& id) {
    const auto found = std::ranges::find(steps, id, &flow::Step::id);
    return found == steps.end() ? nullptr : std::get_if<flow::Approval>(&found->action);
}

const flow::Approval& approval_of(const flow::Definition& definition, const Asked& asked) {
    const std::vector<flow::Step>* const lists[] = {
        &definition.steps, &definition.on_fail, &definition.on_cancel, &definition.finally};
    for (const std::vector<flow::Step>* const list : lists) {
        if (const flow::Approval* const found = approval_in(*list, asked.step)) return *found;
    }
    throw Problem(Exit::not_found,
                  "the flow " + definition.name + " has no approval '" + safe(asked.step) + "'",
                  "'belay graph ID' shows its steps");
}

const WorkView& work_of(const RunView& view, const Asked& asked) {
    for (const ListView& list : view.lists) {
        const auto step = std::ranges::find(list.steps, asked.step, &StepView::id);
        if (step == list.steps.end()) continue;
        if (!asked.item) return *step;
        const auto item = std::ranges::find(step->items, *asked.item, &ItemView::item);
        if (item != step->items.end()) return *item;
    }
    throw Problem(Exit::not_found, "the run has no such step or item");
}

expr::Value values_of(const Arguments& arguments) {
    std::vector<expr::Map::Entry> entries;
    for (const std::string& text : arguments.values("value")) {
        auto [name, json] = name_and_value("value", text);
        auto value = expr::parse_json(json);
        // A bare word is text, as it is in a definition.
        entries.emplace_back(expr::Value(std::move(name)),
                             value ? std::move(*value) : expr::Value(json));
    }
    auto map = expr::Map::make(std::move(entries));
    if (!map) throw usage_problem("--value names a field twice");
    return expr::Value(std::move(*map));
}

void check_answer(const flow::Approval& approval,
                  const Arguments& arguments,
                  const expr::Value& values) {
    const std::string role = arguments.value_or("role", "");
    if (!approval.from.empty() && std::ranges::find(approval.from, role) == approval.from.end()) {
        std::string roles;
        for (const std::string& one : approval.from) roles += (roles.empty() ? "" : ", ") + one;
        throw Problem(Exit::refused,
                      role.empty()
                          ? "only some roles may answer: " + roles
                          : "the role '" + safe(role) + "' may not answer; these may: " + roles,
                      "say which one answers: --role ROLE");
    }
    if (arguments.has("reject")) return;
    const auto fields = flow::check_fields(approval.input, values, "value");
    if (fields) return;
    std::string text = "the answer does not fit:";
    for (const flow::Problem& problem : fields.error()) text += "\n" + problem.message;
    throw Problem(Exit::usage, text, "give values with --value NAME=JSON");
}

Payload answer_of(Context& context, const Arguments& arguments, const expr::Value& values) {
    JsonWriter out;
    out.open_object().field("approved", !arguments.has("reject"));
    out.field("by", arguments.value_or("by", context.user()));
    out.field("role", arguments.value_or("role", ""));
    if (!arguments.has("reject")) out.key("values").raw(or_throw(expr::to_json(values)));
    out.close_object();
    return Payload(PayloadCodec::json, out.str());
}

void print_answer(Context& context, const std::string& id, const Asked& asked, bool waiting) {
    if (context.json()) {
        JsonWriter out;
        out.open_object().field("id", id).field("step", asked.step);
        if (asked.item) out.field("item", *asked.item);
        out.field("answer", waiting ? "delivered" : "kept").close_object();
        context.print(out);
        return;
    }
    context.print_line(waiting
                           ? "delivered to " + safe(id)
                           : safe(asked.step) + " has not asked yet; the answer is kept for it");
}

Exit run_approve(Context& context, const Arguments& arguments) {
    const std::string& id = arguments.operand(0);
    const Asked asked = asked_of(arguments.operand(1));
    const InstanceInfo info = or_throw(context.client().inspect(context.name(id)));
    const flow::Bundle bundle = bundle_of(context, info);
    RunReader reader(context, info, bundle);
    const RunView view = reader.read();
    const auto definition = bundle.flows.find(info.definition);
    const flow::Approval& approval = approval_of(definition->second, asked);
    const WorkView& work = work_of(view, asked);
    if (has_ended(work.state)) {
        throw Problem(Exit::refused,
                      "'" + safe(arguments.operand(1)) + "' is " +
                          std::string(to_string(work.state)) + " already",
                      "'belay graph " + id + "' shows the run");
    }
    const expr::Value values = values_of(arguments);
    check_answer(approval, arguments, values);
    std::string event = "approval/" + asked.step;
    if (asked.item) event += "/" + std::to_string(*asked.item);
    or_throw(context.client().raise(
        InstanceAddress(info.name, info.run), event, answer_of(context, arguments, values)));
    print_answer(context, id, asked, work.state == graph::State::waiting);
    return Exit::ok;
}

}  // namespace

Command approve_command() {
    return {
        .name = "approve",
        .summary = "Answer a step of a flow that asks a person",
        .details =
            "An answer that comes before the question is kept for it. Exits with 3 if the "
            "flow has no such approval, with 4 if it was answered already or this role may "
            "not answer.",
        .operands = {id_operand(),
                     {.name = "STEP", .help = "the step that asks; STEP[3] is an item of a map"}},
        .options = {{.name = "reject", .help = "answer no: the step fails"},
                    {.name = "value",
                     .value = "NAME=JSON",
                     .help = "a field of the answer",
                     .repeats = true},
                    {.name = "by", .value = "NAME", .help = "the person. Default: $USER"},
                    {.name = "role", .value = "ROLE", .help = "the role in which they answer"}},
        .examples = {{"belay approve release-3 confirm", ""},
                     {"belay approve release-3 confirm --reject --by ann", ""},
                     {"belay approve etl-1 review --value limit=50", "with a value"}},
        .run = run_approve,
    };
}

}  // namespace belay::cli
