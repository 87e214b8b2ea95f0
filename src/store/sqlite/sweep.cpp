// Housekeeping. Runs that wait for the one they replace need none: they are woken when it settles.
#include "store/sqlite/effects.hpp"
#include "store/sqlite/ending.hpp"

namespace belay::sqlite {

namespace {

std::uint64_t time_out(Change& change, std::uint32_t limit) {
    const std::vector<RunKey> late = change.tables.past_deadline(limit);
    for (const RunKey key : late) {
        Run& run = change.tables.run_of(key);
        Outcome outcome;
        outcome.status = Status::canceled;
        outcome.cancel = *run.cancel;
        outcome.cleanup = Cleanup::timed_out;
        end_run(change, run, std::move(outcome));
    }
    return late.size();
}

std::uint64_t forget_stopping(Change& change, std::uint32_t limit) {
    const std::vector<StoppingKey> late = change.tables.stopping_past(limit);
    for (const StoppingKey& key : late) {
        Run& run = change.tables.run_of(key.first.run.key);
        change.tables.remove_stopping(run, key);
        settle(change, run);
    }
    return late.size();
}

std::uint64_t forget_keys(Change& change, std::uint32_t limit) {
    const std::vector<KeyId> late = change.tables.keys_past(limit);
    for (const KeyId& id : late) change.tables.delete_key(id);
    return late.size();
}

}  // namespace

void apply(Change& change, const Sweep& part) {
    change.answer.swept += time_out(change, part.limit);
    change.answer.swept += forget_stopping(change, part.limit);
    change.answer.swept += change.tables.delete_requests_past(part.limit);
    change.answer.swept += change.tables.delete_gone_past(part.limit);
    change.answer.swept += change.tables.forget_sessions_past(part.limit);
    change.answer.swept += forget_keys(change, part.limit);
}

}  // namespace belay::sqlite
