#include "store/rules/effects.hpp"

#include "store/rules/activities.hpp"
#include "store/rules/deletion.hpp"
#include "store/rules/ending.hpp"
#include "store/rules/facts.hpp"
#include "store/rules/inbox.hpp"
#include "store/rules/keys.hpp"
#include "store/rules/letters.hpp"
#include "store/rules/output.hpp"
#include "store/rules/queue_uses.hpp"
#include "store/rules/repeats.hpp"
#include "store/rules/sessions.hpp"
#include "store/rules/settling.hpp"
#include "store/rules/starting.hpp"

namespace belay::store {

namespace {

Activity activity_of(Change& change, const ActivityRef& ref) {
    const Activity* found = change.rows.find_activity(ref);
    BELAY_ASSERT(found != nullptr);
    return *found;
}

void take_back(std::uint32_t& attempts, CountAttempt count) {
    if (count == CountAttempt::no && attempts > 0) --attempts;
}

void apply(Change& change, const AckActivity& part) {
    Run& run = change.rows.run_of(part.activity.run.key);
    const Activity* found = change.rows.find_activity(part.activity);
    if (found == nullptr || found->token != part.token) {
        remove_stopping(change.rows, run, StoppingKey{part.activity, part.token});
        note_stopped(change.rows, part.token);
        settle(change, run);
        return;
    }
    note_ended(change.rows, *found, CountAttempt::yes);
    remove_activity(change.rows, run, *found);
    if (part.turn_overran) {
        ++run.overruns;
        change.rows.touch(run);
    }
    if (part.completion) deliver(change, part.activity.run, *part.completion);
}

void apply(Change& change, const AbandonActivity& part) {
    Activity activity = activity_of(change, part.activity);
    if (part.reason == AbandonReason::interrupted) {
        note_interrupted(change.rows, activity);
        forget_start_time(change.rows, activity);
    } else {
        note_ended(change.rows, activity, part.count);
    }
    activity.token.reset();
    activity.worker.clear();
    activity.leased_until = change.now;
    activity.claimed_at.reset();
    // Without a delay it keeps its place in the queue.
    if (part.delay > Millis(0)) activity.visible_at = later(change.now, part.delay);
    take_back(activity.attempt, part.count);
    const bool without_code = part.reason == AbandonReason::unregistered;
    activity.unregistered = without_code ? activity.unregistered + 1 : 0;
    update_activity(change.rows, activity);
    if (part.progress) change.rows.put_progress(activity.ref, *part.progress);
}

void apply(Change& change, const RenewActivity& part) {
    Activity activity = activity_of(change, part.activity);
    activity.leased_until = later(change.now, part.extend);
    update_activity(change.rows, activity);
    if (part.progress) change.rows.put_progress(activity.ref, *part.progress);
    note_renewed(change.rows, activity);
}

void apply(Change& change, const AbandonTurn& part) {
    Run& run = change.rows.run_of(part.run.key);
    BELAY_ASSERT(run.lock.has_value());
    // The back-off does not delay a cancel that came after the claim.
    const bool unseen_cancel = run.cancel && !run.lock->cancel_seen;
    run.lock.reset();
    run.not_before = unseen_cancel ? Timestamp() : later(change.now, part.delay);
    take_back(run.attempts, part.count);
    if (part.reason == AbandonReason::overran) ++run.overruns;
    if (part.reason == AbandonReason::unregistered) {
        ++run.unregistered;
        if (run.code_missing_since) change.rows.remove_put_off(run.ref.key);
        if (!run.code_missing_since) run.code_missing_since = change.now;
    }
    change.rows.touch(run);
}

void apply(Change& change, const RenewTurn& part) {
    Run& run = change.rows.run_of(part.run.key);
    BELAY_ASSERT(run.lock.has_value());
    run.lock->until = later(change.now, part.extend);
    change.rows.touch(run);
}

void apply(Change& change, const Cancel& part) {
    Run& run = *change.rows.find_run(part.name);
    CancelRecord record;
    record.source = part.source;
    record.by = part.by;
    record.reason = part.reason;
    change.answer.changed = cancel_run(change, run, std::move(record), part.deadline);
    change.answer.instance = run.brief();
}

/// An accepted cancel always ends in canceled. A failure on the way is kept as a detail.
Outcome honour_cancel(Change& change, Run& run, Outcome wanted) {
    if (wanted.status != Status::canceled) {
        if (!run.cancel) return wanted;
        Outcome outcome;
        outcome.status = Status::canceled;
        outcome.cancel = *run.cancel;
        outcome.cleanup = Cleanup::failed;
        outcome.cleanup_detail = wanted.failure.message;
        return outcome;
    }
    if (!run.cancel) {
        wanted.cancel.requested_at = change.now;
        wanted.cancel.sequence = run.next_message;
        run.cancel = wanted.cancel;
    }
    wanted.cancel = *run.cancel;
    return wanted;
}

void apply(Change& change, const Finish& part) {
    const auto* name = std::get_if<InstanceName>(&part.target);
    Run& run =
        name != nullptr
            ? *change.rows.find_run(*name)
            : change.rows.run_of(std::get<std::pair<RunRef, LeaseToken>>(part.target).first.key);
    change.answer.changed = !run.ended();
    if (!run.ended()) {
        run.last_commit = change.commit;
        end_run(change, run, honour_cancel(change, run, part.outcome));
    }
    change.answer.instance = run.brief();
}

void apply(Change& change, const Send& part) {
    Run& run = *change.rows.find_run(part.name);
    if (part.delay > Millis(0)) {
        const Timestamp due_at = later(change.now, part.delay);
        add_timed(change.rows, run, due_at, part.message, std::nullopt);
    } else {
        add_message(change.rows, run, part.message);
    }
    change.answer.instance = run.brief();
}

void apply(Change& change, const Deliver& part) { deliver(change, part.run, part.message); }

void apply(Change& change, const Hold& part) {
    Run& run = change.rows.run_of(part.run.key);
    if (run.cancel) {
        Outcome outcome;
        outcome.status = Status::canceled;
        outcome.cancel = *run.cancel;
        outcome.cleanup = Cleanup::failed;
        outcome.cleanup_detail = part.detail;
        end_run(change, run, std::move(outcome));
        return;
    }
    run.lock.reset();
    run.held = true;
    change.rows.set_hold_reason(run, HoldReason{part.kind, part.detail});
    change.rows.touch(run);
}

void apply(Change& change, const Release& part) {
    Run& run = *change.rows.find_run(part.name);
    run.held = false;
    change.rows.set_hold_reason(run, std::nullopt);
    run.attempts = 0;
    run.unregistered = 0;
    if (run.code_missing_since) change.rows.remove_put_off(run.ref.key);
    run.code_missing_since.reset();
    run.overruns = 0;
    run.wants_turn_at = change.now;
    run.not_before = Timestamp();
    change.rows.touch(run);
    change.answer.instance = run.brief();
}

void apply(Change& change, const FreeKey& part) {
    const KeyId id{part.space, part.owner, part.definition, part.key};
    const std::optional<KeyRow> row = change.rows.find_key(id);
    BELAY_ASSERT(row.has_value());
    change.answer.instance = brief_of(change.rows, id, *row);
    change.rows.erase_key(id);
}

void apply(Change& change, const SetRetention& part) { change.rows.put_retention(part); }

void apply(Change& change, const SetQueueLimits& part) { set_limits(change.rows, part); }

void apply(Change& change, const SetPause& part) {
    change.answer.changed = change.rows.is_paused(part.kind, part.paused) != part.on;
    if (!change.answer.changed) return;
    change.rows.put_pause(part);
    if (part.on) return;
    (part.kind == PauseKind::queue ? change.rows.notices.activities_ready
                                   : change.rows.notices.instances_ready) = true;
}

void apply(Change& change, const ReleaseSessions& part) {
    change.answer.changed = release_sessions(change.rows, part.holder);
}

/// Updates the brief to the state after the whole transition. A request about a queue or a
/// namespace has none.
void update(Rows& rows, InstanceBrief& brief) {
    if (brief.run == RunRef()) return;
    if (const Run* run = rows.find_run(brief.run)) brief = run->brief();
}

}  // namespace

void apply(Change& change, const Transition& transition) {
    Lookup lookup(change.rows);
    std::vector<Asked> requests;
    for (const Part& part : transition.parts) {
        std::optional<Asked> asked = request_of(lookup, part);
        std::visit([&](const auto& one) { apply(change, one); }, part);
        finish_cascade(change);
        if (!asked) continue;
        keep_answer(change.answer, asked->request);
        requests.push_back(std::move(*asked));
    }
    // A later part may have changed the instance of an earlier one.
    if (change.answer.instance) update(change.rows, *change.answer.instance);
    for (Asked& asked : requests) {
        update(change.rows, asked.request.instance);
        const Timestamp until = later(change.now, change.options.request_kept);
        change.rows.put_request(asked.key, asked.request, until);
    }
    change.rows.finish_transition();
}

}  // namespace belay::store
