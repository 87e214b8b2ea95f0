#include "store/rules/history.hpp"

#include "store/rules/output.hpp"

namespace belay::store {

void append_history(Rows& rows, Run& run, const HistoryRow& history) {
    if (history.count == 0) return;
    rows.insert_history(run, history);
    run.event_count += history.count;
    run.history_bytes += history.bytes.size();
    run.position += history.count;
}

void set_custom_status(Rows& rows, Run& run, const Payload& status) {
    rows.set_custom_status(run, status);
    ++run.custom_status_version;
    rows.touch(run);
}

void delete_execution(Rows& rows, Run& run, const OldExecution& old) {
    BELAY_ASSERT(old.execution < run.execution);
    rows.erase_execution(run, old.execution);
    delete_output(rows, run, old.execution);
    run.event_count -= old.events;
    run.history_bytes -= old.bytes;
    rows.touch(run);
}

}  // namespace belay::store
