#include "runtime/lease_keeper.hpp"

#include <algorithm>
#include <utility>

namespace belay::runtime {

void LeaseKeeper::add(LeaseToken token,
                      Held held,
                      Millis lease,
                      Millis sent_at,
                      std::optional<Millis> renew_until,
                      Lost lost) {
    leases_.insert_or_assign(token,
                             Lease{held, lease, sent_at + lease, renew_until, std::move(lost)});
}

void LeaseKeeper::remove(LeaseToken token) { leases_.erase(token); }

Millis LeaseKeeper::renew_at(const Lease& lease) const {
    const Millis buffer = std::min(services_.policy.renewal_buffer, lease.lease / 2);
    return lease.expires - buffer;
}

bool LeaseKeeper::step() { return mailbox_.run_one() || give_up_expired() || renew(); }

std::optional<Millis> LeaseKeeper::next_due() const {
    const Millis now = services_.clock.monotonic();
    std::optional<Millis> due;
    for (const auto& [token, lease] : leases_) {
        const Millis renewal = std::max(renew_at(lease), retry_at_);
        const bool renewed =
            !in_flight_ && (!lease.renew_until || std::max(renewal, now) < *lease.renew_until);
        const Millis at = renewed ? std::min(renewal, lease.expires) : lease.expires;
        due = due ? std::min(*due, at) : at;
    }
    return due;
}

/// A lease that could not be renewed in time may be another worker's by now.
bool LeaseKeeper::give_up_expired() {
    const Millis now = services_.clock.monotonic();
    for (const auto& [token, lease] : leases_) {
        if (now < lease.expires) continue;
        lose(token, StopReason::lease_lost);
        return true;
    }
    return false;
}

bool LeaseKeeper::renew() {
    const Millis now = services_.clock.monotonic();
    if (in_flight_ || now < retry_at_) return false;
    std::vector<Transition> batch;
    std::vector<LeaseToken> tokens;
    for (const auto& [token, lease] : leases_) {
        if (now < renew_at(lease)) continue;
        if (lease.renew_until && now >= *lease.renew_until) continue;
        Transition transition;
        transition.commit = services_.ids.commit_id();
        if (const auto* activity = std::get_if<ActivityRef>(&lease.held)) {
            transition.parts.emplace_back(RenewActivity{*activity, token, lease.lease});
        } else {
            transition.parts.emplace_back(
                RenewTurn{std::get<RunRef>(lease.held), token, lease.lease});
        }
        batch.push_back(std::move(transition));
        tokens.push_back(token);
    }
    if (batch.empty()) return false;
    in_flight_ = true;
    services_.store.commit(std::move(batch),
                           mailbox_.later<Result<std::vector<Answer>>>(
                               [this, tokens, now](const Result<std::vector<Answer>>& result) {
                                   on_answers(tokens, now, result);
                               }));
    return true;
}

void LeaseKeeper::on_answers(const std::vector<LeaseToken>& tokens,
                             Millis sent_at,
                             const Result<std::vector<Answer>>& result) {
    in_flight_ = false;
    if (!result) {
        // Not knowing is no worse than not renewing: it is simply done again.
        retry_at_ = services_.clock.monotonic() + services_.policy.retry_delay;
        return;
    }
    for (std::size_t i = 0; i < tokens.size(); ++i) {
        const auto at = leases_.find(tokens[i]);
        if (at == leases_.end()) continue;
        const Answer& answer = (*result)[i];
        if (answer.done()) {
            at->second.expires = sent_at + at->second.lease;
            ++services_.counters.renewals;
        } else if (answer.verdict == Verdict::refused) {
            lose(tokens[i],
                 answer.refused_with(Errc::canceled) ? StopReason::canceled
                                                     : StopReason::lease_lost);
        } else if (answer.error && !answer.error->retryable() && !answer.error->outcome_unknown()) {
            lose(tokens[i], StopReason::lease_lost);
        } else {
            retry_at_ = services_.clock.monotonic() + services_.policy.retry_delay;
        }
    }
}

void LeaseKeeper::lose(LeaseToken token, StopReason reason) {
    const auto at = leases_.find(token);
    if (at == leases_.end()) return;
    const Lost lost = std::move(at->second.lost);
    leases_.erase(at);
    if (reason == StopReason::lease_lost) ++services_.counters.leases_lost;
    if (lost) lost(reason);
}

}  // namespace belay::runtime
