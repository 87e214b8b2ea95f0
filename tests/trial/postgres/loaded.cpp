#include "loaded.hpp"

#include <algorithm>

namespace trial {

namespace {

[[nodiscard]] Maybe earlier(const Maybe& a, const Maybe& b) {
    return a && b ? std::min(a, b) : (a ? a : b);
}

}  // namespace

Maybe Instance::inbox_at() const {
    Maybe first = rest_ready_at;
    for (const auto& [number, at] : consumable) {
        first = earlier(first, at);
    }
    return first;
}

int Loaded::check(const Turn& turn) const {
    const auto found = instances.find(turn.run);
    if (found == instances.end()) {
        return 10;
    }
    const Instance& run = found->second;
    if (run.last_commit == turn.commit) {
        return 2;
    }
    if (run.ended()) {
        return 13;
    }
    if (turn.lock ? run.lock != turn.lock : run.locked(now)) {
        return 20;
    }
    if (const Maybe at = run.inbox_at(); !turn.lock && at && *at <= now) {
        return 24;
    }
    if (run.cancel_sequence && !turn.cancel_seen) {
        return 23;
    }
    if (run.execution != 1 || run.position != turn.position) {
        return 22;
    }
    return check_activities(turn);
}

int Loaded::check_activities(const Turn& turn) const {
    if (turn.ack) {
        const auto held = activities.find({turn.run, turn.ack->command});
        if (held == activities.end() || held->second.token != turn.ack->token) {
            return 20;
        }
    }
    for (const NewActivity& wanted : turn.activities) {
        const bool makes_room = turn.ack && turn.ack->command == wanted.command;
        if (!makes_room && activities.contains({turn.run, wanted.command})) {
            return kThereAlready;
        }
    }
    return 1;
}

int Loaded::commit(const Turn& turn) {
    const int verdict = check(turn);
    if (verdict == 1) {
        apply(turn, instances.at(turn.run));
    }
    return verdict;
}

void Loaded::apply(const Turn& turn, Instance& run) {
    run.touched = true;
    history.push_back({turn.run, run.position + 1});
    for (const Number number : turn.consumed) {
        consumed.emplace_back(turn.run, number);
        run.consumable.erase(number);
    }
    if (turn.ack) {
        erase({turn.run, turn.ack->command}, false);
    }
    schedule(turn);
    for (const Number command : turn.canceled) {
        erase({turn.run, command}, true);
    }
    for (const NewTimer& timer : turn.timers) {
        timers.push_back({{turn.run, timer.command}, run.next_message++, timer.due_at});
        run.rest_ready_at = earlier(run.rest_ready_at, timer.due_at);
    }
    run.position += kEvents;
    run.events += kEvents;
    run.bytes += kHistoryBytes;
    run.status = turn.status;
    run.last_commit = turn.commit;
    run.lock.reset();
    run.locked_until.reset();
    run.attempts = 0;
    run.ready_at = run.inbox_at();
    if (run.ended()) {
        run.ended_at = now;
        run.ready_at.reset();
        emptied.push_back(turn.run);
        erase_all(turn.run, true);
    }
    for (const Send& message : turn.sends) {
        send(message);
    }
}

/// Hands an activity over when nothing older is ready in its queue.
void Loaded::schedule(const Turn& turn) {
    for (const NewActivity& wanted : turn.activities) {
        Activity activity;
        activity.fresh = true;
        activity.queue = wanted.queue;
        activity.claimable_at = now;
        if (wanted.hand_over && !ready_queues.contains(wanted.queue)) {
            activity.token = wanted.hand_over;
            activity.claimable_at = now + kLease;
        } else {
            ready_queues.insert(wanted.queue);
        }
        activities[{turn.run, wanted.command}] = activity;
    }
}

void Loaded::erase(const ActivityKey& key, bool stops) {
    const auto found = activities.find(key);
    if (found == activities.end()) {
        return;
    }
    const Activity& activity = found->second;
    if (!activity.fresh) {
        erased.push_back(key);
    }
    if (stops && activity.token) {
        stopping.push_back({key, *activity.token, activity.claimable_at + 10'000});
    }
    activities.erase(found);
}

void Loaded::erase_all(Number run, bool shielded) {
    std::vector<ActivityKey> keys;
    for (auto one = activities.lower_bound({run, 0});
         one != activities.end() && one->first.first == run;
         ++one) {
        if (shielded || !one->second.shielded) {
            keys.push_back(one->first);
        }
    }
    for (const ActivityKey& key : keys) {
        erase(key, true);
    }
}

void Loaded::send(const Send& message) {
    const auto found = instances.find(message.run);
    if (found == instances.end()) {
        letters.push_back(message);
        return;
    }
    Instance& receiver = found->second;
    if (receiver.ended()) {
        return;
    }
    receiver.touched = true;
    messages.push_back({message.run, receiver.next_message++, message.kind});
    receiver.rest_ready_at = earlier(receiver.rest_ready_at, now);
    if (!receiver.locked(now)) {
        receiver.ready_at = earlier(receiver.ready_at, now);
    }
}

int Loaded::cancel(Number key) {
    const auto found = instances.find(key);
    if (found == instances.end()) {
        return 10;
    }
    Instance& run = found->second;
    if (run.cancel_sequence || run.status > 2) {
        return 1;
    }
    run.touched = true;
    run.status = 3;
    run.cancel_sequence = run.next_message++;
    run.cancel_at = now;
    run.cancel_deadline = now + kCancelDeadline;
    if (!run.locked(now)) {
        run.ready_at = now;
    }
    erase_all(key, false);
    return 1;
}

}  // namespace trial
