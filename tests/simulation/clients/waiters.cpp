#include "simulation/clients/waiters.hpp"

#include "simulation/clients/operators.hpp"
#include "simulation/store/notices.hpp"

#include <algorithm>
#include <utility>

namespace belay::sim {

namespace {

constexpr std::size_t kMostWaits = 6;
constexpr unsigned kLeavePerMille = 2;
constexpr std::uint64_t kKeys = 3;

}  // namespace

Waiters::Waiters(std::uint64_t seed,
                 VirtualTime& time,
                 TrueStore& true_store,
                 Trace& trace,
                 Violations& violations,
                 const RunRecords& records,
                 EndpointNo first,
                 const Policy& policy)
    : time_(time),
      true_store_(true_store),
      violations_(violations),
      rng_(seed),
      begin_per_mille_(static_cast<unsigned>(rng_.between(10, 60))),
      call_trouble_per_mille_(static_cast<unsigned>(rng_.between(5, 100))),
      lease_(policy.turn_lease),
      poll_interval_(policy.poll_interval),
      transport_(time, trace) {
    transport_.plan_with([this](EndpointNo) { return plan_call(); });
    const auto count = static_cast<EndpointNo>(1 + rng_.below(3));
    for (EndpointNo number = first; number < first + count; ++number) {
        waiters_.push_back(std::make_unique<Waiter>(
            time, true_store, transport_, trace, violations, records, rng_, number, policy));
    }
}

// ---- Stepping ----------------------------------------------------------------------------------

void Waiters::act() {
    for (const auto& waiter : waiters_) waiter->check_what_was_told();
    if (rng_.per_mille(begin_per_mille_)) begin_some_wait();
    if (rng_.per_mille(kLeavePerMille)) rng_.pick(waiters_)->leave();
    // Steps that are due and are not taken now are taken before the time moves on.
    if (rng_.percent(40)) step();
}

void Waiters::pass_until(Millis at) {
    while (!violations_.any()) {
        if (step()) continue;
        const std::optional<Millis> due = next_due();
        if (!due || *due >= at) break;
        time_.ms = due->count();
        check_wake_ups();
    }
    time_.ms = at.count();
    check_wake_ups();
}

bool Waiters::step() {
    collect_steps();
    if (possible_steps_.empty()) return false;
    carry_out(rng_.pick(possible_steps_));
    return true;
}

void Waiters::collect_steps() {
    possible_steps_.clear();
    for (std::size_t i = 0; i < waiters_.size(); ++i) {
        const std::optional<Millis> due = waiters_[i]->next_due();
        if (due && *due <= time_.now()) possible_steps_.push_back({Step::Kind::client, i});
    }
    for (std::size_t i = 0; i < transport_.calls().size(); ++i) {
        if (transport_.is_due(*transport_.calls()[i]))
            possible_steps_.push_back({Step::Kind::call, i});
    }
    for (std::size_t i = 0; i < transport_.notices().size(); ++i) {
        if (transport_.notices()[i].deliver_at > time_.now()) continue;
        possible_steps_.push_back({Step::Kind::notice, i});
    }
}

void Waiters::carry_out(const Step& next) {
    switch (next.kind) {
        case Step::Kind::client: waiters_[next.index]->step(); break;
        case Step::Kind::call: {
            StoreCall& call = *transport_.calls()[next.index];
            call.applied ? transport_.answer(call) : transport_.apply(call);
            break;
        }
        case Step::Kind::notice: transport_.deliver(next.index); break;
    }
}

std::optional<Millis> Waiters::next_due() const {
    std::optional<Millis> due = transport_.next_due();
    for (const auto& waiter : waiters_) {
        const std::optional<Millis> at = waiter->next_due();
        if (at) due = due ? std::min(*due, *at) : *at;
    }
    return due;
}

CallPlan Waiters::plan_call() {
    CallPlan plan;
    plan.until_applied = Millis(rng_.between(0, 4));
    plan.until_answered = Millis(rng_.between(0, 4));
    if (quiet_since_ || !rng_.per_mille(call_trouble_per_mille_)) return plan;
    if (rng_.percent(50)) {
        faults_.add(Fault::retryable_error);
        plan.apply = false;
        plan.answer_with = rng_.percent(50) ? Errc::busy : Errc::unavailable;
    } else {
        faults_.add(Fault::delayed_call);
        (rng_.percent(50) ? plan.until_applied : plan.until_answered) =
            Millis(rng_.between(5, 2 * lease_.count()));
    }
    return plan;
}

// ---- Beginning to wait -------------------------------------------------------------------------

void Waiters::begin_some_wait() {
    Waiter& waiter = *rng_.pick(waiters_);
    const std::string id = some_id();
    if (id.empty() || waiter.waiting() >= kMostWaits || waiter.waits_for(id)) return;
    switch (rng_.below(4)) {
        case 0: waiter.wait_for_end(id); break;
        case 1: waiter.wait_for_settling(id); break;
        case 2: waiter.wait_for_status(id, some_version(id)); break;
        default: {
            const std::string key = "v" + std::to_string(rng_.below(kKeys));
            waiter.wait_for_value(id, key, some_value(id, key));
        }
    }
}

/// Mostly the id of a run that goes on; empty if there is none.
std::string Waiters::some_id() {
    const bool any = rng_.percent(20);
    std::vector<std::string> ids;
    true_store_.with_tables([&](memory::Tables& tables) {
        for (const auto& [name, ref] : tables.names) {
            if (any || !memory::find_run(tables, ref)->ended()) ids.push_back(name.id);
        }
    });
    if (rng_.percent(3)) return "nobody";
    return ids.empty() ? std::string() : rng_.pick(ids);
}

/// Mostly the one that it has; also one that it had, or that somebody saw of another run.
std::uint64_t Waiters::some_version(const std::string& id) {
    std::uint64_t version = 0;
    true_store_.with_tables([&](memory::Tables& tables) {
        const memory::Run* const run =
            memory::find_run(std::as_const(tables), InstanceName{kSpace, id});
        if (run != nullptr) version = run->custom_status_version;
    });
    return rng_.percent(80) ? version : rng_.below(version + 2);
}

/// Mostly the one that it has.
std::optional<Payload> Waiters::some_value(const std::string& id, const std::string& key) {
    std::optional<Payload> value;
    true_store_.with_tables([&](memory::Tables& tables) {
        const memory::Run* const run =
            memory::find_run(std::as_const(tables), InstanceName{kSpace, id});
        if (run == nullptr) return;
        const auto found = run->key_values.find(key);
        if (found != run->key_values.end()) value = found->second;
    });
    return rng_.percent(80) ? value : std::nullopt;
}

// ---- Notifications -----------------------------------------------------------------------------

void Waiters::tell(const std::string& what, const std::function<void(Waiter&)>& hear) {
    for (const auto& waiter : waiters_) {
        Notice notice;
        notice.receiver = waiter->number();
        notice.deliver_at = time_.now() + Millis(rng_.between(0, 5));
        notice.what = what;
        notice.deliver = [receiver = waiter.get(), hear] { hear(*receiver); };
        if (quiet_since_) {
            transport_.send(std::move(notice));
        } else {
            send_with_faults(transport_, std::move(notice), rng_, faults_, lease_);
        }
    }
}

void Waiters::tell_end(RunRef run) {
    tell("a run has ended", [run](Waiter& waiter) { waiter.hear_end(run); });
}
void Waiters::tell_settling(RunRef run) {
    tell("a run has settled", [run](Waiter& waiter) { waiter.hear_settling(run); });
}
void Waiters::tell_status(RunRef run) {
    tell("a custom status was set", [run](Waiter& waiter) { waiter.hear_status(run); });
}
void Waiters::tell_values(RunRef run) {
    tell("key-values were changed", [run](Waiter& waiter) { waiter.hear_values(run); });
}

// ---- The quiet phase ---------------------------------------------------------------------------

void Waiters::begin_quiet_phase() {
    quiet_since_ = time_.now();
    transport_.hurry();
}

void Waiters::check_wake_ups() {
    if (!quiet_since_) return;
    for (const auto& waiter : waiters_) waiter->check_wake_ups(*quiet_since_);
}

void Waiters::check_end() {
    const Millis until = time_.now() + poll_interval_ + Waiter::kWakeUp;
    pass_until(until);
    for (const auto& waiter : waiters_) {
        violations_.expect(
            waiter->overdue() == 0, "no wait outlives its run by more than a poll interval", [&] {
                return "e" + std::to_string(waiter->number()) + " still waits for " +
                       std::to_string(waiter->overdue());
            });
    }
}

WaitCounts Waiters::counts() const {
    WaitCounts sum;
    for (const auto& waiter : waiters_) sum.add(waiter->counts());
    return sum;
}

}  // namespace belay::sim
