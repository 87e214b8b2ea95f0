// The rules of a retention policy, as they are written on the command line and shown.
#pragma once

#include "cli/context.hpp"
#include "cli/table.hpp"
#include <belay/retention/rules.hpp>

#include <vector>

namespace belay::cli {

/// --rule, --executions and --file.
[[nodiscard]] std::vector<Option> retention_rule_options();
/// Whether any of them was said.
[[nodiscard]] bool names_rules(const Arguments& arguments);
/// What they say for the namespace. Throws a Problem that names the rule, or the line of the file.
[[nodiscard]] RetentionPolicy policy_of(Context& context, const Arguments& arguments);
/// A line of JSON for each rule, with who set it and when, or a table. Of a policy without rules a
/// line says that everything is kept.
void print_rules(Context& context, const StoredRetention& stored);

}  // namespace belay::cli
