// What whoever has claimed something does with its lease.
#include "naive/change.hpp"

#include <algorithm>

namespace belay::naive {

/// Something of a session runs no longer: from now on it is kept for as long as it may be idle.
/// Something that never ran keeps it no longer than it was kept before.
void Change::leave_session(const SessionName& name, LeaseToken token, bool ran) {
    const auto found = state_.sessions.find(name);
    if (found == state_.sessions.end() || found->second.holder != token.holder) return;
    Session& session = found->second;
    const Timestamp idle_until = now_ + session.idle;
    session.idle_until =
        ran ? idle_until : std::min(idle_until, session_until(state_, name, session));
}

void Change::apply(const AckActivity& part) {
    if (!part.completion && stopping(part.activity, part.token) != nullptr) {
        address(part.activity.run);
        leave_session(stopping(part.activity, part.token)->session, part.token, true);
        std::erase_if(state_.stopping, [&](const Stopping& one) {
            return one.activity == part.activity && one.token == part.token;
        });
        return;
    }
    const Activity& row = held_activity(part.activity, part.token);
    leave_session(session_of(state_, row), part.token, true);
    state_.activities.erase(part.activity);
    Run& run = *state_.write(part.activity.run);
    run.overruns += part.turn_overran ? 1 : 0;
    if (part.completion) send(run, *part.completion);
}

void Change::apply(const AbandonActivity& part) {
    Activity& row = held_activity(part.activity, part.token);
    const bool begun = part.count == CountAttempt::yes || part.reason == AbandonReason::interrupted;
    const bool ran = part.count == CountAttempt::yes && part.reason != AbandonReason::interrupted;
    leave_session(session_of(state_, row), part.token, ran);
    row.token.reset();
    row.worker.clear();
    row.leased_until = now_;
    if (part.delay > Millis(0)) row.visible_at = now_ + part.delay;
    row.unregistered = part.reason == AbandonReason::unregistered ? row.unregistered + 1 : 0;
    if (part.reason == AbandonReason::interrupted) row.about.schedule_to_start.reset();
    if (part.count == CountAttempt::no) row.attempt -= row.attempt > 0 ? 1 : 0;
    if (!begun) {
        std::erase_if(state_.begun, [&](const Begun& one) { return one.token == part.token; });
    }
    if (part.progress) {
        row.progress = part.progress;
        row.progress_at = now_;
    }
    wait_for_start(row);
}

void Change::apply(const RenewActivity& part) {
    Activity& row = held_activity(part.activity, part.token);
    if (!row.leased(now_)) refuse(Errc::lease_lost, "the lease has expired");
    row.leased_until = now_ + part.extend;
    if (part.progress) {
        row.progress = part.progress;
        row.progress_at = now_;
    }
}

void Change::apply(const AbandonTurn& part) {
    address(part.run);
    Run& run = locked(part.run, part.token);
    changed_.insert(run.ref());
    const bool canceled_meanwhile = run.cancel && !run.lock->cancel_seen;
    run.lock.reset();
    run.not_before = canceled_meanwhile ? kAlways : now_ + part.delay;
    if (part.count == CountAttempt::no) run.attempts -= run.attempts > 0 ? 1 : 0;
    if (part.reason == AbandonReason::overran) ++run.overruns;
    if (part.reason == AbandonReason::unregistered) {
        ++run.unregistered;
        run.given_back = true;
        if (!run.code_missing_since) run.code_missing_since = now_;
    }
}

void Change::apply(const RenewTurn& part) {
    address(part.run);
    Run& run = locked(part.run, part.token);
    if (!run.locked(now_)) refuse(Errc::lease_lost, "the lock has expired");
    run.lock->until = now_ + part.extend;
}

void Change::apply(const ReleaseSessions& part) {
    answer_.changed = false;
    for (auto& [name, session] : state_.sessions) {
        if (session.holder != part.holder) continue;
        const Timestamp before = session_until(state_, name, session);
        session.idle_until = kAlways;
        const Timestamp busy = session_until(state_, name, session);
        if (busy <= now_ || busy < before) answer_.changed = true;
    }
    std::erase_if(state_.sessions, [&](const auto& one) {
        return one.second.holder == part.holder &&
               session_until(state_, one.first, one.second) <= now_;
    });
}

}  // namespace belay::naive
