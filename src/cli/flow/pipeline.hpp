// A file with a flow, and the definitions beside it.
#pragma once

#include "cli/context.hpp"
#include "flow/definition/bundle.hpp"

#include <string>
#include <vector>

namespace belay::cli {

/// A file that was read and checked.
struct Pipeline {
    std::string path;  ///< As it was given.
    flow::Bundle bundle;
    std::string folder;  ///< The path of the folder that it is in.
    std::string store;   ///< The path of its own store, which need not exist.
};

/// A mistake, with the path of the file that has it.
struct PlacedProblem {
    std::string path;
    flow::Problem problem;
};

/// The bundle of a file, or all mistakes in it and in the files that it names.
struct PipelineRead {
    std::optional<Pipeline> pipeline{};
    std::vector<PlacedProblem> problems{};
};

/// Reads a definition, and those that it starts: `NAME.yaml`, `NAME.yml` or `NAME.json` beside it.
/// Throws a Problem if the file cannot be read.
[[nodiscard]] PipelineRead read_pipeline(Context& context, const std::string& path);

/// The same. Throws a Problem that lists the mistakes.
[[nodiscard]] Pipeline require_pipeline(Context& context, const std::string& path);

/// Returns "FILE:LINE:COLUMN: MESSAGE", and the advice on a line below it.
[[nodiscard]] std::string problem_lines(const PlacedProblem& placed);

/// Uses the store of the pipeline, unless another one is named. Makes its folder.
void use_store_of(Context& context, const Pipeline& pipeline);

/// Returns a word as a shell needs it: in single quotes if it has special characters.
[[nodiscard]] std::string shell_word(const std::string& word);

/// Returns the words that a command needs to find the store of this one: "--store sqlite:PATH", or
/// nothing if it finds it without them.
[[nodiscard]] std::string store_words(Context& context);

}  // namespace belay::cli
