// Commands that start new runs for many that have ended.
#pragma once

#include "cli/context.hpp"

#include <functional>
#include <string>
#include <vector>

namespace belay::cli {

/// The words for what happens to each run.
struct AgainWords {
    std::string before;   ///< "Run ", the beginning of the question.
    std::string after;    ///< " again?", behind the number of instances.
    std::string preview;  ///< "would run again"
    std::string done;     ///< "run again"
    std::string count;    ///< "rerun": the name of the count in JSON.
};

/// The options that choose many: --all, --limit, the filters, and --yes.
[[nodiscard]] std::vector<Option> again_options();
/// True if the command line chooses many. Throws a Problem if it also names one, or does neither;
/// `action`: "run again".
[[nodiscard]] bool chooses_many(const Arguments& arguments, const std::string& action);
/// Throws a Problem for an option that only a command for one instance takes.
void refuse_options_of_one(const Arguments& arguments, const std::vector<const char*>& options);

/// Finds the roots that match and have ended, asks, and calls `start` for each. Goes on after a
/// Problem. Leaves out those that were started again before. With `--dry-run` only prints how many
/// there are. `start` returns false if another one was there already.
[[nodiscard]] Exit start_many_again(Context& context,
                                    const Arguments& arguments,
                                    const AgainWords& words,
                                    const std::function<bool(const InstanceInfo&)>& start);

}  // namespace belay::cli
