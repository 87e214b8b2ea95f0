// Two builds of the benchmark, in turns.
#pragma once

#include "report.hpp"

#include <string>
#include <vector>

namespace belay::bench {

/// Compares the figures of a group that are called like `only`, one after the other, with those of
/// the build whose benchmark is the program `other`. Both run in processes of their own, one slice
/// each, in turns. Throws if nothing can be compared.
void compare_with(Report& report,
                  const std::string& group,
                  const std::string& only,
                  const std::string& other);

/// Answers the questions of `compare_with` to each side: the figures of a group, or one slice of
/// one of them. Returns the exit code; -1 if the arguments ask for neither.
[[nodiscard]] int answer_comparison(const std::vector<std::string>& arguments);

}  // namespace belay::bench
