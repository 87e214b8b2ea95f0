#include "flow/definition/checker.hpp"

#include "flow/definition/names.hpp"
#include "flow/definition/references.hpp"
#include "flow/definition/types.hpp"

#include <algorithm>
#include <utility>

namespace belay::flow {

using expr::Kind;
using expr::Type;

namespace {

void collect(const Form& form, std::vector<Reference>& out) {
    if (const expr::Template* const text = form.text()) {
        for (const expr::Program& program : text->expressions()) {
            auto found = references_of(program.root());
            std::ranges::move(found, std::back_inserter(out));
        }
    } else if (const Form::Items* const items = form.items()) {
        for (const Form& item : *items) collect(item, out);
    } else if (const Form::Fields* const fields = form.fields()) {
        for (const auto& [name, field] : *fields) collect(field, out);
    }
}

/// Returns the kinds that a value at this place may have, and their names; empty: any.
std::pair<std::vector<Kind>, std::string_view> expected_at(SiteKind kind) {
    switch (kind) {
        case SiteKind::start:
        case SiteKind::condition:
        case SiteKind::end_flow: return {{Kind::boolean}, "a bool"};
        case SiteKind::map: return {{Kind::list}, "a list"};
        case SiteKind::concurrency:
            return {{Kind::text, Kind::integer, Kind::boolean}, "a string, an int or a bool"};
        case SiteKind::duration:
            return {{Kind::text, Kind::duration, Kind::integer}, "a string or a duration"};
        default: return {{}, ""};
    }
}

class ExpressionChecker {
public:
    ExpressionChecker(Reading& in, Draft& draft, const std::vector<Graph>& graphs)
        : in_(in), draft_(draft), names_(in, draft, graphs) {}

    void check(const std::vector<Graph>& graphs) {
        for (std::size_t i = 0; i < kParts.size(); ++i) {
            std::vector<bool> done(draft_.steps(kParts[i]).size());
            for (const std::size_t step : graphs[i].order()) {
                check_step({kParts[i], step});
                done[step] = true;
            }
            for (std::size_t step = 0; step < done.size(); ++step) {
                if (!done[step]) check_step({kParts[i], step});
            }
        }
        for (const Site& site : in_.sites) {
            if (site.owner.part == Part::flow) (void)check_site(site);
        }
        for (FlowUse& use : in_.uses) {
            for (Argument& argument : use.arguments) {
                argument.type = silent_type(argument.form, use.owner);
            }
        }
    }

private:
    Type check_site(const Site& site) {
        std::vector<Reference> references;
        collect(site.form, references);
        if (site.kind == SiteKind::condition) remember_tests(site, references);
        const Type::Fields names = names_.visible(site.owner, site.kind, references);
        std::vector<expr::Problem> problems;
        const Type type = type_of(site.form, names, problems);
        for (const expr::Problem& problem : problems) in_.report(problem);
        const auto& [kinds, words] = expected_at(site.kind);
        if (type.kind() && !kinds.empty() &&
            std::ranges::find(kinds, *type.kind()) == kinds.end()) {
            in_.report(site.place,
                       in_quotes(site.field) + " must be " + std::string(words) + ", not " +
                           to_string(type));
        }
        return type;
    }

    /// Returns the type of a form that was checked before.
    Type silent_type(const Form& form, SiteOwner owner) {
        std::vector<Reference> references;
        collect(form, references);
        const Problems before = std::exchange(in_.problems, {});
        const Type::Fields names = names_.visible(owner, SiteKind::action, references);
        in_.problems = before;
        std::vector<expr::Problem> ignored;
        return type_of(form, names, ignored);
    }

    void remember_tests(const Site& site, const std::vector<Reference>& references) {
        for (const Reference& reference : references) {
            if (tests_step(reference)) {
                names_.knowledge(site.owner).tested.insert(reference.member);
            }
        }
    }

    void check_step(SiteOwner owner) {
        const Step& step = draft_.steps(owner.part)[owner.step];
        StepFacts& facts = draft_.facts_of(owner.part)[owner.step];
        if (step.map) facts.item = literal_item(*step.map);
        // The sites of a step stand together, with its condition and its map before the others.
        const auto first = std::ranges::find_if(in_.sites, [&](const Site& site) {
            return site.owner.part == owner.part && site.owner.step == owner.step;
        });
        for (auto site = first; site != in_.sites.end(); ++site) {
            if (site->owner.part != owner.part || site->owner.step != owner.step) break;
            if (site->kind == SiteKind::end_flow) learn_output(owner, step, facts);
            const Type type = check_site(*site);
            if (site->kind == SiteKind::map) facts.item = type.inner();
        }
        learn_output(owner, step, facts);
    }

    static Type literal_item(const MapOver& map) {
        const expr::Node& root = map.over.root();
        return root.kind == expr::Node::Kind::literal ? type_of(root.value).inner() : Type();
    }

    void learn_output(SiteOwner owner, const Step& step, const StepFacts& facts) {
        Type one = output_of(owner, step, facts);
        if (step.map) {
            const bool may_be_null = step.map->any_may_fail || step.map->items_may_fail > 0;
            one = Type::list(may_be_null ? Type() : std::move(one));
        }
        names_.knowledge(owner).output = std::move(one);
    }

    /// The type of an output is known only if the definition tells it: a program may write JSON to
    /// $BELAY_OUTPUT.
    Type output_of(SiteOwner owner, const Step& step, const StepFacts& facts) {
        if (const auto* set = std::get_if<Set>(&step.action)) return silent_type(set->value, owner);
        if (std::holds_alternative<Http>(step.action)) return http_output_type();
        if (!facts.output_given) return {};
        if (step.output == OutputForm::text) return Type(Kind::text);
        if (step.output == OutputForm::lines) return Type::list(Type(Kind::text));
        return {};
    }

    Reading& in_;
    Draft& draft_;
    Names names_;
};

}  // namespace

void check_expressions(Reading& in, Draft& draft, const std::vector<Graph>& graphs) {
    ExpressionChecker(in, draft, graphs).check(graphs);
}

}  // namespace belay::flow
