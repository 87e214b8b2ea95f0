// Stops activities that run, and deals with those that do not stop or never begin.
#include "runtime/activity_dispatcher.hpp"
#include <belay/store/operations.hpp>

#include <string>
#include <utility>

namespace belay::runtime {

// ---- Told from outside -------------------------------------------------------------------------

void ActivityDispatcher::stop_leases(std::vector<LeaseToken> tokens) {
    mailbox_.post([this, tokens = std::move(tokens)] {
        for (const LeaseToken token : tokens) stop(token, StopReason::canceled);
    });
}

void ActivityDispatcher::check_leases(std::vector<LeaseToken> tokens) {
    mailbox_.post([this, tokens = std::move(tokens)] {
        for (const LeaseToken token : tokens) {
            if (running_.contains(token)) {
                check(token);
            } else if (claiming() || is_expected(token)) {
                heard_early_.insert(token);
            }
        }
    });
}

/// Only of use while the handler runs, or while its end cannot be reported. Otherwise the answer to
/// the report tells.
void ActivityDispatcher::check(LeaseToken token) {
    const auto at = running_.find(token);
    if (at == running_.end() || (!at->second.task && at->second.kept == 0)) return;
    if (at->second.stop == StopReason::canceled) return;
    stop_check_.add(token, at->second.claim.activity);
}

void ActivityDispatcher::shut_down() {
    shutting_down_ = true;
    std::vector<LeaseToken> tokens;
    tokens.reserve(running_.size());
    for (const auto& [token, running] : running_) tokens.push_back(token);
    for (const LeaseToken token : tokens) stop(token, StopReason::shutdown);
}

/// Lets go of sessions when nothing runs here any more, so that others need not wait until these
/// have been idle long enough.
bool ActivityDispatcher::release_sessions() {
    if (!shutting_down_ || !session_holder_ || !holds_nothing()) return false;
    const ReleaseSessions part{*std::exchange(session_holder_, std::nullopt)};
    commits_.send(part, [](const Transition& /*sent*/, const Answer& /*answer*/) {});
    return true;
}

// ---- Stopping ----------------------------------------------------------------------------------

void ActivityDispatcher::stop(LeaseToken token, StopReason reason) {
    const auto at = running_.find(token);
    if (at == running_.end()) {
        const bool awaited = claiming() || is_expected(token);
        if (awaited && reason == StopReason::canceled) stopped_early_.insert(token);
        return;
    }
    Running& running = at->second;
    // A cancel overrides a stop for another reason: a canceled activity is acked, not given back.
    if (running.stop != StopReason::none && reason != StopReason::canceled) return;
    const bool first = running.stop == StopReason::none;
    if (first && reason == StopReason::lease_lost) report_lease_lost(running.claim);
    running.stop = reason;
    if (reason == StopReason::canceled || reason == StopReason::lease_lost) keeper_.remove(token);
    if (!running.task || !first) return;
    ++services_.counters.stops_requested;
    set_abandon_at(running, services_.clock.monotonic() + services_.policy.grace);
    executor_.request_stop(running.task, reason);
}

void ActivityDispatcher::set_abandon_at(Running& running, std::optional<Millis> at) {
    const LeaseToken token = running.claim.token;
    if (running.abandon_at) overdue_.erase({*running.abandon_at, token});
    running.abandon_at = at;
    if (at) overdue_.emplace(*at, token);
}

bool ActivityDispatcher::abandon_overdue() {
    if (overdue_.empty() || services_.clock.monotonic() < overdue_.begin()->first) return false;
    const LeaseToken token = overdue_.begin()->second;
    Running& running = running_.at(token);
    set_abandon_at(running, std::nullopt);
    const bool forced = executor_.abort(running.task);
    services_.events.report(event_of(EngineCode::activity_unresponsive,
                                     LogLevel::warning,
                                     running.claim,
                                     "activity " + running.claim.name + " of '" +
                                         running.claim.instance.id +
                                         "' did not stop within its grace period and is " +
                                         (forced ? "ended by force (" : "abandoned (") +
                                         std::string(to_string(running.stop)) + ")",
                                     "let it look at stop_requested more often"));
    if (forced) return true;  // Its end is reported when it has come.
    ++services_.counters.abandoned;
    std::optional<Payload> progress;
    if (running.stop == StopReason::shutdown) progress = unwritten(running);
    drop_task(running);
    running.given_up = true;
    if (running.stop == StopReason::timeout) {
        // It has failed, even if its handler still runs.
        report_late(running);
    } else if (progress && keeper_.holds(token)) {
        tell_last(running, std::move(*progress));
    } else {
        // No ack: its handler has not ended. The stopping record is swept after lease and grace.
        forget(token);
    }
    return true;
}

void ActivityDispatcher::drop_task(Running& running) {
    set_abandon_at(running, std::nullopt);
    set_begun_by(running, std::nullopt);
    set_look_at(running, std::nullopt);
    set_tell_at(running, std::nullopt);
    end_output(running);
    if (!running.task) return;
    running.task->heartbeats().close();
    running.task.reset();
}

void ActivityDispatcher::set_begun_by(Running& running, std::optional<Millis> at) {
    const LeaseToken token = running.claim.token;
    if (running.begun_by) waiting_.erase({*running.begun_by, token});
    running.begun_by = at;
    if (at) waiting_.emplace(*at, token);
}

/// All threads are in activities that take longer than those before: others may have room.
bool ActivityDispatcher::give_back_waiting() {
    if (waiting_.empty() || services_.clock.monotonic() < waiting_.begin()->first) return false;
    Running& running = running_.at(waiting_.begin()->second);
    set_begun_by(running, std::nullopt);
    if (running.stop != StopReason::none || !executor_.withdraw(running.task)) return true;
    give_back_unbegun(running);
    return true;
}

void ActivityDispatcher::give_back_unbegun(Running& running) {
    drop_task(running);
    send(running.claim.token, op::abandon_activity(running.claim, Millis(0), CountAttempt::no));
}

}  // namespace belay::runtime
