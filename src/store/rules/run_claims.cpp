// Claims of runs.
#include "store/rules/capability.hpp"
#include "store/rules/claims.hpp"
#include "store/rules/ending.hpp"
#include "store/rules/inbox.hpp"
#include "store/rules/late.hpp"

#include <algorithm>

namespace belay::store {

namespace {

struct Ready {
    RunKey key;
    Timestamp at{};
};

struct FirstRuns {
    std::vector<Ready> found;
    /// Runs of other code that were ready before the last of `found`: the most that a claim may put
    /// off, and one more.
    std::vector<Ready> others;
    /// Runs that cannot be taken any more, because they were not begun or have not ended in time:
    /// the most that a claim may end.
    std::vector<RunKey> late;
};

/// True if nobody takes its turns now. A canceled run takes them: a cancel waits for nobody.
bool is_paused(Rows& rows, RunKey run, const std::string& definition) {
    return rows.is_paused(PauseKind::definition, definition) && !rows.run_of(run).cancel;
}

/// Returns the first `max` runs that can be claimed, the longest ready first. If there are fewer,
/// it adds the first one that can be claimed later.
FirstRuns first_ready(Rows& rows,
                      std::size_t max,
                      const std::vector<Shard>& shards,
                      const CodeFilter& filter) {
    FirstRuns first;
    const bool pauses = rows.has_pauses();
    rows.each_ready(shards, [&](const ReadyRun& one) {
        const Ready ready{one.key, one.at};
        const bool is_late = one.at <= rows.now() && one.late_at && *one.late_at <= rows.now();
        if (is_late) {
            if (first.late.size() < kMostPutOff) first.late.push_back(one.key);
            return true;
        }
        if (pauses && is_paused(rows, one.key, std::string(one.definition))) return true;
        if (one.at > rows.now()) {
            first.found.push_back(ready);  // Those behind it are later still.
            return false;
        }
        if (filter.has(one.definition, one.version, one.interpreted)) {
            first.found.push_back(ready);
        } else if (first.others.size() <= kMostPutOff) {
            first.others.push_back(ready);
        }
        return first.found.size() < max;
    });
    return first;
}

/// Returns the first runs that the request may take, one more than it wants. If there are fewer, it
/// adds the first one that it may take later.
FirstRuns first_runs(Rows& rows, const ClaimInstances& request, const CodeFilter& filter) {
    if (!request.run) {
        return first_ready(rows, std::size_t{request.max} + 1, request.shards, filter);
    }
    rows.flush();
    FirstRuns first;
    Run* const run = rows.find_run(*request.run);
    if (run == nullptr || !run->ready_at) return first;
    if (!in_shards(request.shards, request.run->shard)) return first;
    if (run->late_at && *run->late_at <= rows.now()) {
        first.late.push_back(run->ref.key);
        return first;
    }
    const RunCode& code = rows.code_of(*run);
    if (rows.has_pauses() && is_paused(rows, run->ref.key, code.definition)) return first;
    if (*run->ready_at <= rows.now() && !filter.has(code)) return first;
    first.found.push_back(Ready{run->ref.key, *run->ready_at});
    return first;
}

/// Returns the time until the claim looks again at a run of other code that has been ready since
/// `since`.
Millis look_again_in(const ClaimInstances& request, Timestamp since, Timestamp now) {
    const Millis left = later(since, request.patience) - now;
    return left > Millis(0) ? left : kPutOffPause;
}

/// Puts off a run that nobody has taken for so long that nobody seems to have its code. A run that
/// was given back because its code is missing is not brought back by a claim that has the code:
/// such a claim had taken it before.
void put_off(Rows& rows, Run& run, const ClaimInstances& request) {
    run.not_before = later(rows.now(), backoff_of(request, run.unregistered));
    ++run.unregistered;
    if (!run.code_missing_since) {
        run.code_missing_since = rows.now();
        rows.add_put_off(run);
    }
    rows.touch(run);
}

/// Returns the first runs that were put off although this claim has their code.
std::vector<RunKey> first_put_off(Rows& rows, const CodeFilter& filter) {
    std::vector<RunKey> found;
    std::optional<CodeKey> code = rows.put_off_code(CodeKey());  // No definition is nameless.
    for (; code && found.size() < kMostPutOff; code = rows.put_off_code(*code)) {
        if (!filter.has(*code)) continue;
        const std::vector<RunKey> runs = rows.put_off_runs(*code, kMostPutOff - found.size());
        found.insert(found.end(), runs.begin(), runs.end());
    }
    return found;
}

/// Returns runs that were put off although this claim has their code: the run that it names, or the
/// first of all.
std::vector<RunKey> wrongly_put_off(Rows& rows,
                                    const ClaimInstances& request,
                                    const CodeFilter& filter) {
    if (!request.code) return {};
    if (!request.run) return first_put_off(rows, filter);
    Run* const run = rows.find_run(*request.run);
    if (run == nullptr || !run->code_missing_since) return {};
    const RunCode& code = rows.code_of(*run);
    if (!filter.has(code)) return {};
    if (!rows.is_put_off(run->ref.key)) return {};
    return {run->ref.key};
}

/// Brings back a run that was put off, because this claim has its code.
void bring_back(Rows& rows, RunKey key) {
    Run* const run = rows.find_run(key);
    rows.remove_put_off(key);
    // An older program may have left it behind.
    if (run == nullptr || run->ended() || !run->code_missing_since) return;
    run->not_before = std::min(run->not_before, rows.now());
    run->unregistered = 0;
    run->code_missing_since.reset();
    rows.touch(*run);
}

bool is_ready(Rows& rows, RunKey key) {
    const Run* const run = rows.find_run(key);
    return run != nullptr && run->ready_at && *run->ready_at <= rows.now();
}

ClaimedInstance claimed(Rows& rows, const Run& run, const ClaimInstances& request) {
    BELAY_ASSERT(run.lock.has_value());
    ClaimedInstance item;
    rows.describe(run, item);
    item.run = run.ref;
    item.name = run.name;
    item.status = run.status;
    item.execution = run.execution;
    item.position = run.position;
    item.parent = run.parent;
    item.cancel = run.cancel;
    item.cancel_deadline = run.cancel_deadline;
    item.messages = first_messages(rows, run, request.max_messages);
    item.attempts = run.attempts;
    item.unregistered = run.unregistered;
    item.code_missing_since = run.code_missing_since;
    item.overruns = run.overruns;
    item.token = run.lock->token;
    item.claimed_at = rows.now();
    item.locked_until = run.lock->until;
    return item;
}

/// Holds a run that cannot be read, for a person to look at. Every claim would fail on it.
void set_aside(Rows& rows, Run& run, const std::exception& failure) {
    run.lock.reset();
    --run.attempts;
    run.held = true;
    rows.set_hold_reason(run, HoldReason{FailureKind::infrastructure, failure.what()});
}

/// Claims the first of the found runs, as many as are wanted.
void take(Rows& rows,
          const ClaimInstances& request,
          const std::vector<Ready>& found,
          ClaimInstances::Answer& answer) {
    const Timestamp now = rows.now();
    std::size_t taken = 0;
    for (const Ready& ready : found) {
        if (taken == request.max || ready.at > now) {
            shorten(answer.ready_in, std::max(ready.at - now, Millis(0)));
            break;
        }
        ++taken;
        Run& run = rows.run_of(ready.key);
        // It may be behind the first ones that were brought back.
        if (request.code && run.code_missing_since && rows.is_put_off(ready.key)) {
            bring_back(rows, ready.key);
        }
        ++run.attempts;
        run.lock = Lock{token_at(request.first_token, answer.claimed.size()),
                        later(now, request.lease),
                        request.worker,
                        run.cancel.has_value(),
                        now};
        rows.touch(run);
        try {
            answer.claimed.push_back(claimed(rows, run, request));
        } catch (const std::exception& failure) {
            if (!rows.is_unreadable(failure)) throw;
            set_aside(rows, run, failure);
            continue;
        }
        shorten(answer.ready_in, std::max(run.lock->until - now, Millis(0)));
    }
}

/// Puts off the first of the others if they have waited for long enough.
void put_off(Rows& rows,
             const ClaimInstances& request,
             const std::vector<Ready>& others,
             ClaimInstances::Answer& answer) {
    const Timestamp now = rows.now();
    for (const Ready& other : others) {
        if (answer.put_off == kMostPutOff || later(other.at, request.patience) > now) {
            shorten(answer.ready_in, look_again_in(request, other.at, now));
            break;
        }
        Run& run = rows.run_of(other.key);
        put_off(rows, run, request);
        ++answer.put_off;
        shorten(answer.ready_in,
                run.not_before > now ? run.not_before - now : look_again_in(request, now, now));
    }
}

/// Ends runs that a claim met too late. The ends are news, unlike the locks of the claim.
void end_late(Rows& rows, const std::vector<RunKey>& late) {
    if (late.empty()) return;
    const StoreOptions options;  // They matter to requests and deletions only.
    Answer answer;
    Change change{rows, options, rows.now(), CommitId(), StopTerms(), answer, {}};
    for (const RunKey key : late) {
        Run& run = rows.run_of(key);
        if (!run.ended()) end_late(change, run);
        finish_cascade(change);
    }
    rows.finish_transition();
}

}  // namespace

ClaimInstances::Answer claim(Rows& rows, const ClaimInstances& request) {
    // Drops the notices of the claim: a lock that expires later is not news.
    Notices kept = std::exchange(rows.notices, Notices());
    ClaimInstances::Answer answer;
    const CodeFilter filter(request);
    const std::vector<RunKey> back = wrongly_put_off(rows, request, filter);
    for (const RunKey run : back) bring_back(rows, run);
    const FirstRuns first = first_runs(rows, request, filter);
    take(rows, request, first.found, answer);
    put_off(rows, request, first.others, answer);
    if (back.size() == kMostPutOff) shorten(answer.ready_in, Millis(1));
    rows.finish_transition();
    kept.instances_ready |=
        std::any_of(back.begin(), back.end(), [&](RunKey run) { return is_ready(rows, run); });
    rows.notices = std::move(kept);
    end_late(rows, first.late);
    return answer;
}

}  // namespace belay::store
