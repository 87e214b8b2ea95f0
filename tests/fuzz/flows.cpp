// Definitions of flows. Whatever is read without problems can be written into a bundle and opened
// again. Results that a document keeps are read, or refused.
#include "flow/definition/bundle.hpp"
#include "flow/definition/params.hpp"
#include "flow/interpreter/kept.hpp"
#include "fuzz/target.hpp"
#include <belay/exceptions.hpp>

#include <optional>

using namespace belay;

namespace {

/// Looks for the kept results of all steps of a document.
void read_kept(const flow::Bundle& bundle) {
    for (const auto& [name, definition] : bundle.flows) {
        if (!definition.kept) continue;
        for (const char* const path : {"", "sub"}) {
            const flow::KeptResults kept(definition.kept, path);
            for (const flow::Step& step : definition.steps) {
                try {
                    (void)kept.path_below(step.id, expr::Value());
                    (void)kept.find(step.id);
                    (void)kept.find(step.id + "[0]");
                    (void)kept.find(step.id + "[1]");
                } catch (const DecodeError&) {
                    continue;
                }
            }
        }
    }
}

}  // namespace

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    const std::string_view text = fuzz::text_of(data, size);
    if (const auto bundle = flow::open_bundle(text)) read_kept(*bundle);
    const auto definition = flow::read_definition(text);
    if (!definition) {
        const flow::Problems& problems = definition.error();
        fuzz::require(!problems.empty(), "a text that is refused has problems");
        base::Place before = problems.front().place;
        for (const flow::Problem& problem : problems) {
            const bool in_order =
                problem.place.line > before.line ||
                (problem.place.line == before.line && problem.place.column >= before.column);
            fuzz::require(in_order, "problems are in the order of their places");
            fuzz::require(problem.place != flow::kNoPlace, "each problem has a place");
            before = problem.place;
        }
        return 0;
    }
    (void)flow::check_params(*definition, expr::Value());
    const auto bundle = flow::read_bundle(
        text, [](std::string_view) -> std::optional<std::string> { return std::nullopt; });
    if (!bundle) return 0;
    const std::string document = flow::write_bundle(*bundle);
    const auto opened = flow::open_bundle(document);
    fuzz::require(opened.ok(), "what was written is opened again");
    fuzz::require(flow::write_bundle(*opened) == document, "and is the same");
    return 0;
}
