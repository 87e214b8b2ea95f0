// Every command, in the order of the help. One file each.
#pragma once

#include "cli/command.hpp"

#include <vector>

namespace belay::cli {

[[nodiscard]] std::vector<Command> all_commands();

[[nodiscard]] Command run_command();
[[nodiscard]] Command work_command();
[[nodiscard]] Command flow_command();
[[nodiscard]] Command graph_command();
[[nodiscard]] Command approve_command();
[[nodiscard]] Command resume_command();
[[nodiscard]] Command rerun_command();
[[nodiscard]] Command start_command();
[[nodiscard]] Command list_command();
[[nodiscard]] Command show_command();
[[nodiscard]] Command history_command();
[[nodiscard]] Command logs_command();
[[nodiscard]] Command tree_command();
[[nodiscard]] Command wait_command();
[[nodiscard]] Command watch_command();
[[nodiscard]] Command cancel_command();
[[nodiscard]] Command terminate_command();
[[nodiscard]] Command raise_command();
[[nodiscard]] Command enqueue_command();
[[nodiscard]] Command delete_command();
[[nodiscard]] Command prune_command();
[[nodiscard]] Command retention_command();
[[nodiscard]] Command compact_command();
[[nodiscard]] Command backup_command();
[[nodiscard]] Command export_command();
[[nodiscard]] Command import_command();
[[nodiscard]] Command queues_command();
[[nodiscard]] Command limits_command();
[[nodiscard]] Command leases_command();
[[nodiscard]] Command held_command();
[[nodiscard]] Command dead_letters_command();
[[nodiscard]] Command keys_command();
[[nodiscard]] Command schedules_command();
[[nodiscard]] Command doctor_command();
[[nodiscard]] Command bench_command();
[[nodiscard]] Command completion_command();
[[nodiscard]] Command version_command();

}  // namespace belay::cli
