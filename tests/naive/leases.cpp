// Changes that the holder of a lease makes.
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
        std::erase_if(state_.begun, [&](const StartTime& one) { return one.token == part.token; });
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

namespace {

/// 0, b, 2b, 4b and so on from the first attempt to later ones; no more than what is left of the
/// lease.
Millis delay_after_death(Millis backoff, std::uint32_t attempts, Millis left) {
    Millis delay{0};
    for (std::uint32_t past = 1; past < attempts; ++past) {
        delay = delay == Millis(0) ? backoff : delay * 2;
        if (delay >= left) return left;
    }
    return delay;
}

}  // namespace

void Change::apply(const ReleaseHolder& part) {
    const auto is_its = [&](const LeaseToken& token) { return token.holder == part.holder; };
    std::vector<RunKey> runs;
    for (const auto& [key, run] : state_.runs) {
        if (run.locked(now_) && is_its(run.lock->token)) runs.push_back(key);
    }
    std::vector<ActivityRef> activities;
    for (const auto& [ref, row] : state_.activities) {
        if (row.leased(now_) && is_its(*row.token)) activities.push_back(ref);
    }
    std::vector<std::pair<ActivityRef, LeaseToken>> handlers;
    for (const Stopping& one : state_.stopping) {
        if (is_its(one.token) && !one.orphan) handlers.emplace_back(one.activity, one.token);
    }
    std::sort(handlers.begin(), handlers.end());
    for (const RunKey key : runs) {
        if (answer_.swept == part.limit) break;
        Run& run = *state_.runs.write(key);
        const bool canceled_meanwhile = run.cancel && !run.lock->cancel_seen;
        run.not_before =
            canceled_meanwhile
                ? kAlways
                : now_ + delay_after_death(part.backoff, run.attempts, run.lock->until - now_);
        run.lock.reset();
        ++answer_.swept;
    }
    for (const ActivityRef& ref : activities) {
        if (answer_.swept == part.limit) break;
        Activity& row = *state_.activities.write(ref);
        const Millis delay = delay_after_death(part.backoff, row.attempt, row.leased_until - now_);
        leave_session(session_of(state_, row), *row.token, true);
        row.token.reset();
        row.worker.clear();
        row.leased_until = now_;
        row.unregistered = 0;
        if (delay > Millis(0)) row.visible_at = now_ + delay;
        ++answer_.swept;
    }
    for (const auto& [activity, token] : handlers) {
        if (answer_.swept == part.limit) break;
        leave_session(stopping(activity, token)->session, token, true);
        std::erase_if(state_.stopping, [&](const Stopping& one) {
            return one.activity == activity && one.token == token;
        });
        ++answer_.swept;
    }
    answer_.changed = answer_.swept > 0;
    if (answer_.swept == part.limit) return;
    // Handlers of deleted runs ended with it, too.
    std::erase_if(state_.stopping, [&](const Stopping& one) { return is_its(one.token); });
    const std::size_t sessions = std::erase_if(
        state_.sessions, [&](const auto& one) { return one.second.holder == part.holder; });
    if (sessions > 0) answer_.changed = true;
}

}  // namespace belay::naive
