// Housekeeping. Runs that wait for the one they replace need none: its settling wakes them.
#include "store/rules/activities.hpp"
#include "store/rules/effects.hpp"
#include "store/rules/late.hpp"
#include "store/rules/sessions.hpp"
#include "store/rules/settling.hpp"

namespace belay::store {

namespace {

std::uint64_t time_out(Change& change, std::uint32_t limit) {
    const std::vector<RunKey> late = change.rows.past_deadline(limit);
    for (const RunKey key : late) end_late(change, change.rows.run_of(key));
    return late.size();
}

std::uint64_t forget_stopping(Change& change, std::uint32_t limit) {
    const std::vector<StoppingKey> late = change.rows.stopping_past(limit);
    for (const StoppingKey& key : late) {
        Run& run = change.rows.run_of(key.first.run.key);
        remove_stopping(change.rows, run, key);
        settle(change, run);
    }
    return late.size();
}

std::uint64_t forget_keys(Change& change, std::uint32_t limit) {
    const std::vector<KeyId> late = change.rows.keys_past(limit);
    for (const KeyId& id : late) change.rows.erase_key(id);
    return late.size();
}

}  // namespace

void apply(Change& change, const Sweep& part) {
    change.answer.swept += time_out(change, part.limit);
    change.answer.swept += forget_stopping(change, part.limit);
    change.answer.swept += change.rows.erase_requests_past(part.limit);
    change.answer.swept += change.rows.erase_deleted_runs_past(part.limit);
    change.answer.swept += forget_sessions(change.rows, part.limit);
    change.answer.swept += forget_keys(change, part.limit);
    change.answer.swept += change.rows.erase_rate_places_past(part.limit);
}

}  // namespace belay::store
