// The rules of a retention policy, as they are written on the command line and shown.
#pragma once

#include "cli/context.hpp"
#include "cli/table.hpp"
#include <belay/retention/rules.hpp>

#include <vector>

namespace belay::cli {

/// --rule, --executions and --file.
[[nodiscard]] std::vector<Option> retention_rule_options();
/// True if any of them was said.
[[nodiscard]] bool names_rules(const Arguments& arguments);
/// Returns their policy for the namespace. Throws a Problem that names the rule, or the line of the
/// file.
[[nodiscard]] RetentionPolicy policy_of(Context& context, const Arguments& arguments);
/// Prints a line of JSON for each rule, with its author and time, or a table. Prints that
/// everything is kept if the policy has no rules.
void print_rules(Context& context, const StoredRetention& stored);

}  // namespace belay::cli
