// Housekeeping. Runs that wait for the one they replace need none: they are woken when it settles.
#include "store/memory/effects.hpp"
#include "store/memory/ending.hpp"
#include "store/memory/keys.hpp"
#include "store/memory/sessions.hpp"

namespace belay::memory {

namespace {

/// Calls `handle` for the first entries of an index of (time, key) that are due, at most `limit`.
/// `handle` takes the entry out of the index.
template <class Index, class Handle>
std::uint64_t each_due(const Index& index, Timestamp now, std::uint32_t limit, Handle handle) {
    std::uint64_t count = 0;
    while (count < limit && !index.empty() && index.begin()->first <= now) {
        const auto key = index.begin()->second;
        const std::size_t before = index.size();
        handle(key);
        BELAY_ASSERT(index.size() < before);
        ++count;
    }
    return count;
}

void time_out(Change& change, RunRef ref) {
    Run& run = run_of(change.tables, ref);
    Outcome outcome;
    outcome.status = Status::canceled;
    outcome.cancel = *run.cancel;
    outcome.cleanup = Cleanup::timed_out;
    end_run(change, run, std::move(outcome));
}

}  // namespace

void apply(Change& change, const Sweep& part) {
    Tables& tables = change.tables;
    std::uint64_t& swept = change.answer.swept;
    swept += each_due(
        tables.deadlines, change.now, part.limit, [&](RunRef run) { time_out(change, run); });
    swept += each_due(tables.stopping_until, change.now, part.limit, [&](const StoppingKey& key) {
        remove_stopping(tables, key);
    });
    swept += each_due(tables.requests_until, change.now, part.limit, [&](const RequestKey& key) {
        tables.requests_until.erase({tables.requests.at(key).until, key});
        tables.requests.erase(key);
    });
    swept += each_due(tables.gone_until, change.now, part.limit, [&](RunRef run) {
        tables.gone_until.erase({tables.gone.at(run).until, run});
        tables.gone.erase(run);
    });
    swept += each_due(tables.sessions_until, change.now, part.limit, [&](const SessionKey& key) {
        forget_session(tables, key);
    });
    swept += each_due(
        tables.keys_until, change.now, part.limit, [&](const KeyId& id) { erase_key(tables, id); });
}

}  // namespace belay::memory
