#include "store/sqlite/effects.hpp"

#include "store/guards/repeats.hpp"
#include "store/sqlite/deletion.hpp"
#include "store/sqlite/ending.hpp"
#include "store/sqlite/keys.hpp"
#include "store/sqlite/letters.hpp"
#include "store/sqlite/lookup.hpp"
#include "store/sqlite/starting.hpp"

namespace belay::sqlite {

namespace {

Activity activity_of(Change& change, const ActivityRef& ref) {
    const Activity* found = change.tables.find_activity(ref);
    BELAY_ASSERT(found != nullptr);
    return *found;
}

void take_back(std::uint32_t& attempts, CountAttempt count) {
    if (count == CountAttempt::no && attempts > 0) --attempts;
}

void apply(Change& change, const AckActivity& part) {
    Run& run = change.tables.run_of(part.activity.run.key);
    const Activity* found = change.tables.find_activity(part.activity);
    if (found == nullptr || found->token != part.token) {
        change.tables.remove_stopping(run, StoppingKey{part.activity, part.token});
        change.tables.note_stopped(part.token);
        settle(change, run);
        return;
    }
    change.tables.note_ended(*found, CountAttempt::yes);
    change.tables.remove_activity(run, *found);
    if (part.completion) deliver(change, part.activity.run, *part.completion);
}

void apply(Change& change, const AbandonActivity& part) {
    Activity activity = activity_of(change, part.activity);
    if (part.reason == AbandonReason::interrupted) {
        change.tables.note_interrupted(activity);
        change.tables.forget_start_time(activity);
    } else {
        change.tables.note_ended(activity, part.count);
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
    change.tables.update_activity(activity);
    if (part.progress) change.tables.set_progress(activity, *part.progress);
}

void apply(Change& change, const RenewActivity& part) {
    Activity activity = activity_of(change, part.activity);
    activity.leased_until = later(change.now, part.extend);
    change.tables.update_activity(activity);
    if (part.progress) change.tables.set_progress(activity, *part.progress);
    change.tables.note_renewed(activity);
}

void apply(Change& change, const AbandonTurn& part) {
    Run& run = change.tables.run_of(part.run.key);
    BELAY_ASSERT(run.lock.has_value());
    // A cancel that came after the claim is not kept waiting by the back-off.
    const bool unseen_cancel = run.cancel && !run.lock->cancel_seen;
    run.lock.reset();
    run.not_before = unseen_cancel ? Timestamp() : later(change.now, part.delay);
    take_back(run.attempts, part.count);
    if (part.reason == AbandonReason::unregistered) {
        ++run.unregistered;
        if (run.code_missing_since) change.tables.remove_put_off(run.ref.key);
        if (!run.code_missing_since) run.code_missing_since = change.now;
    }
    change.tables.touch(run);
}

void apply(Change& change, const RenewTurn& part) {
    Run& run = change.tables.run_of(part.run.key);
    BELAY_ASSERT(run.lock.has_value());
    run.lock->until = later(change.now, part.extend);
    change.tables.touch(run);
}

void apply(Change& change, const Cancel& part) {
    Run& run = *change.tables.find_run(part.name);
    CancelRecord record;
    record.source = part.source;
    record.by = part.by;
    record.reason = part.reason;
    change.answer.changed = cancel_run(change, run, std::move(record), part.deadline);
    change.answer.instance = run.brief();
}

/// An accepted cancel always ends in canceled: a failure on the way is kept as a detail.
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
            ? *change.tables.find_run(*name)
            : change.tables.run_of(std::get<std::pair<RunRef, LeaseToken>>(part.target).first.key);
    change.answer.changed = !run.ended();
    if (!run.ended()) {
        run.last_commit = change.commit;
        end_run(change, run, honour_cancel(change, run, part.outcome));
    }
    change.answer.instance = run.brief();
}

void apply(Change& change, const Send& part) {
    Run& run = *change.tables.find_run(part.name);
    if (part.delay > Millis(0)) {
        const Timestamp due_at = later(change.now, part.delay);
        change.tables.add_timed(run, due_at, part.message, std::nullopt);
    } else {
        change.tables.add_message(run, part.message);
    }
    change.answer.instance = run.brief();
}

void apply(Change& change, const Deliver& part) { deliver(change, part.run, part.message); }

void apply(Change& change, const Hold& part) {
    Run& run = change.tables.run_of(part.run.key);
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
    change.tables.set_held_detail(run, part.detail);
    change.tables.touch(run);
}

void apply(Change& change, const Release& part) {
    Run& run = *change.tables.find_run(part.name);
    run.held = false;
    change.tables.set_held_detail(run, std::nullopt);
    run.attempts = 0;
    run.unregistered = 0;
    if (run.code_missing_since) change.tables.remove_put_off(run.ref.key);
    run.code_missing_since.reset();
    run.wants_turn_at = change.now;
    run.not_before = Timestamp();
    change.tables.touch(run);
    change.answer.instance = run.brief();
}

void apply(Change& change, const FreeKey& part) {
    const KeyId id{part.space, part.owner, part.definition, part.key};
    const std::optional<KeyRow> row = change.tables.find_key(id);
    BELAY_ASSERT(row.has_value());
    change.answer.instance = brief_of(change.tables, id, *row);
    change.tables.delete_key(id);
}

void apply(Change& change, const SetRetention& part) { change.tables.set_retention(part); }

void apply(Change& change, const SetQueueLimits& part) { change.tables.set_limits(part); }

void apply(Change& change, const ReleaseSessions& part) {
    change.answer.changed = change.tables.release_sessions(part.holder);
}

/// The run as the whole transition leaves it.
void update(Tables& tables, InstanceBrief& brief) {
    if (const Run* run = tables.find_run(brief.run)) brief = run->brief();
}

}  // namespace

void apply(Change& change, const Transition& transition) {
    Lookup rows(change.tables);
    std::vector<store::Asked> requests;
    for (const Part& part : transition.parts) {
        std::optional<store::Asked> asked = store::request_of(rows, part);
        std::visit([&](const auto& one) { apply(change, one); }, part);
        finish_cascade(change);
        if (!asked) continue;
        store::keep_answer(change.answer, asked->request);
        requests.push_back(std::move(*asked));
    }
    // A later part may have changed what an earlier one was about.
    if (change.answer.instance) update(change.tables, *change.answer.instance);
    for (store::Asked& asked : requests) {
        update(change.tables, asked.request.instance);
        const Timestamp until = later(change.now, change.options.request_kept);
        change.tables.put_request(asked.key, asked.request, until);
    }
    change.tables.finish_transition();
}

}  // namespace belay::sqlite
