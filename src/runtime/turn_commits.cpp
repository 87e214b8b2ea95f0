// Committing a turn, and acting on the answer.
#include "runtime/turn_builder.hpp"
#include "runtime/turn_dispatcher.hpp"
#include <belay/store/operations.hpp>

#include <algorithm>
#include <set>
#include <utility>

namespace belay::runtime {

namespace {

/// Cancels activities that nobody began in time: they must not begin any more.
void cancel_not_started(const ClaimedInstance& claim, Turn& turn) {
    for (const Message& message : claim.messages) {
        if (message.content.execution == claim.execution && op::is_not_started(message.content)) {
            turn.canceled_activities.push_back(message.content.command);
        }
    }
}

/// Returns the claim that an activity would have had, if it had not been handed over.
ClaimedActivity as_claimed(const ClaimedInstance& run, const Turn& turn, NewActivity& activity) {
    ClaimedActivity claim;
    claim.activity = ActivityRef{turn.run, turn.execution, activity.command};
    claim.instance = run.name;
    claim.definition = run.definition;
    claim.version = turn.version.value_or(run.version);
    claim.name = std::move(activity.name);
    claim.queue = std::move(activity.queue);
    claim.input = std::move(activity.input);
    claim.headers = std::move(activity.headers);
    claim.attempt = 1;
    claim.token = activity.hand_over->token;
    claim.claimed_at = run.claimed_at;
    claim.leased_until = run.claimed_at + activity.hand_over->lease;
    claim.schedule_to_start = activity.schedule_to_start;
    claim.start_to_close = activity.start_to_close;
    claim.heartbeat_timeout = activity.heartbeat_timeout;
    claim.fairness_key = std::move(activity.fairness_key);
    claim.session = std::move(activity.session);
    return claim;
}

/// The turn is behind the parts that it is fused with.
Turn& turn_in(Transition& transition) { return std::get<Turn>(transition.parts.back()); }

}  // namespace

// ---- Making it ---------------------------------------------------------------------------------

Turn TurnDispatcher::turn_of(const Job& job, TurnRun::Reached reached) {
    const ClaimedInstance& claim = job.claim;
    Turn turn = build_turn(claim,
                           *job.resident.execution,
                           reached.events,
                           std::move(reached.row),
                           services_.registry,
                           services_.policy,
                           services_.ids);
    cancel_not_started(claim, turn);
    if (!job.claimed) turn.lock.reset();
    std::erase_if(turn.consumed, [&](MessageNo message) { return reached.left.contains(message); });
    return turn;
}

void TurnDispatcher::submit_turn(Job& job, TurnRun::Reached reached) {
    job.turn = true;
    Transition transition = std::move(job.cause);
    if (transition.parts.empty()) {
        transition.commit = services_.ids.commit_id();
        transition.stop = services_.stop_terms();
    }
    transition.parts.emplace_back(turn_of(job, std::move(reached)));
    // A start of a client is answered with the error, and not tried again.
    submit(job, std::move(transition), job.started ? Retry::no : Retry::yes);
}

/// Begins activities here, without a claim, if there is room for them.
void TurnDispatcher::lease_to_self(Turn& turn) {
    // An activity that a turn schedules and deletes in the same commit need not begin.
    if (!options_.share_commits || !std::holds_alternative<GoesOn>(turn.after)) return;
    for (NewActivity& activity : turn.activities) {
        activity.hand_over = activities_.reserve(activity);
    }
}

// ---- Committing --------------------------------------------------------------------------------

void TurnDispatcher::submit(Job& job, Part part) {
    Transition transition;
    transition.commit = services_.ids.commit_id();
    transition.parts.push_back(std::move(part));
    transition.stop = services_.stop_terms();
    submit(job, std::move(transition));
}

void TurnDispatcher::submit(Job& job, Transition transition, Retry retry) {
    if (!job.turn) drop(std::move(job.resident.execution));
    job.sent_at = services_.clock.monotonic();
    // Late: activities that have ended by then have made room.
    Commits::Prepare prepare;
    if (job.turn) prepare = [this](Transition& sent) { lease_to_self(turn_in(sent)); };
    commits_.send(
        std::move(transition),
        [this, token = job.claim.token](Transition& sent, const Answer& answer) {
            on_committed(token, sent, answer);
        },
        retry,
        std::move(prepare));
}

void TurnDispatcher::on_committed(LeaseToken token, Transition& sent, const Answer& answer) {
    const auto at = jobs_.find(token);
    if (at == jobs_.end()) return;
    Job& job = at->second;
    if (answer.done()) {
        if (!answer.stopped.empty()) activities_.stop_leases(answer.stopped);
        if (job.turn) on_turn_committed(job, turn_in(sent), answer);
        if (!job.complaint.empty()) {
            services_.events.report(event_of(EngineCode::run_stuck,
                                             LogLevel::error,
                                             job.claim,
                                             job.complaint,
                                             "belay held lists those that wait for a person"));
        }
        if (std::holds_alternative<Hold>(sent.parts.front())) ++services_.counters.held;
        forget(token);
        return;
    }
    if (job.turn) {
        ++services_.counters.turns_refused;
        for (const NewActivity& activity : turn_in(sent).activities) {
            if (activity.hand_over) activities_.release(activity.hand_over->token);
        }
    }
    // The execution has run past history: it must go before anything else happens.
    drop(std::move(job.resident.execution));
    if (!job.claimed) {
        on_fused_refused(job, sent, answer);
        forget(token);
    } else if (answer.verdict == Verdict::refused) {
        on_refused(job, *answer.error);
    } else {
        services_.events.report(store_event(EngineCode::commit_failed,
                                            "a commit for '" + job.claim.name.id + "' failed",
                                            *answer.error));
        forget(token);
    }
}

void TurnDispatcher::on_turn_committed(Job& job, Turn& turn, const Answer& answer) {
    ++services_.counters.turns_committed;
    if (!job.claimed) ++services_.counters.fused_turns;
    const std::set<CommandNo> leased(answer.leased.begin(), answer.leased.end());
    for (NewActivity& activity : turn.activities) {
        if (!activity.hand_over) continue;
        const LeaseToken token = activity.hand_over->token;
        if (leased.contains(activity.command)) {
            activities_.begin_reserved(as_claimed(job.claim, turn, activity), job.sent_at);
        } else {
            activities_.release(token);
        }
    }
    for (const Finished& finished : job.finished) activities_.recorded(finished.token);
    if (!job.finished.empty()) go_on_gathering(job.claim.run.key);
    // A start that its client sent again may have been recorded with another first turn than this.
    const bool recorded = !job.started || answer.verdict == Verdict::applied;
    if (recorded && !job.resident.execution->finished()) keep_resident(job);
    if (job.started) job.started(answer);
}

/// Until its next turn.
void TurnDispatcher::keep_resident(Job& job) {
    Resident resident = std::move(job.resident);
    if (job.claimed && resident.claims_first > 0) --resident.claims_first;
    if (!job.claimed) resident.refusals = 0;
    resident.overruns = 0;
    resident.about = std::move(job.claim);
    ClaimedInstance& about = resident.about;
    about.messages.clear();
    about.overruns = 0;
    about.input = Payload();
    about.position = resident.execution->position();
    about.version = resident.execution->version();
    about.status = Status::running;
    residents_.put(about.run.key, std::move(resident));
}

void TurnDispatcher::on_refused(Job& job, const Error& error) {
    const Errc code = error.code();
    const bool turn = std::exchange(job.turn, false);
    if (turn && (code == Errc::cancel_unseen || code == Errc::run_key_taken)) {
        // The lock is still held: let go of it, so that the run can be claimed with the cancel in
        // view.
        give_back(job, Millis(0), CountAttempt::no, AbandonReason::released);
        return;
    }
    if (turn && code == Errc::limit_exceeded) {
        // The same turn will be refused again. The run fails with the limit as the reason.
        fail(job, Failure{.kind = FailureKind::limit, .message = error.message()});
        return;
    }
    if (code == Errc::unreadable) {
        // Its result cannot be encoded here. Another process takes the same turn.
        cannot_read(job, error);
        return;
    }
    if (turn && is_permanent(code)) {
        // The same turn will be refused again; attempts are counted, so this ends as poison.
        services_.events.report(
            event_of(EngineCode::turn_refused,
                     LogLevel::error,
                     job.claim,
                     "a turn of '" + job.claim.name.id + "' was refused: " + error.describe()));
        give_back(job, services_.policy.retry_delay, CountAttempt::yes, AbandonReason::released);
        return;
    }
    // The run was deleted, or another worker has it. An end meanwhile is no trouble.
    const bool trouble = turn && (code == Errc::not_found || code == Errc::lease_lost);
    services_.events.report(event_of(
        EngineCode::turn_lost,
        trouble ? LogLevel::warning : LogLevel::info,
        job.claim,
        "what was decided for '" + job.claim.name.id + "' is not recorded: " + error.describe()));
    forget(job.claim.token);
}

void TurnDispatcher::forget(LeaseToken token) {
    const auto at = jobs_.find(token);
    if (at->second.claimed) {
        keeper_.remove(token);
        --claimed_;
    }
    jobs_.erase(at);
}

}  // namespace belay::runtime
