#include "runtime/stop_check.hpp"

#include <set>

namespace belay::runtime {

std::optional<Millis> StopCheck::next_due() const {
    if (in_flight_ || heard_.empty()) return std::nullopt;
    return ask_at_;
}

bool StopCheck::ask() {
    if (in_flight_ || heard_.empty() || services_.clock.monotonic() < ask_at_) return false;
    in_flight_ = true;
    CheckLeases request;
    request.leases.reserve(heard_.size());
    for (const auto& [token, activity] : heard_) request.leases.emplace_back(activity, token);
    heard_.clear();
    Leases asked = request.leases;
    services_.store.read(std::move(request),
                         mailbox_.later<Result<CheckLeases::Answer>>(
                             [this, asked = std::move(asked)](
                                 const Result<CheckLeases::Answer>& r) { on_answer(asked, r); }));
    return true;
}

void StopCheck::on_answer(const Leases& asked, const Result<CheckLeases::Answer>& result) {
    in_flight_ = false;
    if (!result) {
        const Error& error = result.error();
        services_.events.report(
            store_event(EngineCode::read_failed, "leases could not be checked", error));
        // Asked again it would fail again; the renewal will tell.
        if (!error.retryable() && !error.outcome_unknown()) return;
        for (const auto& [activity, token] : asked) add(token, activity);
        ask_at_ = services_.clock.monotonic() + services_.policy.retry_delay;
        return;
    }
    const std::set<LeaseToken> held(result->begin(), result->end());
    for (const auto& [activity, token] : asked) {
        if (!held.contains(token)) over_(token);
    }
}

}  // namespace belay::runtime
