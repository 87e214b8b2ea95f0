#include "store/memory/effects.hpp"

#include "store/guards/repeats.hpp"
#include "store/memory/admission.hpp"
#include "store/memory/deletion.hpp"
#include "store/memory/ending.hpp"
#include "store/memory/keys.hpp"
#include "store/memory/letters.hpp"
#include "store/memory/lookup.hpp"
#include "store/memory/sessions.hpp"
#include "store/memory/starting.hpp"

namespace belay::memory {

namespace {

Activity& activity_of(Change& change, const ActivityRef& ref) {
    const auto found = change.tables.activities.find(ref);
    BELAY_ASSERT(found != change.tables.activities.end());
    return found->second;
}

void take_back(std::uint32_t& attempts, CountAttempt count) {
    if (count == CountAttempt::no && attempts > 0) --attempts;
}

void set_progress(Activity& activity, Payload progress, Timestamp now) {
    activity.progress = std::move(progress);
    activity.progress_at = now;
}

void apply(Change& change, AckActivity& part) {
    const Activity* activity = find_activity(change.tables, part.activity);
    if (activity == nullptr || activity->token != part.token) {
        remove_stopping(change.tables, StoppingKey{part.activity, part.token});
        note_stopped(change.tables, part.token, change.now);
        return;
    }
    note_ended(change.tables, *activity, CountAttempt::yes, change.now);
    remove_activity(change.tables, part.activity);
    if (part.completion) deliver(change, part.activity.run, std::move(*part.completion));
}

void apply(Change& change, AbandonActivity& part) {
    Activity& activity = activity_of(change, part.activity);
    if (part.reason == AbandonReason::interrupted) {
        note_interrupted(change.tables, part.token, change.now);
        activity.about.schedule_to_start.reset();
    } else {
        note_ended(change.tables, activity, part.count, change.now);
    }
    activity.token.reset();
    activity.worker.clear();
    activity.leased_until = change.now;
    // Without a delay it keeps its place in the queue.
    if (part.delay > Millis(0)) activity.visible_at = later(change.now, part.delay);
    take_back(activity.attempt, part.count);
    if (part.progress) set_progress(activity, std::move(*part.progress), change.now);
    const bool without_code = part.reason == AbandonReason::unregistered;
    activity.unregistered = without_code ? activity.unregistered + 1 : 0;
    refresh(change.tables, activity, change.now);
}

void apply(Change& change, RenewActivity& part) {
    Activity& activity = activity_of(change, part.activity);
    activity.leased_until = later(change.now, part.extend);
    if (part.progress) set_progress(activity, std::move(*part.progress), change.now);
    note_renewed(change.tables, activity);
    refresh(change.tables, activity, change.now);
}

void apply(Change& change, const AbandonTurn& part) {
    Run& run = run_of(change.tables, part.run);
    // A cancel that came after the claim is not kept waiting by the back-off.
    const bool unseen_cancel = run.cancel && !run.lock->cancel_seen;
    run.lock.reset();
    run.not_before = unseen_cancel ? Timestamp() : later(change.now, part.delay);
    take_back(run.attempts, part.count);
    if (part.reason == AbandonReason::unregistered) {
        ++run.unregistered;
        if (!run.code_missing_since) run.code_missing_since = change.now;
        run.put_off = false;
    }
    refresh(change.tables, run);
}

void apply(Change& change, const RenewTurn& part) {
    Run& run = run_of(change.tables, part.run);
    run.lock->until = later(change.now, part.extend);
    refresh(change.tables, run);
}

void apply(Change& change, const Cancel& part) {
    Run* run = find_run(change.tables, part.name);
    CancelRecord record;
    record.source = part.source;
    record.by = part.by;
    record.reason = part.reason;
    change.answer.changed = cancel_run(change, *run, std::move(record), part.deadline);
    change.answer.instance = brief_of(*run);
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

void apply(Change& change, Finish& part) {
    const auto* name = std::get_if<InstanceName>(&part.target);
    Run& run = name != nullptr ? *find_run(change.tables, *name)
                               : run_of(change.tables,
                                        std::get<std::pair<RunRef, LeaseToken>>(part.target).first);
    change.answer.changed = !run.ended();
    if (!run.ended()) {
        run.last_commit = change.commit;
        end_run(change, run, honour_cancel(change, run, std::move(part.outcome)));
    }
    change.answer.instance = brief_of(run);
}

void apply(Change& change, Send& part) {
    Run* run = find_run(change.tables, part.name);
    if (part.delay > Millis(0)) {
        const Timestamp due_at = later(change.now, part.delay);
        add_timed(change.tables, *run, due_at, std::move(part.message), std::nullopt);
    } else {
        add_message(change.tables, *run, change.now, std::move(part.message));
    }
    change.answer.instance = brief_of(*run);
}

void apply(Change& change, Deliver& part) { deliver(change, part.run, std::move(part.message)); }

void apply(Change& change, Hold& part) {
    Run& run = run_of(change.tables, part.run);
    if (run.cancel) {
        Outcome outcome;
        outcome.status = Status::canceled;
        outcome.cancel = *run.cancel;
        outcome.cleanup = Cleanup::failed;
        outcome.cleanup_detail = std::move(part.detail);
        end_run(change, run, std::move(outcome));
        return;
    }
    run.lock.reset();
    run.held = true;
    run.held_detail = std::move(part.detail);
    run.held_since = change.now;
    refresh(change.tables, run);
}

void apply(Change& change, const Release& part) {
    Run* run = find_run(change.tables, part.name);
    run->held = false;
    run->held_detail.clear();
    run->attempts = 0;
    run->unregistered = 0;
    run->code_missing_since.reset();
    run->put_off = false;
    run->wants_turn_at = change.now;
    run->not_before = Timestamp();
    refresh(change.tables, *run);
    change.answer.instance = brief_of(*run);
}

/// The run as the whole transition leaves it.
void update(const Tables& tables, InstanceBrief& brief) {
    if (const Run* run = find_run(tables, brief.run)) brief = brief_of(*run);
}

void apply(Change& change, const FreeKey& part) {
    const KeyId id{part.space, part.owner, part.definition, part.key};
    change.answer.instance = brief_of(change.tables, change.tables.keys.at(id));
    erase_key(change.tables, id);
}

void apply(Change& change, const SetRetention& part) {
    if (!part.policy) {
        change.tables.retention.erase(part.space);
        return;
    }
    change.tables.retention.insert_or_assign(
        part.space, StoredRetention{part.space, *part.policy, change.now, part.by});
}

void apply(Change& change, const SetQueueLimits& part) {
    set_limits(change.tables, part, change.now);
}

void apply(Change& change, const ReleaseSessions& part) {
    change.answer.changed = release_sessions(change.tables, part.holder, change.now);
}

void record_request(Change& change, const store::Asked& asked) {
    Tables& tables = change.tables;
    // An expired one may not have been swept yet.
    const auto [row, inserted] = tables.requests.try_emplace(asked.key);
    if (!inserted) tables.requests_until.erase({row->second.until, asked.key});
    static_cast<store::Request&>(row->second) = asked.request;
    row->second.until = later(change.now, change.options.request_kept);
    tables.requests_until.insert({row->second.until, asked.key});
}

}  // namespace

void apply(Change& change, Transition& transition) {
    Lookup rows(change.tables, change.now);
    std::vector<store::Asked> requests;
    for (Part& part : transition.parts) {
        std::optional<store::Asked> asked = store::request_of(rows, part);
        std::visit([&](auto& one) { apply(change, one); }, part);
        finish_cascade(change);
        if (!asked) continue;
        store::keep_answer(change.answer, asked->request);
        requests.push_back(std::move(*asked));
    }
    // A later part may have changed what an earlier one was about.
    if (change.answer.instance) update(change.tables, *change.answer.instance);
    for (store::Asked& asked : requests) {
        update(change.tables, asked.request.instance);
        record_request(change, asked);
    }
}

}  // namespace belay::memory
