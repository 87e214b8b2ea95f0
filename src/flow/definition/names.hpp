// The names that are visible at a place of a definition, with their types.
#pragma once

#include "expr/type.hpp"
#include "flow/definition/draft.hpp"
#include "flow/definition/graph.hpp"
#include "flow/definition/references.hpp"

#include <array>
#include <cstddef>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace belay::flow {

/// Results of the checks of a step.
struct StepKnowledge {
    expr::Type output{};
    /// The steps that its condition tests. What it does may rely on that.
    std::set<std::string, std::less<>> tested{};
};

/// True if the reference tells whether a step has completed.
[[nodiscard]] inline bool tests_step(const Reference& reference) {
    return reference.root == "steps" && (reference.is_tested || reference.field == "status");
}

/// Builds the types of names. Reports references to what is not there.
class Names {
public:
    Names(Reading& in, const Draft& draft, const std::vector<Graph>& graphs);

    /// Returns the types of all that an expression may name at this place. Names of steps are those
    /// of `references` alone. An unknown name that was reported has any type.
    [[nodiscard]] expr::Type::Fields visible(SiteOwner owner,
                                             SiteKind kind,
                                             const std::vector<Reference>& references);

    [[nodiscard]] StepKnowledge& knowledge(SiteOwner owner) {
        return knowledge_[static_cast<std::size_t>(owner.part)][owner.step];
    }

private:
    using Fields = expr::Type::Fields;

    void add_fixed(Fields& names, SiteOwner owner, SiteKind kind) const;
    void explain_hidden(Fields& names, SiteOwner owner, const std::vector<Reference>& references);
    void check_secrets(Fields& names, SiteKind kind, const std::vector<Reference>& references);
    void check_params(Fields& names, const std::vector<Reference>& references);
    [[nodiscard]] expr::Type steps(SiteOwner owner,
                                   SiteKind kind,
                                   const std::vector<Reference>& references);
    [[nodiscard]] expr::Type step(SiteOwner owner, SiteKind kind, const Reference& reference);
    void check_order(SiteOwner owner, SiteKind kind, const Reference& reference, SiteOwner target);
    void check_presence(SiteOwner owner,
                        SiteKind kind,
                        const Reference& reference,
                        const std::vector<Reference>& all);
    [[nodiscard]] std::optional<SiteOwner> find_step(SiteOwner from, std::string_view id) const;
    [[nodiscard]] bool is_ordered(SiteOwner owner, SiteKind kind, SiteOwner target) const;
    [[nodiscard]] bool is_complete(SiteOwner owner, SiteKind kind, SiteOwner target) const;
    [[nodiscard]] const Graph& graph(Part part) const;

    Reading& in_;
    const Draft& draft_;
    const std::vector<Graph>& graphs_;
    std::map<std::string, SiteOwner, std::less<>> positions_;
    std::array<std::vector<StepKnowledge>, 5> knowledge_;
};

}  // namespace belay::flow
