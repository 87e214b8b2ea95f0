// Everything that can go wrong.
#include "simulation/store/notices.hpp"
#include "simulation/world/world.hpp"

#include <utility>

namespace belay::sim {

void World::fault_phase() {
    while (!violations_.any()) {
        const bool enough = steps_ >= setup_.fault_steps && time_.now() >= setup_.fault_phase &&
                            started() >= setup_.instances && faults_.total() >= 3;
        if (enough) return;
        if (steps_ % 8 == 0 && started() < setup_.instances) start_fresh();
        if (rng_.per_mille(setup_.operator_per_mille)) act();
        change_limits();
        if (rng_.per_mille(setup_.fault_per_mille)) fault();
        if (true_store_.file() != nullptr) trouble_disk();
        if (rng_.per_mille(20)) advance_to(time_.now() + Millis(rng_.between(1, 20)));
        step();
    }
}

std::size_t World::started() const { return flows_ ? flows_->started() : operators_->started(); }

void World::start_fresh() { flows_ ? flows_->start_fresh(*operators_) : operators_->start_fresh(); }

void World::act() { flows_ ? flows_->act(*operators_) : operators_->act(); }

Process* World::some_process() {
    Process& process = *processes_[rng_.below(processes_.size())];
    return process.alive() ? &process : nullptr;
}

void World::fault() {
    Process* const process = some_process();
    if (process == nullptr) return;
    const std::size_t kind = rng_.below(100);
    if (kind < 25) {
        kill(*process);
    } else if (kind < 45) {
        if (!process->paused()) pause(*process);
    } else if (kind < 55) {
        if (!process->shutting_down() && !process->paused()) {
            faults_.add(Fault::shutdown);
            process->shut_down();
        }
    } else if (kind < 62) {
        const Millis by(rng_.between(1, 2 * setup_.policy.turn_lease.count()));
        faults_.add(Fault::clock_jump);
        jump(by);
    } else if (kind < 69) {
        const Millis by(rng_.between(1, 2 * setup_.policy.turn_lease.count()));
        faults_.add(Fault::clock_set_back);
        jump(-by);
    } else if (kind < 78) {
        tell_false_stops();
    } else if (process->runtime().evict_one()) {
        faults_.add(Fault::eviction);
        trace_.line(process->name(), [] { return std::string("evicts"); });
    }
    // A process that was asked to stop makes room for another once it is idle.
    for (const auto& one : processes_) {
        if (!one->alive() || !one->shutting_down() || !one->runtime().idle()) continue;
        end(*one);
        transport_.cut_off(one->number(), [](const StoreCall&) { return true; });
        restart_at_[one->number()] = time_.now() + Millis(rng_.between(0, 100));
    }
}

void World::jump(Millis by) {
    trace_.line("store", [&] { return "clock jumps by " + std::to_string(by.count()) + " ms"; });
    store_clock_.jump(by);
}

/// Says of leases that stand that they were stopped. It does no harm: the receiver reads whether it
/// is true.
void World::tell_false_stops() {
    std::vector<LeaseToken> tokens;
    true_store_.with_tables([&](memory::Tables& tables) {
        for (const auto& [activity, row] : tables.activities) {
            if (row.token && rng_.percent(50)) tokens.push_back(*row.token);
        }
    });
    if (tokens.empty()) return;
    faults_.add(Fault::false_stop_notice);
    leases_stopped(tokens);
}

void World::kill(Process& process) {
    faults_.add(Fault::process_death);
    for (const auto& call : transport_.calls()) {
        if (call->sender != process.number() || !call->sender_lives || !call->applied) continue;
        if (call->plan.apply) faults_.add(Fault::death_before_answer);
    }
    end(process);
    transport_.cut_off(process.number(), [this](const StoreCall& call) {
        const bool arrives = call.plan.apply && rng_.percent(50);
        faults_.add(arrives ? Fault::packet_after_death : Fault::packet_lost);
        return arrives;
    });
    restart_at_[process.number()] =
        time_.now() + Millis(rng_.between(0, 2 * setup_.policy.turn_lease.count()));
}

void World::end(Process& process) {
    process.kill();
    deaths_.note(process.holder(), setup_.policy.turn_lease);
}

void World::boot(Process& process, bool any_code) {
    Boot boot;
    boot.seed = rng_.next();
    boot.monotonic_offset = Millis(rng_.between(0, 1'000'000));
    boot.options.turn_slots(setup_.turn_slots)
        .activity_slots(setup_.activity_slots)
        .residents(setup_.residents)
        .policy(setup_.policy)
        .limits(setup_.limits)
        .share_commits(rng_.percent(75))
        .any_queue(true);
    if (any_code && rng_.percent(30)) {
        boot.skew = Millis(rng_.between(-5000, 5000));
        faults_.add(Fault::clock_skew);
    }
    if (any_code && rng_.percent(30)) {
        boot.code.definitions[rng_.below(kDefinitions.size())] = false;
        boot.code.activities[rng_.below(kActivities.size())] = false;
        boot.code.second_version = rng_.percent(50);
        faults_.add(Fault::deploy_without_code);
    }
    std::optional<std::string> only;
    if (any_code && rng_.percent(20)) {
        only = std::string(kQueues[rng_.below(kQueues.size())]);
        boot.options.any_queue(false).queues({*only});
    }
    observer_.note_queue(process.name(), only);
    boot.code.age = any_code ? deploys_.next() : deploys_.last();
    observer_.note_code(process.name(), boot.code.age);
    if (flows_) {
        const bool interprets = !any_code || rng_.percent(80);
        const bool cleans_up = !any_code || rng_.percent(80);
        if (!interprets || !cleans_up) faults_.add(Fault::deploy_without_code);
        boot.more_code = [this, interprets, cleans_up](Registry& registry) {
            flows_->register_code(registry, interprets, cleans_up);
        };
    }
    if (coders_) {
        boot.keys = any_code && coders_->percent(30) ? Keys::old_one : Keys::both;
        if (boot.keys == Keys::old_one) faults_.add(Fault::deploy_without_key);
    }
    boot.handlers = [this](const ActivityTask& task) {
        observer_.check_begins(task);
        if (flows_) flows_->note_begin(task);
        return plan_handler();
    };
    boot.turns = [this](const TurnTask& task) { return plan_turn(task); };
    boot.told_to_stop = [this](const ActivityTask& task, StopReason reason) {
        true_store_.with_tables([&](memory::Tables& tables) {
            observer_.check_told_to_stop(tables, task.details(), reason);
        });
    };
    boot.logged = [this](const std::string& worker, const LogRecord& line) {
        true_store_.with_tables(
            [&](memory::Tables& tables) { observer_.check_logged(tables, worker, line); });
    };
    process.boot(boot);
}

void World::pause(Process& process) {
    const std::int64_t lease = setup_.policy.turn_lease.count();
    const bool clock_too = rng_.percent(30);
    faults_.add(clock_too ? Fault::suspend : Fault::pause);
    process.pause(time_.now() + Millis(rng_.between(lease + 1, 3 * lease)), clock_too);
}

CallPlan World::plan_call(EndpointNo /*sender*/) {
    CallPlan plan;
    plan.until_applied = Millis(rng_.between(0, 4));
    plan.until_answered = Millis(rng_.between(0, 4));
    if (quiet_ || !rng_.per_mille(setup_.call_trouble_per_mille)) return plan;
    const std::size_t kind = rng_.below(100);
    if (kind < 35) {
        faults_.add(Fault::retryable_error);
        plan.apply = false;
        plan.answer_with = rng_.percent(50) ? Errc::busy : Errc::unavailable;
    } else if (kind < 65) {
        plan.apply = rng_.percent(50);
        faults_.add(plan.apply ? Fault::unknown_applied : Fault::unknown_lost);
        plan.answer_with = Errc::outcome_unknown;
    } else {
        faults_.add(Fault::delayed_call);
        const std::int64_t most = 2 * setup_.policy.turn_lease.count();
        (rng_.percent(50) ? plan.until_applied : plan.until_answered) =
            Millis(rng_.between(5, most));
    }
    return plan;
}

HandlerPlan World::plan_handler() {
    HandlerPlan plan;
    const std::int64_t lease = setup_.policy.activity_lease.count();
    plan.takes = Millis(rng_.between(0, 60));
    plan.stops_after = Millis(rng_.between(0, 60));
    const std::size_t kind = rng_.below(100);
    if (kind < 10) {
        faults_.add(Fault::slow_activity);
        plan.takes = Millis(rng_.between(lease + 1, 3 * lease));
    } else if (kind < 16 && !quiet_) {
        faults_.add(Fault::hanging_activity);
        plan.takes.reset();
        plan.waits = rng_.percent(50);
    } else if (kind < 22) {
        faults_.add(Fault::stop_ignored);
        plan.takes = Millis(rng_.between(lease, 4 * lease));
        plan.stops_after.reset();
    }
    if (rng_.percent(12)) {
        faults_.add(Fault::failing_activity);
        plan.ending = static_cast<Ending>(1 + rng_.below(3));
        // Drawn apart from everything else: so older seeds keep their meaning.
        if (endings_.percent(50)) {
            plan.ending = endings_.percent(50) ? Ending::declined : Ending::final_error;
        }
    }
    return plan;
}

/// Drawn apart from everything else. A run with a turn that never ends may have more of them.
TurnPlan World::plan_turn(const TurnTask& task) {
    if (quiet_ && !slow_when_quiet_) return TurnPlan();
    const auto endless = endless_.find(task.describe());
    if (endless != endless_.end()) {
        if (--endless->second == 0) endless_.erase(endless);
        faults_.add(Fault::endless_turn);
        return TurnPlan{.takes = std::nullopt};
    }
    const std::size_t kind = turners_.below(1000);
    // A flow whose turns do not end is held, and a person decides how it ends.
    if (kind < 4 && !flows_) {
        faults_.add(Fault::endless_turn);
        if (turners_.percent(50)) endless_[task.describe()] = 1 + turners_.below(2);
        return TurnPlan{.takes = std::nullopt};
    }
    if (kind < 30) {
        faults_.add(Fault::slow_turn);
        const std::int64_t lease = setup_.policy.turn_lease.count();
        return TurnPlan{.takes = Millis(turners_.between(lease, 3 * lease - 1))};
    }
    return TurnPlan();
}

// ---- Notifications -----------------------------------------------------------------------------

void World::notify(const std::string& what, const std::function<void(StoreListener&)>& tell) {
    for (const auto& process : processes_) {
        if (!process->alive()) continue;
        Process* const receiver = process.get();
        Notice notice;
        notice.receiver = receiver->number();
        notice.deliver_at = time_.now() + Millis(rng_.between(0, 5));
        notice.what = what;
        notice.deliver = [receiver, tell] { receiver->store().notify(tell); };
        if (quiet_) {
            transport_.send(std::move(notice));
        } else {
            send_with_faults(
                transport_, std::move(notice), rng_, faults_, setup_.policy.turn_lease);
        }
    }
}

void World::instances_ready() {
    notify("runs are ready", [](StoreListener& listener) { listener.instances_ready(); });
}
void World::activities_ready() {
    notify("activities are ready", [](StoreListener& listener) { listener.activities_ready(); });
}
void World::leases_stopped(const std::vector<LeaseToken>& tokens) {
    notify("leases are stopped",
           [tokens](StoreListener& listener) { listener.leases_stopped(tokens); });
}
void World::instance_ended(RunRef run) {
    waiters_->tell_end(run);
    notify("a run has ended", [run](StoreListener& listener) { listener.instance_ended(run); });
}
void World::instance_settled(RunRef run) { waiters_->tell_settling(run); }
void World::custom_status_changed(RunRef run) { waiters_->tell_status(run); }
void World::key_values_changed(RunRef run) { waiters_->tell_values(run); }

}  // namespace belay::sim
