#include "runtime/lease_keeper.hpp"

#include "runtime/commits.hpp"

#include <algorithm>
#include <string>
#include <utility>

namespace belay::runtime {

namespace {

Error reason_of(const Answer& answer) {
    return answer.error.value_or(Error(Errc::outcome_unknown, "no reason was given"));
}

/// The lease was not taken over: its holder was canceled, or its run has ended or was deleted.
bool nobody_waits(const Answer& answer) {
    return answer.refused_with(Errc::canceled) || answer.refused_with(Errc::already_ended) ||
           answer.refused_with(Errc::not_found);
}

}  // namespace

void LeaseKeeper::add(LeaseToken token,
                      Held held,
                      Millis lease,
                      Millis sent_at,
                      std::optional<Millis> renew_until,
                      Lost lost,
                      Describe describe) {
    remove(token);
    const auto [at, inserted] = leases_.emplace(
        token,
        Lease{held, lease, sent_at + lease, renew_until, std::move(lost), std::move(describe)});
    expiries_.emplace(at->second.expires, token);
    renewals_.emplace(renew_at(at->second), token);
}

void LeaseKeeper::remove(LeaseToken token) {
    const auto at = leases_.find(token);
    if (at == leases_.end()) return;
    expiries_.erase({at->second.expires, token});
    renewals_.erase({renew_at(at->second), token});
    leases_.erase(at);
}

void LeaseKeeper::renew_until(LeaseToken token, std::optional<Millis> until) {
    const auto at = leases_.find(token);
    if (at == leases_.end()) return;
    at->second.renew_until = until;
    // It may have been left out before.
    renewals_.emplace(renew_at(at->second), token);
}

Millis LeaseKeeper::buffer(const Lease& lease) const {
    return std::min(services_.policy.renewal_buffer, lease.lease / 2);
}

Millis LeaseKeeper::renew_at(const Lease& lease) const {
    const Millis due = lease.expires - buffer(lease);
    return lease.asked ? std::min(*lease.asked, due) : due;
}

template <class Change>
void LeaseKeeper::reschedule(LeaseToken token, Lease& lease, Change change) {
    expiries_.erase({lease.expires, token});
    renewals_.erase({renew_at(lease), token});
    change();
    expiries_.emplace(lease.expires, token);
    renewals_.emplace(renew_at(lease), token);
}

void LeaseKeeper::renew_with(LeaseToken token, Payload progress) {
    const auto at = leases_.find(token);
    if (at == leases_.end()) return;
    Lease& lease = at->second;
    lease.progress = std::move(progress);
    reschedule(token, lease, [&] { lease.asked = services_.clock.monotonic(); });
}

std::optional<Payload> LeaseKeeper::unwritten(LeaseToken token) const {
    const auto at = leases_.find(token);
    if (at == leases_.end()) return std::nullopt;
    return at->second.progress ? at->second.progress : at->second.sent;
}

Millis LeaseKeeper::left(LeaseToken token) const {
    const auto at = leases_.find(token);
    if (at == leases_.end()) return Millis(0);
    return std::max(at->second.expires - services_.clock.monotonic(), Millis(0));
}

bool LeaseKeeper::step() { return mailbox_.run_one() || give_up_expired() || renew(); }

std::optional<Millis> LeaseKeeper::next_due() const {
    if (leases_.empty()) return std::nullopt;
    Millis due = expiries_.begin()->first;
    if (!in_flight_ && !renewals_.empty()) {
        due = std::min(due, std::max(renewals_.begin()->first, retry_at_));
    }
    return due;
}

/// A lease that could not be renewed in time may be another worker's by now.
bool LeaseKeeper::give_up_expired() {
    if (expiries_.empty()) return false;
    const auto [expires, token] = *expiries_.begin();
    if (services_.clock.monotonic() < expires) return false;
    lose(token, StopReason::lease_lost);
    return true;
}

bool LeaseKeeper::renew() {
    const Millis now = services_.clock.monotonic();
    if (in_flight_ || now < retry_at_) return false;
    if (renewals_.empty() || now < renewals_.begin()->first) return false;
    std::vector<Transition> batch;
    std::vector<LeaseToken> tokens;
    for (auto at = renewals_.begin(); at != renewals_.end();) {
        const auto [due, token] = *at;
        const Lease& lease = leases_.find(token)->second;
        // Those that would be next go along: one commit instead of many.
        if (now + buffer(lease) / 2 < due) break;
        if (lease.renew_until && now >= *lease.renew_until) {
            at = renewals_.erase(at);
            continue;
        }
        batch.push_back(renewal_of(token, lease));
        tokens.push_back(token);
        ++at;
    }
    if (batch.empty()) return false;
    for (const LeaseToken token : tokens) {
        Lease& lease = leases_.find(token)->second;
        if (!lease.bare) lease.sent = std::exchange(lease.progress, std::nullopt);
        if (lease.asked) reschedule(token, lease, [&] { lease.asked.reset(); });
    }
    in_flight_ = true;
    services_.store.commit(std::move(batch),
                           mailbox_.later<Result<std::vector<Answer>>>(
                               [this, tokens, now](const Result<std::vector<Answer>>& result) {
                                   on_answers(tokens, now, result);
                               }));
    return true;
}

Transition LeaseKeeper::renewal_of(LeaseToken token, const Lease& lease) {
    Transition transition;
    transition.commit = services_.ids.commit_id();
    if (const auto* activity = std::get_if<ActivityRef>(&lease.held)) {
        transition.parts.emplace_back(RenewActivity{
            *activity, token, lease.lease, lease.bare ? std::nullopt : lease.progress});
    } else {
        transition.parts.emplace_back(RenewTurn{std::get<RunRef>(lease.held), token, lease.lease});
    }
    return transition;
}

void LeaseKeeper::on_answers(const std::vector<LeaseToken>& tokens,
                             Millis sent_at,
                             const Result<std::vector<Answer>>& result) {
    in_flight_ = false;
    if (result) {
        for (std::size_t i = 0; i < tokens.size(); ++i) on_answer(tokens[i], sent_at, (*result)[i]);
    } else {
        services_.events.report(
            store_event(EngineCode::renewal_failed,
                        std::to_string(tokens.size()) + " leases could not be renewed",
                        result.error()));
        for (const LeaseToken token : tokens) on_error(token, result.error());
    }
}

void LeaseKeeper::on_answer(LeaseToken token, Millis sent_at, const Answer& answer) {
    const auto at = leases_.find(token);
    if (at == leases_.end()) return;
    Lease& lease = at->second;
    if (answer.done()) {
        if (std::exchange(lease.sent, std::nullopt)) lease.complained = false;
        const bool bare = std::exchange(lease.bare, false);
        reschedule(token, lease, [&] {
            lease.expires = sent_at + lease.lease;
            // So late that it does not go along with the next renewal of others.
            if (bare && lease.progress) lease.asked = sent_at + buffer(lease);
        });
        ++services_.counters.renewals;
    } else if (lease.sent && !answer.refused_with(Errc::canceled) &&
               !answer.refused_with(Errc::lease_lost)) {
        renew_without(token, lease, reason_of(answer));
    } else if (answer.verdict == Verdict::refused) {
        report(lease,
               event_of(EngineCode::renewal_refused,
                        LogLevel::info,
                        "a lease was not renewed: " + reason_of(answer).describe()));
        lose(token, nobody_waits(answer) ? StopReason::canceled : StopReason::lease_lost);
    } else {
        report(lease,
               store_event(
                   EngineCode::renewal_failed, "a lease could not be renewed", reason_of(answer)));
        on_error(token, reason_of(answer));
    }
}

/// Perhaps only the progress cannot be written, for example by a coder that is without its key.
/// The lease must not be lost for it. The progress is retried after the next renewal, unless it
/// can never be written.
void LeaseKeeper::renew_without(LeaseToken token, Lease& lease, const Error& why) {
    const bool for_ever = is_permanent(why.code()) || why.code() == Errc::limit_exceeded;
    if (!std::exchange(lease.complained, true)) {
        report(
            lease,
            event_of(EngineCode::heartbeat_unwritten,
                     LogLevel::warning,
                     "a heartbeat could not be written" +
                         std::string(for_ever ? ", and is left out: " : " and is tried again: ") +
                         why.describe()));
    }
    if (!for_ever && !lease.progress) lease.progress = std::move(lease.sent);
    lease.sent.reset();
    const Millis now = services_.clock.monotonic();
    if (why.retryable() || why.outcome_unknown()) retry_at_ = now + services_.policy.retry_delay;
    reschedule(token, lease, [&] {
        lease.bare = true;
        lease.asked = now;
    });
}

/// Renews again if the outcome is not known. A holder whose lease will never be renewed is stopped
/// while the lease still keeps others away.
void LeaseKeeper::on_error(LeaseToken token, const Error& error) {
    if (error.retryable() || error.outcome_unknown()) {
        retry_at_ = services_.clock.monotonic() + services_.policy.retry_delay;
        const auto at = leases_.find(token);
        if (at == leases_.end() || !at->second.sent || at->second.progress) return;
        renew_with(token, *std::exchange(at->second.sent, std::nullopt));
    } else {
        lose(token, StopReason::lease_lost);
    }
}

void LeaseKeeper::report(const Lease& lease, EngineEvent event) {
    if (lease.describe) lease.describe(event);
    services_.events.report(std::move(event));
}

void LeaseKeeper::lose(LeaseToken token, StopReason reason) {
    const auto at = leases_.find(token);
    if (at == leases_.end()) return;
    const Lost lost = std::move(at->second.lost);
    remove(token);
    if (reason == StopReason::lease_lost) ++services_.counters.leases_lost;
    if (lost) lost(reason);
}

}  // namespace belay::runtime
