// Follows a run until it has settled, while a worker of this process works on it.
#pragma once

#include "cli/command.hpp"
#include "cli/context.hpp"
#include "cli/flow/presenter.hpp"
#include "cli/flow/run_start.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace belay::cli {

struct FollowOptions {
    Style style = Style::lines;
    std::optional<std::uint32_t> workers{};  ///< Steps at once; not set: the worker's default.
    std::string directory{};                 ///< That of programs: the folder of the pipeline.
    std::string file{};                      ///< The pipeline, as it was given; empty: none was.
};

/// The options that choose a style and the number of workers, for commands that follow a run.
[[nodiscard]] std::vector<Option> follow_words();
/// Reads them. Throws a Problem.
[[nodiscard]] FollowOptions follow_options_of(Context& context, const Arguments& arguments);
/// Returns the folder of the pipeline whose store this is; the current one if it is no store of a
/// pipeline.
[[nodiscard]] std::string folder_of_store(Context& context);

/// Returns how the run ended, or that the command left before.
[[nodiscard]] Exit follow(Context& context,
                          const ChosenFlowRun& chosen,
                          const FollowOptions& options);

/// Returns the exit status for the end of a run of this flow.
[[nodiscard]] Exit exit_of_run(const Outcome& outcome, const std::string& flow) noexcept;

}  // namespace belay::cli
