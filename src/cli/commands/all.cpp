#include "cli/commands/all.hpp"

namespace belay::cli {

std::vector<Command> all_commands() {
    return {
        run_command(),          work_command(),      flow_command(),    graph_command(),
        approve_command(),      resume_command(),    rerun_command(),   start_command(),
        list_command(),         show_command(),      history_command(), logs_command(),
        tree_command(),         wait_command(),      watch_command(),   cancel_command(),
        terminate_command(),    raise_command(),     enqueue_command(), delete_command(),
        prune_command(),        retention_command(), compact_command(), backup_command(),
        queues_command(),       limits_command(),    leases_command(),  held_command(),
        dead_letters_command(), keys_command(),      export_command(),  import_command(),
        schedules_command(),    doctor_command(),    bench_command(),   completion_command(),
        version_command(),
    };
}

}  // namespace belay::cli
