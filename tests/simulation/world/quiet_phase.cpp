// After the fault phase: no faults any more, all processes are up and have all the code. Everything
// must come to its end, in time.
#include "simulation/world/world.hpp"

#include <algorithm>
#include <utility>

namespace belay::sim {

namespace {

/// Longer than anything in a simulation takes when nothing goes wrong.
constexpr Millis kForever{600'000};
constexpr std::size_t kRounds = 12;
/// A run of a flow may wait again and again, in one sub-flow after the other.
constexpr std::size_t kFlowRounds = 60;

}  // namespace

void World::quiet_phase() {
    trace_.line("", [] { return std::string("---- quiet_phase ----"); });
    quiet_ = true;
    operators_->stop_holding();
    mend_disk();
    for (std::size_t i = 0; i < processes_.size(); ++i) {
        Process& process = *processes_[i];
        restart_at_[i].reset();
        if (process.alive() && process.paused()) process.resume();
        // Without all code, serving one queue only, or on its way out: replaced.
        if (process.alive()) {
            end(process);
            transport_.cut_off(process.number(), [](const StoreCall&) { return true; });
        }
        boot(process, false);
    }
    transport_.hurry();
    waiters_->begin_quiet_phase();
    // Locks and back-offs from before the clock was set back last that much longer.
    quiet_since_ = time_.now() + store_clock_.behind();
    observer_.note_quiet_phase(store_clock_.wall() + store_clock_.behind() +
                               2 * setup_.policy.turn_lease);

    // Operators go on for a while: now their cancels have nothing to excuse them.
    const Millis until = time_.now() + 2 * setup_.policy.turn_lease;
    while (!violations_.any() && time_.now() < until && step()) {
        if (rng_.per_mille(setup_.operator_per_mille)) act();
    }
    lift_limits();
    settle("after the fault_phase");
    const std::size_t rounds = flows_ ? kFlowRounds : kRounds;
    for (std::size_t round = 0; round < rounds && !violations_.any(); ++round) {
        if (observer_.runs().empty()) break;
        flows_ ? flows_->send_awaited(*operators_) : end_what_waits(round);
        settle("when what it waited for was sent");
    }
}

/// Steps until nothing more happens by itself.
void World::settle(const char* phase) {
    for (const auto& process : processes_) process->executor().release_hanging();
    const Millis limit = time_.now() + kForever;
    while (!violations_.any()) {
        for (int i = 0; i < 32 && !violations_.any(); ++i) {
            if (!step()) break;
        }
        if (violations_.any() || all_settled()) return;
        if (!operators_wait()) operators_->decide_held();
        if (time_.now() > limit) {
            violations_.report("every run ends unless it waits for what is never sent",
                               std::string(phase) + ": " + unsettled());
        }
    }
}

bool World::is_blocked(const memory::Tables& tables, const memory::Run& run) {
    // The run that it replaces is canceled, with all below it that does not go on by itself.
    if (run.waits_for) return false;
    if (run.ended() || run.cancel || run.lock || run.wants_turn_at) return false;
    // The timeout of a flow is a timer that nobody waits for here.
    const Timestamp soon = store_clock_.wall() + kForever;
    const bool has_messages = std::any_of(run.inbox.begin(), run.inbox.end(), [&](const auto& one) {
        return !one.second.timer || one.second.ready_from <= soon;
    });
    const RunShadow* const shadow = observer_.find(run.ref);
    if (has_messages || shadow == nullptr || !shadow->current().only_waits(soon)) return false;
    return std::all_of(run.open_children.begin(), run.open_children.end(), [&](const auto& entry) {
        const memory::Run* const child = memory::find_run(tables, entry.second);
        // One that was let go of is on its own.
        return child != nullptr && (child->cancel || is_blocked(tables, *child));
    });
}

bool World::operators_wait() const {
    const auto& calls = transport_.calls();
    return std::any_of(calls.begin(), calls.end(), [this](const auto& call) {
        return call->sender >= processes_.size();
    });
}

bool World::all_settled() {
    bool settled = true;
    if (operators_wait()) return false;
    true_store_.with_tables([&](memory::Tables& tables) {
        settled = tables.stopping.empty() && tables.activities.empty();
        for (const auto& [ref, run] : tables.runs) {
            settled = settled && (run.settled || (run.ended() && run.stopping == 0) ||
                                  is_blocked(tables, run));
        }
    });
    return settled;
}

std::string World::unsettled() {
    std::string text;
    true_store_.with_tables([&](memory::Tables& tables) {
        for (const auto& [ref, run] : tables.runs) {
            if (run.settled || is_blocked(tables, run)) continue;
            text += run.about.name.id + " (" + to_string(ref) + ") is " +
                    std::string(to_string(run.status)) +
                    (run.waits_for ? " and waits for another" : "") +
                    (run.held ? " and held" : "") + ", " + std::to_string(run.inbox.size()) +
                    " messages, " + std::to_string(run.stopping) + " stopping; ";
        }
    });
    return text;
}

/// Sends the message that a run waits for, or cancels the run. Cancels everything in the last
/// rounds.
void World::end_what_waits(std::size_t round) {
    struct Wanted {
        std::string id;
        std::vector<std::pair<MessageKind, std::string>> channels;
    };
    std::vector<Wanted> wanted;
    true_store_.with_tables([&](memory::Tables& tables) {
        for (const auto& [ref, run] : tables.runs) {
            if (run.ended()) continue;
            Wanted one{run.about.name.id, {}};
            for (const CommandState& command : observer_.find(ref)->current().commands()) {
                if (command.open && command.kind == CommandKind::wait) {
                    one.channels.push_back(command.channel);
                }
            }
            wanted.push_back(std::move(one));
        }
    });
    for (const Wanted& one : wanted) {
        if (round + 4 >= kRounds || rng_.percent(30)) {
            operators_->cancel(one.id, "the simulation ends");
            continue;
        }
        for (const auto& [channel, name] : one.channels) operators_->send(channel, one.id, name);
    }
}

/// Design section 4: a cancel ends within its deadline and one lease. If nothing is shielded, it
/// ends within the grace period and one lease. The time counts from the cancel or, if that was in
/// the fault phase, from the end of the fault phase. Polling and queueing may take more time on top
/// of that.
void World::check_cancel_bounds() {
    const Policy& policy = setup_.policy;
    const Millis slack = policy.poll_interval + policy.sweep_interval + Millis(1000);
    bool any = false;
    for (const auto& [ref, shadow] : observer_.runs()) any |= shadow.status == Status::canceling;
    if (!any) return;
    true_store_.with_tables([&](memory::Tables& tables) {
        const Timestamp now = store_clock_.wall();
        for (const auto& [ref, shadow] : observer_.runs()) {
            if (shadow.status != Status::canceling) continue;
            const memory::Run* const run = memory::find_run(tables, ref);
            if (run == nullptr || !run->cancel_deadline) continue;
            const Millis passed = time_.now() - std::max(shadow.canceled_at, quiet_since_);
            const std::string subject = shadow.name.id + " (" + to_string(ref) +
                                        ") is canceling for " + std::to_string(passed.count()) +
                                        " ms";
            violations_.expect(now <= *run->cancel_deadline + policy.turn_lease + slack ||
                                   passed <= policy.turn_lease + slack,
                               "a cancel ends within its deadline and one lease",
                               subject);
            violations_.expect(
                *run->cancel_deadline <= run->cancel->requested_at + policy.cancel_deadline_max,
                "a shield extends the deadline up to a limit only",
                subject);
            violations_.expect(
                passed <= policy.grace + policy.turn_lease + slack || slow_when_quiet_ ||
                    shadow.current().shielded_work_open(),
                "a cancel ends within the grace period and one lease when nothing is "
                "shielded",
                subject);
        }
    });
}

void World::check_end() {
    true_store_.check_file();
    true_store_.with_tables([&](memory::Tables& tables) {
        observer_.check_everything(tables);
        for (const auto& [ref, run] : tables.runs) {
            violations_.expect(run.ended(), "every run ends", run.about.name.id);
            observer_.check_cold_replay(run, all_code_);
        }
    });
    check_client_reads();
    if (flows_) flows_->check_end();
    violations_.expect(started() >= setup_.instances && steps_ >= 200 && faults_.total() >= 3,
                       "every seed is worth something",
                       std::to_string(started()) + " instances, " + std::to_string(steps_) +
                           " steps, " + std::to_string(faults_.total()) + " faults");
}

/// Deletes everything, and checks that nothing is left.
void World::delete_all() {
    std::vector<std::string> roots;
    true_store_.with_tables([&](memory::Tables& tables) {
        for (const auto& [name, ref] : tables.names) {
            const memory::Run* const run = memory::find_run(tables, ref);
            if (!run->about.parent) roots.push_back(name.id);
        }
    });
    // Everything has ended, so every way of deleting it is as good as another.
    const std::size_t way = rng_.below(3);
    if (way == 0) {
        operators_->remove_many(InstanceFilter().space(kSpace));
    } else {
        for (const std::string& id : roots) {
            way == 1 ? operators_->remove(id, rng_.percent(50))
                     : operators_->remove_listed(id, rng_.percent(50));
        }
    }
    const Millis until = time_.now() + setup_.policy.turn_lease;
    while (!violations_.any() && time_.now() < until && step()) {
    }
    true_store_.check_file();
    true_store_.with_tables([&](memory::Tables& tables) {
        observer_.check_everything(tables);
        violations_.expect(tables.runs.empty() && tables.names.empty() && tables.formers.empty() &&
                               tables.activities.empty() && tables.stopping.empty() &&
                               tables.documents.empty() && tables.ready.all().empty() &&
                               tables.waiting.empty() && tables.waiters.empty() &&
                               tables.deadlines.empty(),
                           "nothing is left of what was deleted",
                           std::to_string(tables.runs.size()) + " runs are left");
    });
}

}  // namespace belay::sim
