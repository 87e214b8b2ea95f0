#include "flow/definition/reader.hpp"

#include "flow/definition/checker.hpp"
#include "flow/definition/limits.hpp"
#include "flow/definition/parse.hpp"
#include "flow/definition/reading.hpp"
#include "yaml/reader.hpp"

#include <vector>

namespace belay::flow {

namespace {

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
    std::vector<yaml::Mistake> twice;
    const auto document = yaml::read(text, twice);
    if (!document) {
        parsed.problems.push_back(problem_of(document.error()));
        return parsed;
    }
    Reading in(text, options);
    for (const yaml::Mistake& key : twice) in.report(key.place, key.message, key.advice);
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
