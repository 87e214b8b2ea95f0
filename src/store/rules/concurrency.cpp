#include "store/rules/concurrency.hpp"

#include "store/rules/ending.hpp"
#include "store/rules/settling.hpp"

#include <algorithm>
#include <limits>
#include <utility>
#include <vector>

namespace belay::store {

namespace {

constexpr std::size_t kAll = std::numeric_limits<std::size_t>::max();

ConcurrencyId id_of(Rows& rows, Run& run) {
    // A new run need not be written to know it.
    const std::string& definition =
        run.birth ? run.birth->about->definition : rows.code_of(run).definition;
    return ConcurrencyId{run.name.space, definition, *run.concurrency_key};
}

/// True if a run of the key keeps those behind it in line.
bool is_in_the_way(Rows& rows, const ConcurrentRun& other) {
    return other.place > 0 || !is_at_rest(rows, rows.run_of(other.run));
}

/// Releases the first in line if nobody is in its way.
void release_first(Change& change, const ConcurrencyId& id) {
    Rows& rows = change.rows;
    std::vector<ConcurrentRun> runs = rows.concurrent_runs(id, 1);
    if (runs.empty() || runs.back().place == 0) return;
    ConcurrentRun first = runs.back();
    runs.pop_back();
    for (const ConcurrentRun& other : runs) {
        if (is_in_the_way(rows, other)) return;
    }
    Run& run = rows.run_of(first.run);
    rows.erase_concurrent(id, first);
    first.place = 0;
    rows.insert_concurrent(id, first);
    run.place_in_line.reset();
    rows.touch(run);
}

}  // namespace

void make_room(Change& change, const Start& part) {
    if (part.concurrency->when_busy != WhenBusy::replace) return;
    Rows& rows = change.rows;
    const NewInstance& instance = part.instance;
    std::vector<ConcurrentRun> runs = rows.concurrent_runs(
        ConcurrencyId{instance.name.space, instance.definition, part.concurrency->key}, kAll);
    CancelRecord record;
    record.source = CancelSource::user;
    record.by = part.by;
    record.reason = "replaced by a new run of the same concurrency key";
    // The last in line first: so none of them is released by the end of the one before it.
    std::reverse(runs.begin(), runs.end());
    for (const ConcurrentRun& one : runs) {
        cancel_run(change, rows.run_of(one.run), record, change.stop.cancel_deadline);
    }
    finish_cascade(change);
}

void enter_concurrency(Change& change, Run& run, const Concurrency& concurrency) {
    Rows& rows = change.rows;
    run.concurrency_key = concurrency.key;
    const ConcurrencyId id = id_of(rows, run);
    ConcurrentRun entry{run.ref.key, 0, concurrency.when_busy};
    const bool may_wait =
        concurrency.when_busy == WhenBusy::queue || concurrency.when_busy == WhenBusy::replace;
    if (may_wait) {
        const std::vector<ConcurrentRun> others = rows.concurrent_runs(id, 1);
        const bool busy = std::any_of(others.begin(), others.end(), [&](const auto& other) {
            return is_in_the_way(rows, other);
        });
        if (busy) entry.place = rows.last_in_line(id) + 1;
    }
    rows.insert_concurrent(id, entry);
    if (entry.place > 0) run.place_in_line = entry.place;
    rows.touch(run);
}

void leave_concurrency(Change& change, Run& run) {
    const ConcurrencyId id = id_of(change.rows, run);
    change.rows.erase_concurrent(
        id, ConcurrentRun{run.ref.key, run.place_in_line.value_or(0), WhenBusy::refuse});
    if (run.place_in_line) {
        run.place_in_line.reset();
        change.rows.touch(run);
    }
    release_first(change, id);
}

}  // namespace belay::store
