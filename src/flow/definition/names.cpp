#include "flow/definition/names.hpp"

#include "flow/definition/params.hpp"
#include "flow/definition/types.hpp"

#include <algorithm>

namespace belay::flow {

using expr::Kind;
using expr::Type;

namespace {

bool is_action(SiteKind kind) noexcept {
    return kind == SiteKind::action || kind == SiteKind::with_secret || kind == SiteKind::duration;
}

bool sees_steps(SiteKind kind) noexcept {
    return kind != SiteKind::concurrency && kind != SiteKind::flow_env && kind != SiteKind::start;
}

/// True if a step of one list may name steps of the other.
bool sees_part(Part from, Part other) noexcept {
    if (from == Part::flow) return other == Part::steps;
    if (from == other) return true;
    return other == Part::steps && (from == Part::finally || from == Part::on_cancel);
}

}  // namespace

Names::Names(Reading& in, const Draft& draft, const std::vector<Graph>& graphs)
    : in_(in), draft_(draft), graphs_(graphs) {
    for (const Part part : kParts) {
        const std::vector<Step>& steps = draft.steps(part);
        knowledge_[static_cast<std::size_t>(part)].resize(steps.size());
        for (std::size_t i = 0; i < steps.size(); ++i) {
            positions_.emplace(steps[i].id, SiteOwner{part, i});
        }
    }
}

const Graph& Names::graph(Part part) const {
    const auto at = std::ranges::find(kParts, part) - kParts.begin();
    return graphs_.at(static_cast<std::size_t>(at));
}

// ---- Names that are the same everywhere --------------------------------------------------------

void Names::add_fixed(Fields& names, SiteOwner owner, SiteKind kind) const {
    Fields params;
    for (const Param& param : draft_.definition.params) params.emplace(param.name, type_of(param));
    names.emplace("params", Type::object(std::move(params)));
    if (kind == SiteKind::concurrency) return;
    names.emplace("run", run_type());
    if (is_action(kind) || kind == SiteKind::flow_env) names.emplace("step", step_type());
    if (owner.part == Part::on_fail) names.emplace("failure", failure_type());
    if (owner.part == Part::finally || owner.part == Part::on_cancel)
        names.emplace("outcome", outcome_type());
    if (owner.part == Part::flow || !is_action(kind)) return;
    const Step& step = draft_.steps(owner.part)[owner.step];
    if (!step.map) return;
    names.insert_or_assign(step.map->as, draft_.facts_of(owner.part)[owner.step].item);
    names.emplace("index", Type(Kind::integer));
}

/// Explains names that exist, but not here.
void Names::explain_hidden(Fields& names,
                           SiteOwner owner,
                           const std::vector<Reference>& references) {
    static const std::map<std::string_view, std::string_view> kHidden{
        {"env", "Expressions do not see the environment: use a param, or $NAME in a script"},
        {"item", "Only what a step with \"map\" does sees its items"},
        {"index", "Only what a step with \"map\" does sees its items"},
        {"step", "Only what a step does sees it"},
        {"steps", "Only steps and the output see other steps"},
        {"failure", "Only steps of \"on_fail\" see it"},
        {"outcome", "Only steps of \"finally\" and \"on_cancel\" see it"},
        {"run", "The key is evaluated before there is a run"}};
    for (const Reference& reference : references) {
        if (names.contains(reference.root)) continue;
        const auto hidden = kHidden.find(reference.root);
        std::string advice(hidden == kHidden.end() ? "" : hidden->second);
        if (advice.empty() && owner.part != Part::flow) {
            const Step& step = draft_.steps(owner.part)[owner.step];
            const bool item = step.map && step.map->as == reference.root;
            if (item) advice = "Only what the step does sees its items";
        }
        if (advice.empty()) continue;
        in_.report(reference.place, "unknown name " + in_quotes(reference.root), std::move(advice));
        names.emplace(reference.root, Type());
    }
}

// ---- Params and secrets ------------------------------------------------------------------------

void Names::check_params(Fields& names, const std::vector<Reference>& references) {
    const std::vector<std::string_view> known = names_of(draft_.definition.params);
    Fields fields = *names.find("params")->second.fields();
    for (const Reference& reference : references) {
        if (reference.root != "params" || reference.member.empty()) continue;
        if (!fields.emplace(reference.member, Type()).second) continue;
        in_.report(reference.member_place,
                   "unknown param " + in_quotes(reference.member),
                   did_you_mean(reference.member, known));
    }
    names.insert_or_assign("params", Type::object(std::move(fields)));
}

void Names::check_secrets(Fields& names, SiteKind kind, const std::vector<Reference>& references) {
    Fields fields;
    std::vector<std::string_view> known;
    for (const Secret& secret : draft_.definition.secrets) {
        fields.emplace(secret.name, Type(Kind::text));
        known.emplace_back(secret.name);
    }
    const bool allowed = kind == SiteKind::with_secret || kind == SiteKind::flow_env;
    for (const Reference& reference : references) {
        if (reference.root != "secrets") continue;
        if (!allowed) {
            in_.report(reference.place,
                       "a secret cannot be used here: it would be recorded or shown",
                       "Secrets may stand in \"env\", in \"stdin\", and in the url, headers, json "
                       "and body of \"http\"");
        } else if (reference.member.empty()) {
            in_.report(reference.place, "a secret must be named", "Write secrets.<name>");
        } else if (!fields.contains(reference.member)) {
            in_.report(reference.member_place,
                       "unknown secret " + in_quotes(reference.member),
                       did_you_mean(reference.member, known));
        } else if (!reference.is_inserted) {
            in_.report(reference.place,
                       "a secret is not known here: it can only be inserted into a text",
                       "Write ${{ secrets." + reference.member + " }}, or join it with +");
        }
        fields.emplace(reference.member, Type());
    }
    const bool whole = std::ranges::any_of(references, [](const Reference& one) {
        return one.root == "secrets" && one.member.empty();
    });
    names.emplace("secrets", whole ? Type() : Type::object(std::move(fields)));
}

// ---- Steps -------------------------------------------------------------------------------------

std::optional<SiteOwner> Names::find_step(SiteOwner from, std::string_view id) const {
    const auto found = positions_.find(id);
    if (found == positions_.end() || !sees_part(from.part, found->second.part)) return std::nullopt;
    return found->second;
}

/// True if the step has surely completed when the expression is evaluated.
bool Names::is_complete(SiteOwner owner, SiteKind kind, SiteOwner target) const {
    if (owner.part == Part::flow) return graph(target.part).sure(target.step);
    if (owner.part != target.part) return false;
    if (owner.step == target.step) return kind == SiteKind::end_flow;
    return graph(target.part).completed(target.step, owner.step);
}

/// True if the step has ended when the expression is evaluated.
bool Names::is_ordered(SiteOwner owner, SiteKind kind, SiteOwner target) const {
    if (owner.part != target.part) return true;
    if (owner.step == target.step) return kind == SiteKind::end_flow;
    return graph(owner.part).ended(target.step, owner.step);
}

void Names::check_order(SiteOwner owner,
                        SiteKind kind,
                        const Reference& reference,
                        SiteOwner target) {
    if (is_ordered(owner, kind, target)) return;
    if (owner.step == target.step) {
        in_.report(reference.member_place,
                   "the step refers to itself",
                   "Only \"end_flow\" sees the output of its own step");
        return;
    }
    // It has no place in the order until the cycle is broken.
    if (!graph(owner.part).is_sorted(owner.step)) return;
    in_.report(reference.member_place,
               "step " + in_quotes(reference.member) + " need not have run before",
               "Add it to \"needs\", or to \"after\" if it may be skipped");
}

/// Reports a field that is only there if the step has completed, or failed.
void Names::check_presence(SiteOwner owner,
                           SiteKind kind,
                           const Reference& reference,
                           const std::vector<Reference>& all) {
    if (reference.field.empty() || reference.field == "status") return;
    if (reference.is_optional || reference.is_tested) return;
    const auto target = find_step(owner, reference.member);
    if (!target || !is_ordered(owner, kind, *target)) return;
    const bool is_failure = reference.field == "failure";
    if (!is_failure && is_complete(owner, kind, *target)) return;
    const bool tested = std::ranges::any_of(all, [&](const Reference& one) {
        return one.member == reference.member && tests_step(one);
    });
    if (tested) return;
    if (owner.part != Part::flow && knowledge(owner).tested.contains(reference.member)) return;
    const std::string path = "steps." + reference.member + ".";
    in_.report(reference.member_place,
               path + reference.field + " is not there if the step " +
                   (is_failure ? "did not fail" : "did not complete"),
               "Write " + path + "?" + reference.field + ".orValue(...), or test " + path +
                   "status first");
}

Type Names::step(SiteOwner owner, SiteKind kind, const Reference& reference) {
    const auto target = find_step(owner, reference.member);
    if (!target) {
        std::vector<std::string_view> known;
        for (const auto& [id, position] : positions_) {
            if (sees_part(owner.part, position.part)) known.emplace_back(id);
        }
        const auto other = positions_.find(reference.member);
        const bool hidden = other != positions_.end();
        in_.report(reference.member_place,
                   hidden ? "steps of " + in_quotes(to_string(other->second.part)) +
                                " are not visible here"
                          : "unknown step " + in_quotes(reference.member),
                   hidden ? "" : did_you_mean(reference.member, known));
        return {};
    }
    check_order(owner, kind, reference, *target);
    const Step& step = draft_.steps(target->part)[target->step];
    Fields fields{{"output", knowledge(*target).output},
                  {"status", Type(Kind::text)},
                  {"failure", failure_type()}};
    if (step.map) {
        fields.emplace("items", Type(Kind::integer));
        fields.emplace("completed", Type(Kind::integer));
        fields.emplace("skipped", Type(Kind::integer));
        fields.emplace("failed", Type::list(failure_type()));
    }
    return Type::object(std::move(fields));
}

Type Names::steps(SiteOwner owner, SiteKind kind, const std::vector<Reference>& references) {
    Fields fields;
    bool whole = false;
    for (const Reference& reference : references) {
        if (reference.root != "steps") continue;
        if (reference.member.empty()) {
            in_.report(reference.place, "a step must be named", "Write steps.<id>");
            whole = true;
        } else if (!fields.contains(reference.member)) {
            fields.emplace(reference.member, step(owner, kind, reference));
        }
    }
    for (const Reference& reference : references) {
        if (reference.root == "steps") check_presence(owner, kind, reference, references);
    }
    return whole ? Type() : Type::object(std::move(fields));
}

Type::Fields Names::visible(SiteOwner owner,
                            SiteKind kind,
                            const std::vector<Reference>& references) {
    Fields names;
    add_fixed(names, owner, kind);
    check_params(names, references);
    check_secrets(names, kind, references);
    if (sees_steps(kind)) names.insert_or_assign("steps", steps(owner, kind, references));
    explain_hidden(names, owner, references);
    return names;
}

}  // namespace belay::flow
