// Decides which run `belay run` follows: a new one, or one that is under way.
#pragma once

#include "cli/context.hpp"
#include "cli/flow/pipeline.hpp"
#include "expr/value.hpp"
#include "flow/definition/bundle.hpp"

#include <functional>
#include <string>
#include <vector>

namespace belay::cli {

/// The wishes of the command line.
struct RunWish {
    expr::Value params{};  ///< As they were given: a map, without the defaults.
    bool is_new = false;   ///< --new
    std::string join{};    ///< --join; empty: not said.
    std::string id{};      ///< --id; empty: the next number.
};

/// The run to follow.
struct ChosenFlowRun {
    InstanceInfo info;
    flow::Bundle bundle;  ///< The one that it has pinned.
    bool joined = false;
    bool file_changed = false;  ///< It was started with other definitions than the file has now.
};

/// Joins or starts. Throws a Problem with refused if a run with other params is under way.
[[nodiscard]] ChosenFlowRun choose_run(Context& context,
                                       const Pipeline& pipeline,
                                       const RunWish& wish);

/// Starts a run of this flow under the next free id, "backup-8". `start` tries one id. Throws a
/// Problem.
[[nodiscard]] StartResult start_numbered(
    Context& context,
    const std::string& flow,
    const std::function<Result<StartResult>(const std::string& id)>& start);

/// Returns the params of a command line: those of the file, and over them those given as texts.
/// `base`: a map of params below all of them, or null. Throws a Problem that lists what is wrong
/// with them.
[[nodiscard]] expr::Value given_params(Context& context,
                                       const flow::Definition& definition,
                                       const std::vector<std::string>& texts,
                                       const std::string& file,
                                       const expr::Value& base = expr::Value());

/// Returns a line for each param that differs: "keep is 7 there and 8 here".
[[nodiscard]] std::vector<std::string> differing_params(const expr::Map& there,
                                                        const expr::Map& here);

}  // namespace belay::cli
