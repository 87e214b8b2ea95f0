#include "store/sqlite/claims.hpp"

#include <algorithm>

namespace belay::sqlite {

namespace {

LeaseToken token_at(LeaseToken first, std::size_t index) {
    return LeaseToken{first.holder, first.serial + index};
}

/// The first runs that the request may take, one more than it wants; if there are fewer, then the
/// first that it may later.
Tables::FirstRuns first_runs(Tables& tables,
                             const ClaimInstances& request,
                             const store::CodeFilter& filter) {
    if (!request.run) {
        return tables.first_ready(std::size_t{request.max} + 1, request.shards, filter);
    }
    tables.flush();
    Tables::FirstRuns first;
    Run* const run = tables.find_run(*request.run);
    if (run == nullptr || !run->ready_at) return first;
    if (!in_shards(request.shards, request.run->shard)) return first;
    const RunCode& code = tables.code_of(*run);
    if (*run->ready_at <= tables.now() && !filter.has(code.definition, code.version)) return first;
    first.found.push_back(Tables::ReadyRun{run->ref.key, *run->ready_at});
    return first;
}

/// How long until a run of other code, which is ready since then, is to be looked at again.
Millis look_again_in(const ClaimInstances& request, Timestamp since, Timestamp now) {
    const Millis left = later(since, request.patience) - now;
    return left > Millis(0) ? left : store::kPutOffPause;
}

/// Nobody has taken it for so long that nobody has its code. One that was given back for want of it
/// is not brought back by who has it: somebody had.
void put_off(Tables& tables, Run& run, const ClaimInstances& request) {
    run.not_before = later(tables.now(), store::backoff_of(request, run.unregistered));
    ++run.unregistered;
    if (!run.code_missing_since) {
        run.code_missing_since = tables.now();
        tables.add_put_off(run);
    }
    tables.touch(run);
}

/// Runs that were put off for want of code that whoever claims has: the one that it names, or the
/// first of all.
std::vector<RunKey> wrongly_put_off(Tables& tables,
                                    const ClaimInstances& request,
                                    const store::CodeFilter& filter) {
    if (!request.code) return {};
    if (!request.run) return tables.wrongly_put_off(filter, store::kMostPutOff);
    Run* const run = tables.find_run(*request.run);
    if (run == nullptr || !run->code_missing_since) return {};
    const RunCode& code = tables.code_of(*run);
    if (!filter.has(code.definition, code.version)) return {};
    if (!tables.is_put_off(run->ref.key)) return {};
    return {run->ref.key};
}

/// Whoever claims has its code.
void bring_back(Tables& tables, RunKey key) {
    Run* const run = tables.find_run(key);
    tables.remove_put_off(key);
    // An older program may have left it behind.
    if (run == nullptr || run->ended() || !run->code_missing_since) return;
    run->not_before = std::min(run->not_before, tables.now());
    run->unregistered = 0;
    run->code_missing_since.reset();
    tables.touch(*run);
}

bool is_ready(Tables& tables, RunKey key) {
    const Run* const run = tables.find_run(key);
    return run != nullptr && run->ready_at && *run->ready_at <= tables.now();
}

ClaimedInstance claimed(Tables& tables, const Run& run, const ClaimInstances& request) {
    BELAY_ASSERT(run.lock.has_value());
    RunAbout about = tables.about(run);
    ClaimedInstance item;
    item.run = run.ref;
    item.name = run.name;
    item.definition = std::move(about.definition);
    item.version = std::move(about.version);
    item.owner = std::move(about.owner);
    item.status = run.status;
    item.execution = run.execution;
    item.position = run.position;
    item.input = std::move(about.input);
    item.parent = run.parent;
    item.cancel = run.cancel;
    item.cancel_deadline = run.cancel_deadline;
    item.messages = tables.ready_messages(run, request.max_messages);
    item.attempts = run.attempts;
    item.unregistered = run.unregistered;
    item.code_missing_since = run.code_missing_since;
    item.token = run.lock->token;
    item.claimed_at = tables.now();
    item.locked_until = run.lock->until;
    item.headers = std::move(about.headers);
    return item;
}

/// A claim brings no more input than this, but for the last: it is read inside a transaction, and
/// given to a process that may not have the memory for all that it could begin.
constexpr std::size_t kMostBytes = 16U << 20U;

/// For how long an activity is put off that cannot be read: that is not over by itself.
constexpr Millis kUnreadableFor{3'600'000};

// A row that cannot be read must not stand in everyone's way: whoever claims would fail on it for
// ever.

bool is_unreadable(const SqliteFailure& failure) { return failure.code() == SQLITE_CORRUPT; }

/// Sets the run aside for a person.
void hold(Tables& tables, Run& run, const SqliteFailure& failure) {
    run.lock.reset();
    --run.attempts;
    run.held = true;
    tables.set_held_detail(run, failure.what());
}

/// Keeps the activity out of line for a while.
void take_out_of_line(Tables& tables, Activity activity, Millis time) {
    activity.token.reset();
    activity.claimed_at.reset();
    activity.worker.clear();
    activity.leased_until = Timestamp();
    activity.visible_at = later(tables.now(), time);
    tables.update_activity(activity);
}

}  // namespace

ClaimInstances::Answer claim(Tables& tables, const ClaimInstances& request) {
    ClaimInstances::Answer answer;
    const Timestamp now = tables.now();
    const store::CodeFilter filter(request.code);
    const std::vector<RunKey> back = wrongly_put_off(tables, request, filter);
    for (const RunKey run : back) bring_back(tables, run);
    const Tables::FirstRuns first = first_runs(tables, request, filter);
    std::size_t taken = 0;
    for (const Tables::ReadyRun& ready : first.found) {
        if (taken == request.max || ready.at > now) {
            shorten(answer.ready_in, std::max(ready.at - now, Millis(0)));
            break;
        }
        ++taken;
        Run& run = tables.run_of(ready.key);
        // One behind the first that were brought back.
        if (request.code && run.code_missing_since && tables.is_put_off(ready.key)) {
            bring_back(tables, ready.key);
        }
        ++run.attempts;
        run.lock = Lock{token_at(request.first_token, answer.claimed.size()),
                        later(now, request.lease),
                        request.worker,
                        run.cancel.has_value(),
                        now};
        tables.touch(run);
        try {
            answer.claimed.push_back(claimed(tables, run, request));
        } catch (const SqliteFailure& failure) {
            if (!is_unreadable(failure)) throw;
            hold(tables, run, failure);
            continue;
        }
        shorten(answer.ready_in, std::max(run.lock->until - now, Millis(0)));
    }
    for (const Tables::ReadyRun& other : first.others) {
        if (answer.put_off == store::kMostPutOff || later(other.at, request.patience) > now) {
            shorten(answer.ready_in, look_again_in(request, other.at, now));
            break;
        }
        Run& run = tables.run_of(other.key);
        put_off(tables, run, request);
        ++answer.put_off;
        shorten(answer.ready_in,
                run.not_before > now ? run.not_before - now : look_again_in(request, now, now));
    }
    if (back.size() == store::kMostPutOff) shorten(answer.ready_in, Millis(1));
    tables.finish_transition();
    tables.notices.instances_ready =
        std::any_of(back.begin(), back.end(), [&](RunKey run) { return is_ready(tables, run); });
    return answer;
}

ClaimActivities::Answer claim(Tables& tables, const ClaimActivities& request) {
    ClaimActivities::Answer answer;
    const Timestamp now = tables.now();
    const Tables::NextActivities next = tables.next_activities(request);
    answer.marked = next.marked;
    std::size_t bytes = 0;
    for (const ActivityRef& ref : next.found) {
        if (bytes > kMostBytes) {
            answer.ready_in = Millis(0);
            break;
        }
        Activity activity;
        ClaimedActivity item;
        try {
            tables.read_claimable(ref, activity, item);
        } catch (const SqliteFailure& failure) {
            if (!is_unreadable(failure)) throw;
            take_out_of_line(tables, std::move(activity), kUnreadableFor);
            continue;
        }
        ++activity.attempt;
        activity.token = token_at(request.first_token, answer.claimed.size());
        activity.worker = request.worker;
        activity.leased_until = later(now, request.lease);
        activity.claimed_at = now;
        tables.update_activity(activity);
        tables.note_begun(activity, item.fairness_key, request.session_idle);
        item.attempt = activity.attempt;
        item.unregistered = activity.unregistered;
        item.token = *activity.token;
        item.claimed_at = now;
        item.leased_until = activity.leased_until;
        shorten(answer.ready_in, std::max(activity.leased_until - now, Millis(0)));
        bytes += item.input.bytes.size();
        answer.claimed.push_back(std::move(item));
    }
    if (next.ready_in) shorten(answer.ready_in, *next.ready_in);
    if (const auto first = tables.first_waiting()) shorten(answer.ready_in, *first - now);
    tables.finish_transition();
    return answer;
}

}  // namespace belay::sqlite
