// Removal of old executions of a chain.
#include "store/rules/deletion.hpp"
#include "store/rules/history.hpp"

#include <algorithm>

namespace belay::store {

namespace {

/// Returns the executions that a Prune removes, the oldest first.
std::vector<OldExecution> prunable(Rows& rows, const Run& run, const Prune& part) {
    std::vector<OldExecution> found;
    // The current execution is not over. It is the first of those kept.
    const std::uint32_t kept = std::max(part.keep_last.value_or(1), 1U) - 1;
    std::uint64_t events = 0;
    rows.each_old_execution(run, kept, part.ended_before, [&](const OldExecution& old) {
        found.push_back(old);
        events += old.events;
        return found.size() < part.max && events < part.max_events;
    });
    return found;
}

}  // namespace

void apply(Change& change, const Prune& part) {
    Run& run = *(part.run ? change.rows.find_run(*part.run) : change.rows.find_run(part.name));
    DeleteCounts& counts = change.answer.deleted;
    const std::vector<OldExecution> old = prunable(change.rows, run, part);
    for (const OldExecution& one : old) {
        delete_execution(change.rows, run, one);
        ++counts.executions;
        counts.events += one.events;
    }
    change.answer.changed = !old.empty();
    change.answer.instance = run.brief();
}

}  // namespace belay::store
