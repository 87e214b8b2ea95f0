// How old executions of a chain are removed.
#include "store/memory/deletion.hpp"

#include <algorithm>

namespace belay::memory {

void apply(Change& change, const Prune& part) {
    Run& run =
        *(part.run ? find_run(change.tables, *part.run) : find_run(change.tables, part.name));
    DeleteCounts counts;
    const std::size_t keep = std::max<std::size_t>(part.keep_last.value_or(1), 1);
    std::size_t eligible = run.executions.size() > keep ? run.executions.size() - keep : 0;
    // Called for each once, in order.
    const auto goes = [&](const Execution& one) {
        if (eligible == 0 || is_full(part, counts)) return false;
        --eligible;
        BELAY_ASSERT(one.info.ended_at.has_value());
        if (part.ended_before && *one.info.ended_at >= *part.ended_before) return false;
        ++counts.executions;
        counts.events += one.info.events;
        for (const RecordedRow& recorded : one.history) {
            run.history_bytes -= recorded.row.bytes.size();
        }
        return true;
    };
    std::vector<Execution> kept;
    for (Execution& one : run.executions) {
        if (!goes(one)) kept.push_back(std::move(one));
    }
    run.executions = std::move(kept);
    run.event_count -= counts.events;
    refresh(change.tables, run);
    change.answer.deleted.executions += counts.executions;
    change.answer.deleted.events += counts.events;
    change.answer.changed = counts.executions > 0;
    change.answer.instance = brief_of(run);
}

}  // namespace belay::memory
