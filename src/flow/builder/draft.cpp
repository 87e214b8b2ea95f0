#include "flow/builder/draft_state.hpp"
#include "json/writer.hpp"
#include <belay/flow/draft.hpp>

#include <algorithm>
#include <array>
#include <stdexcept>

namespace belay::detail {

void JsonFields::set(std::string name, std::string json) {
    const auto found =
        std::ranges::find(fields_, name, &std::pair<std::string, std::string>::first);
    if (found != fields_.end()) {
        found->second = std::move(json);
    } else {
        fields_.emplace_back(std::move(name), std::move(json));
    }
}

std::string JsonFields::object() const {
    json::Writer out;
    out.open_object();
    for (const auto& [name, json] : fields_) out.key(name).raw(json);
    out.close_object();
    return out.str();
}

FlowDraft::FlowDraft(std::string name, std::vector<FlowParam> params)
    : state_(std::make_unique<State>()) {
    state_->name = std::move(name);
    state_->params = std::move(params);
}

FlowDraft::~FlowDraft() = default;

const std::string& FlowDraft::name() const noexcept { return state_->name; }
const std::vector<FlowParam>& FlowDraft::params() const noexcept { return state_->params; }

FlowTerm FlowDraft::fact(std::string text) const {
    FlowTerm term;
    term.text = std::move(text);
    term.flow = this;
    return term;
}

FlowTerm FlowDraft::param(std::size_t position) const {
    return fact("params." + state_->params.at(position).name);
}

// ---- Steps -------------------------------------------------------------------------------------

namespace {

std::string list_of(const std::vector<FlowArgument>& arguments, bool types) {
    json::Writer out;
    out.open_array();
    for (const FlowArgument& argument : arguments) {
        if (types) {
            out.text(argument.type);
        } else {
            out.raw(flow_hole(argument.term));
        }
    }
    out.close_array();
    return out.str();
}

void add_name(std::vector<std::string>& names, const std::string& name) {
    if (std::ranges::find(names, name) == names.end()) names.push_back(name);
}

}  // namespace

std::size_t FlowDraft::add(FlowPart part, std::string id, const char* kind, std::string value) {
    state_->steps.push_back(DraftStep{part, std::move(id), kind, std::move(value)});
    changed();
    return state_->steps.size() - 1;
}

std::size_t FlowDraft::add_activity(FlowPart part,
                                    std::string id,
                                    std::string_view activity,
                                    const std::vector<FlowArgument>& arguments) {
    const std::size_t step = add(part, std::move(id), "activity", plain_text(activity));
    set(step, "args", list_of(arguments, false));
    set(step, "arg_types", list_of(arguments, true));
    for (const FlowArgument& argument : arguments) use(step, argument.term);
    return step;
}

std::size_t FlowDraft::add_flow(FlowPart part,
                                std::string id,
                                const std::shared_ptr<const FlowDraft>& flow,
                                const std::vector<FlowArgument>& arguments) {
    if (flow.get() != this) {
        const auto [known, added] = state_->flows.emplace(flow->name(), flow);
        if ((!added && known->second != flow) || flow->name() == name()) {
            state_->mistakes.push_back("two different flows have the name '" + flow->name() + "'");
        }
    }
    const std::size_t step = add(part, std::move(id), "flow", plain_text(flow->name()));
    JsonFields with;
    for (std::size_t i = 0; i < arguments.size(); ++i) {
        with.set(flow->params()[i].name, flow_hole(arguments[i].term));
        use(step, arguments[i].term);
    }
    if (!with.empty()) set(step, "with", with.object());
    return step;
}

std::size_t FlowDraft::add_expression(FlowPart part,
                                      std::string id,
                                      const char* kind,
                                      const FlowTerm& term) {
    const std::size_t step = add(part, std::move(id), kind, flow_hole(term));
    use(step, term);
    return step;
}

FlowTerm FlowDraft::output_of(std::size_t step) const {
    const std::string& id = state_->steps[step].id;
    FlowTerm term = fact("steps." + id + ".output");
    term.needs.push_back(id);
    return term;
}

FlowTerm FlowDraft::output_or(std::size_t step, const FlowTerm& otherwise) const {
    FlowTerm term = joined_terms(of_ended(step, "?output"), "", otherwise);
    term.text = "steps." + state_->steps[step].id + ".?output.orValue(" + otherwise.text + ")";
    term.is_simple = true;
    return term;
}

FlowTerm FlowDraft::of_ended(std::size_t step, const char* member) const {
    const std::string& id = state_->steps[step].id;
    FlowTerm term = fact("steps." + id + "." + member);
    term.after.push_back(id);
    return term;
}

void FlowDraft::use(std::size_t step, const FlowTerm& term) {
    if (term.flow != nullptr && term.flow != this) {
        throw std::invalid_argument("belay: the step '" + state_->steps[step].id +
                                    "' uses a value of another flow");
    }
    DraftStep& user = state_->steps[step];
    for (const std::string& name : term.needs) {
        if (name != user.id) add_name(user.needs, name);
    }
    for (const std::string& name : term.after) {
        if (name != user.id) add_name(user.after, name);
    }
    changed();
}

void FlowDraft::need(std::size_t step, std::size_t other) {
    add_name(state_->steps[step].needs, state_->steps[other].id);
    changed();
}

void FlowDraft::come_after(std::size_t step, std::size_t other) {
    add_name(state_->steps[step].after, state_->steps[other].id);
    changed();
}

// ---- Fields of a step --------------------------------------------------------------------------

void FlowDraft::set(std::size_t step, const char* field, std::string json) {
    state_->steps[step].fields.set(field, std::move(json));
    changed();
}

void FlowDraft::set_text(std::size_t step, const char* field, std::string_view text) {
    set(step, field, plain_text(text));
}

void FlowDraft::set_expression(std::size_t step, const char* field, const FlowTerm& term) {
    set_text(step, field, term.text);
    use(step, term);
}

void FlowDraft::set_inside(std::size_t step, const char* field, std::string json) {
    state_->steps[step].inside.set(field, std::move(json));
    changed();
}

void FlowDraft::set_retries(std::size_t step, const FlowRetries& retries) {
    JsonFields fields;
    fields.set("attempts", std::to_string(retries.attempts));
    fields.set("delay", flow_time(retries.delay));
    fields.set("factor", json::Writer().number(retries.factor).str());
    fields.set("max_delay", flow_time(std::max(retries.delay, retries.max_delay)));
    set(step, "retry", fields.object());
}

void FlowDraft::set_timeout(std::size_t step, Millis timeout) {
    const std::string& kind = state_->steps[step].kind;
    if (kind == "wait" || kind == "approval") {
        set_inside(step, "timeout", flow_time(timeout));
    } else {
        set(step, "timeout", flow_time(timeout));
    }
}

void FlowDraft::set_on_timeout(std::size_t step, FlowTimeout then) {
    static constexpr std::array<std::string_view, 3> kNames{"fail", "skip", "complete"};
    set_inside(step, "on_timeout", plain_text(kNames[static_cast<std::size_t>(then)]));
}

void FlowDraft::set_on_cancel(std::size_t step,
                              std::string_view activity,
                              const std::vector<FlowArgument>& arguments) {
    JsonFields fields;
    fields.set("activity", plain_text(activity));
    fields.set("args", list_of(arguments, false));
    fields.set("arg_types", list_of(arguments, true));
    set(step, "on_cancel", fields.object());
    for (const FlowArgument& argument : arguments) use(step, argument.term);
}

FlowTerm FlowDraft::add_question(std::size_t step, std::string_view name, const std::string& type) {
    state_->steps[step].questions.set(std::string(name), param_json(type));
    changed();
    return wrapped_term("", output_of(step), ".values." + std::string(name));
}

void FlowDraft::add_variable(std::size_t step, std::string_view name, const FlowTerm& value) {
    state_->steps[step].variables.set(std::string(name), flow_hole(value));
    use(step, value);
}

// ---- Fields of the flow ------------------------------------------------------------------------

void FlowDraft::set_of_flow(const char* field, std::string json) {
    state_->fields.set(field, std::move(json));
    changed();
}

void FlowDraft::set_text_of_flow(const char* field, std::string_view text) {
    set_of_flow(field, plain_text(text));
}

void FlowDraft::set_expression_of_flow(const char* field, const FlowTerm& term) {
    refuse_foreign(term);
    set_text_of_flow(field, term.text);
}

void FlowDraft::set_output(const FlowTerm& term, const std::string& type) {
    refuse_foreign(term);
    state_->output = term.text;
    state_->output_type = type;
    changed();
}

void FlowDraft::set_concurrency(const FlowTerm& key, const char* when_busy) {
    refuse_foreign(key);
    JsonFields fields;
    fields.set("key", plain_text(key.text));
    fields.set("when_busy", plain_text(when_busy));
    set_of_flow("concurrency", fields.object());
}

void FlowDraft::set_rate(std::uint32_t starts, Millis per, const char* when_over) {
    JsonFields fields;
    fields.set("starts", std::to_string(starts));
    fields.set("per", flow_time(per));
    fields.set("when_over", plain_text(when_over));
    set_of_flow("rate", fields.object());
}

void FlowDraft::add_label(std::string name, std::string_view value) {
    state_->labels.set(std::move(name), plain_text(value));
    changed();
}

void FlowDraft::refuse_foreign(const FlowTerm& term) const {
    if (term.flow == nullptr || term.flow == this) return;
    throw std::invalid_argument("belay: the flow '" + name() + "' uses a value of another flow");
}

void FlowDraft::changed() {
    const MutexLock lock(state_->mutex);
    state_->prepared.reset();
}

}  // namespace belay::detail
