#include "flow/definition/reader.hpp"

#include "base/sort_stably.hpp"
#include "flow/definition/checker.hpp"
#include "flow/definition/limits.hpp"
#include "flow/definition/parse.hpp"
#include "yaml/reader.hpp"

#include <algorithm>
#include <tuple>

namespace belay::flow {

namespace {

void sort_problems(Problems& problems) {
    base::sort_stably(problems, [](const Problem& a, const Problem& b) {
        return std::tie(a.place.line, a.place.column) < std::tie(b.place.line, b.place.column);
    });
    const auto rest = std::ranges::unique(problems);
    problems.erase(rest.begin(), rest.end());
}

/// Nothing of the cleanup may be cut off because a cancel does not wait that long.
void check_cleanup(Reading& in, const yaml::Value& document, const Draft& draft) {
    if (longest_cleanup(draft.definition) <= kLongestCleanups) return;
    const yaml::Value* at = nullptr;
    for (const char* const field : {"finally", "on_cancel"}) {
        if (at == nullptr) at = document.find(field);
    }
    in.report(at != nullptr ? at->place : Place{},
              "the cleanup after a cancel may take longer than 61m: a cancel waits for an hour",
              "The longest `on_cancel` of a step, \"on_cancel_timeout\" (30m) and "
              "\"finally_timeout\" (30m) count together");
}

void check_all(Reading& in, const yaml::Value& document, Draft& draft) {
    check_schedules(in, document, draft.definition);
    check_cleanup(in, document, draft);
    std::vector<Graph> graphs;
    for (const Part part : kParts) {
        graphs.emplace_back(draft.steps(part));
        check_graph(in, draft, part, graphs.back());
    }
    check_expressions(in, draft, graphs);
}

}  // namespace

Parsed parse_definition(std::string_view text, const ReadOptions& options, Checks checks) {
    Parsed parsed;
    if (text.size() > kMostSource) {
        parsed.problems.push_back(
            {Place{}, "the definition is longer than " + std::to_string(kMostSource) + " bytes"});
        return parsed;
    }
    const auto document = yaml::read(text);
    if (!document) {
        parsed.problems.push_back({document.error().place, document.error().message});
        return parsed;
    }
    Reading in(text, options);
    Draft draft = read_draft(in, *document);
    resolve_steps(in, draft);
    if (checks == Checks::all) check_all(in, *document, draft);
    sort_problems(in.problems);
    parsed.problems = std::move(in.problems);
    parsed.definition = std::move(draft.definition);
    parsed.uses = std::move(in.uses);
    return parsed;
}

std::expected<Definition, Problems> read_definition(std::string_view text,
                                                    const ReadOptions& options) {
    Parsed parsed = parse_definition(text, options, Checks::all);
    if (!parsed.problems.empty()) return std::unexpected(std::move(parsed.problems));
    return std::move(parsed.definition);
}

}  // namespace belay::flow
