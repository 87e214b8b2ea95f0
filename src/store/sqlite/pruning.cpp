// How old executions of a chain are removed.
#include "store/sqlite/deletion.hpp"

namespace belay::sqlite {

void apply(Change& change, const Prune& part) {
    Run& run = *(part.run ? change.tables.find_run(*part.run) : change.tables.find_run(part.name));
    DeleteCounts& counts = change.answer.deleted;
    const std::vector<Tables::OldExecution> old = change.tables.prunable(run, part);
    for (const Tables::OldExecution& one : old) {
        change.tables.delete_execution(run, one);
        ++counts.executions;
        counts.events += one.events;
    }
    change.answer.changed = !old.empty();
    change.answer.instance = run.brief();
}

}  // namespace belay::sqlite
