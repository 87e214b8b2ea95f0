// Checks of every claim, and of every lease that comes with a turn.
#include "simulation/checks/observer.hpp"
#include "store/memory/tables.hpp"
#include "store/rules/capability.hpp"
#include "store/rules/queue_room.hpp"

#include <algorithm>
#include <map>
#include <set>
#include <string>

namespace belay::sim {

namespace {

/// Limits of its fairness key may keep it waiting.
bool key_may_be_full(const memory::Tables& tables, const NewActivity& about) {
    const auto limits = tables.limits.find(about.queue);
    return !about.fairness_key.empty() && limits != tables.limits.end() &&
           store::limits_keys(limits->second.limits);
}

}  // namespace

void Observer::before_claim(const memory::Tables& tables) { fences_.before_claim(tables); }

/// Its lease was not renewed in time. A living worker renews it, however long turns take.
void Observer::check_takeover(const std::string& subject, Timestamp until) {
    faults_.add(Fault::lease_takeover);
    expect(!quiet_from_ || until < *quiet_from_, "a worker that lives keeps its leases", subject);
}

void Observer::after_claim(const memory::Tables& tables,
                           const ClaimInstances& request,
                           const ClaimInstances::Answer& answer) {
    const Timestamp now = clock_.wall();
    for (const ClaimedInstance& one : answer.claimed) {
        const auto at = runs_.find(one.run);
        const memory::Run* const run = memory::find_run(tables, one.run);
        if (at == runs_.end() || run == nullptr) {
            violations_.report("only what is there is claimed", one.name.id);
            continue;
        }
        RunShadow& shadow = at->second;
        expect(!shadow.lock || shadow.lock->until <= now, "one turn at a time", one.name.id);
        if (shadow.lock) check_takeover(one.name.id, shadow.lock->until);
        expect(!is_terminal(shadow.status), "what has ended is not claimed", one.name.id);
        expect(!run->held, "what is held is not claimed", one.name.id);
        expect(one.cancel.has_value() == shadow.cancel.has_value(),
               "a claim returns the cancel",
               one.name.id);
        expect(one.locked_until == now + request.lease && run->lock &&
                   run->lock->until == one.locked_until,
               "a lease is counted from the claim",
               one.name.id);
        expect(one.claimed_at == now, "a turn has the time of its claim", one.name.id);
        check_due(shadow, one);
        ++shadow.claims;
        shadow.lock = RunShadow::Held{one.token, one.locked_until};
    }
}

/// By the store's clock, at the one moment at which it decides: it may be set back right after.
void Observer::check_due(const RunShadow& shadow, const ClaimedInstance& claim) {
    for (const Message& message : claim.messages) {
        if (message.content.kind != MessageKind::timer_fired) continue;
        if (message.content.execution != shadow.execution) continue;
        const CommandNo command = message.content.command;
        const std::vector<CommandState>& commands = shadow.current().commands();
        const bool known = command >= 1 && command <= commands.size();
        expect(known && commands[command - 1].due_at <= clock_.wall(),
               "a timer never fires early",
               [&] { return claim.name.id + " timer " + std::to_string(command); });
    }
}

void Observer::after_claim(const memory::Tables& tables,
                           const ClaimActivities& request,
                           const ClaimActivities::Answer& answer) {
    const Timestamp now = clock_.wall();
    const store::NameFilter names(request.names);
    for (const ClaimedActivity& one : answer.claimed) {
        const std::string subject = to_string(one.activity) + " of " + one.instance.id;
        expect(names.has(one.name), "nobody is given an activity that he has no code for", subject);
        ++leases_[one.activity];
        const Fences::Lease* const before = fences_.lease_before(one.activity);
        expect(before == nullptr || before->until <= now, "one lease at a time", subject);
        if (before != nullptr) check_takeover(subject, before->until);
        expect(
            one.leased_until == now + request.lease, "a lease is counted from the claim", subject);
        const RunShadow* const shadow = find(one.activity.run);
        const memory::Activity* const row = memory::find_activity(tables, one.activity);
        if (shadow == nullptr || row == nullptr) {
            violations_.report("only what is there is claimed", subject);
            continue;
        }
        expect(one.attempt > 1 || !one.schedule_to_start || *one.schedule_to_start > now,
               "nothing is begun that had to start before",
               subject);
        const auto progress = progress_.find(one.activity);
        expect(progress == progress_.end() ? !one.progress : one.progress == progress->second,
               "a claim brings what was said of the progress last",
               subject);
        check_session(tables, *row, subject);
        check_limits(tables, *row, subject);
        expect(!shadow->cancel || row->about.shielded,
               "no handler begins after a cancel that was committed before its claim",
               subject);
        expect(shadow->execution == one.activity.execution &&
                   shadow->current().is_open(one.activity.command),
               "only what is open is claimed",
               subject);
    }
    if (request.shards.empty()) check_priorities(tables, request, answer);
    note_kept_by_rates(tables);
}

void Observer::note_kept_by_rates(const memory::Tables& tables) {
    if (tables.limits.empty()) return;
    const Timestamp now = clock_.wall();
    for (const auto& [ref, row] : tables.activities) {
        const auto limits = tables.limits.find(row.about.queue);
        if (limits == tables.limits.end() || row.token || row.too_late(now)) continue;
        if (row.claimable_at() > now || row.visible_at > now) continue;
        if (starts_.keeps(limits->second.limits, row.about, clock_.highest())) {
            kept_by_rates_.insert(ref);
        }
    }
}

/// Checks activities that are leased with the turn that schedules them. No activity that was in
/// their queue before stays behind if the same holder could claim it, whatever its priority. Those
/// of one turn are handed over in the order in which they are scheduled.
void Observer::check_hand_overs(const memory::Tables& tables,
                                const Turn& turn,
                                const Answer& answer) {
    const bool any = std::any_of(turn.activities.begin(),
                                 turn.activities.end(),
                                 [](const NewActivity& one) { return one.hand_over.has_value(); });
    if (!any) return;
    std::set<CommandNo> scheduled;
    for (const NewActivity& one : turn.activities) scheduled.insert(one.command);
    std::multimap<std::string, const memory::Activity*> waiting;  // By queue.
    const Timestamp now = clock_.wall();
    for (const auto& [ref, row] : tables.activities) {
        const bool of_turn = ref.run == turn.run && ref.execution == turn.execution &&
                             scheduled.contains(ref.command);
        if (of_turn || row.claimable_at() > now || row.visible_at > now) continue;
        if (row.too_late(now) || key_may_be_full(tables, row.about)) continue;
        waiting.emplace(row.about.queue, &row);
    }
    for (const NewActivity& one : turn.activities) {
        if (!one.hand_over) continue;
        const store::NameFilter names(one.hand_over->names.get());
        const bool limited = tables.limits.contains(one.queue);
        const auto [first, last] = waiting.equal_range(one.queue);
        const auto before = std::find_if(first, last, [&](const auto& row) {
            return limited || names.has(row.second->about.name);
        });
        const ActivityRef ref{turn.run, turn.execution, one.command};
        const auto leased = std::find(answer.leased.begin(), answer.leased.end(), one.command);
        if (leased == answer.leased.end()) {
            if (before != last) features_.add(Feature::not_handed_over);
            continue;
        }
        if (first != last) features_.add(Feature::handed_over_past_others);
        expect(before == last, "what is handed over overtakes nobody", [&] {
            return to_string(ref) + " overtakes " + to_string(before->second->ref);
        });
        ++leases_[ref];
        const memory::Activity* const row = memory::find_activity(tables, ref);
        if (row == nullptr || !row->token) continue;
        check_session(tables, *row, to_string(ref));
        check_limits(tables, *row, to_string(ref));
    }
}

/// A claim leaves no activity of a higher priority in the same queue. Exempt are activities with a
/// name that was not asked for, and those that their session, or the limits of their key, may keep
/// from being claimed. (The limits of the queue are no excuse: they would have kept the claimed
/// ones too.)
void Observer::check_priorities(const memory::Tables& tables,
                                const ClaimActivities& request,
                                const ClaimActivities::Answer& answer) {
    const store::NameFilter names(request.names);
    std::map<std::string, std::int32_t> claimed;  // By queue the smallest.
    for (const ClaimedActivity& one : answer.claimed) {
        const memory::Activity* const row = memory::find_activity(tables, one.activity);
        if (row == nullptr) continue;
        const auto [at, first] = claimed.try_emplace(one.queue, row->about.priority);
        at->second = std::min(at->second, row->about.priority);
    }
    if (claimed.empty()) return;
    const Timestamp now = clock_.wall();
    for (const auto& [ref, row] : tables.activities) {
        const auto smallest = claimed.find(row.about.queue);
        if (smallest == claimed.end() || row.claimable_at() > now || row.visible_at > now) continue;
        if (row.too_late(now) || !names.has(row.about.name)) continue;
        if (row.about.priority < smallest->second) features_.add(Feature::smaller_priority_waits);
        expect(row.about.priority <= smallest->second || !row.about.session.empty() ||
                   key_may_be_full(tables, row.about),
               "what has the larger priority is claimed first",
               [&] { return to_string(ref) + " stays behind"; });
    }
}

/// A lease that has run out once is over, also if the clock was set back since: the next in the
/// queue may have been let in.
bool Observer::is_over(const memory::Activity& leased) const {
    return leased.leased_until <= clock_.highest();
}

void Observer::note_limits(const memory::Tables& tables, const SetQueueLimits& part) {
    if (!part.limits) {
        starts_.unlimited(part.queue);
        return;
    }
    std::uint32_t running = 0;
    for (const auto& [ref, row] : tables.activities) {
        if (row.about.queue == part.queue && row.token && !is_over(row)) ++running;
    }
    if (running == 0) return;
    features_.add(Feature::limits_change);
    if (part.limits->running && *part.limits->running < running) {
        features_.add(Feature::limits_below);
    }
}

/// Checks that there was room for the activity that was just leased.
void Observer::check_limits(const memory::Tables& tables,
                            const memory::Activity& claimed,
                            const std::string& subject) {
    if (kept_by_rates_.erase(claimed.ref) > 0) features_.add(Feature::rate_waited_for);
    const auto limits = tables.limits.find(claimed.about.queue);
    if (limits == tables.limits.end()) return;
    starts_.begun(violations_, limits->second.limits, claimed, clock_.wall(), clock_.highest());
    std::uint32_t running = 0;
    std::uint32_t of_key = 0;
    bool beside_another_key = false;
    for (const auto& [ref, other] : tables.activities) {
        if (!other.token || (&other != &claimed && is_over(other))) continue;
        if (other.about.queue != claimed.about.queue) continue;
        ++running;
        if (other.about.fairness_key == claimed.about.fairness_key) {
            ++of_key;
        } else {
            beside_another_key |= !other.about.fairness_key.empty();
        }
    }
    const QueueLimits& most = limits->second.limits;
    expect(!most.running || running <= *most.running, "a queue runs no more than it may", subject);
    if (claimed.about.fairness_key.empty()) return;
    if (beside_another_key) features_.add(Feature::keys_share_queue);
    expect(!most.running_per_key || of_key <= *most.running_per_key,
           "a key runs no more than it may",
           subject);
}

void Observer::check_session(const memory::Tables& tables,
                             const memory::Activity& claimed,
                             const std::string& subject) {
    if (claimed.about.session.empty()) return;
    const memory::SessionKey session = memory::session_of(tables, claimed);
    for (const auto& [ref, other] : tables.activities) {
        if (!other.token || (&other != &claimed && is_over(other))) continue;
        if (memory::session_of(tables, other) != session) continue;
        expect(other.token->holder == claimed.token->holder,
               "activities of one session are run by one worker",
               subject + " and " + to_string(ref));
    }
    const auto [last, first] = sessions_.try_emplace(session, claimed.token->holder);
    if (first || last->second == claimed.token->holder) return;
    last->second = claimed.token->holder;
    features_.add(Feature::session_taken_over);
}

}  // namespace belay::sim
