#include "store/rules/late.hpp"

#include "store/rules/ending.hpp"

#include <utility>

namespace belay::store {

namespace {

/// Its cleanup took too long.
void give_up_cleanup(Change& change, Run& run) {
    Outcome outcome;
    outcome.status = Status::canceled;
    outcome.cancel = *run.cancel;
    outcome.cleanup = Cleanup::timed_out;
    end_run(change, run, std::move(outcome));
}

/// Nothing of it has run: the cancel ends it at once.
void expire(Change& change, Run& run) {
    CancelRecord record;
    record.source = CancelSource::policy;
    record.reason = "it expired: its first turn was not begun in time";
    cancel_run(change, run, std::move(record), change.stop.cancel_deadline);
}

void time_out(Change& change, Run& run) {
    Outcome outcome;
    outcome.status = Status::failed;
    outcome.failure = Failure{.kind = FailureKind::timeout,
                              .message = "it did not end before its deadline",
                              .where = change.rows.code_of(run).definition,
                              .retryable = false};
    end_run(change, run, std::move(outcome));
}

}  // namespace

void end_late(Change& change, Run& run) {
    if (run.cancel) return give_up_cleanup(change, run);
    const std::optional<Timestamp> expired = run.expired_from();
    if (expired && (!run.end_by || *expired <= *run.end_by)) return expire(change, run);
    time_out(change, run);
}

}  // namespace belay::store
