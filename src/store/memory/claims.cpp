#include "store/memory/claims.hpp"

namespace belay::memory {

namespace {

LeaseToken token_at(LeaseToken first, std::size_t index) {
    return LeaseToken{first.holder, first.serial + index};
}

// ---- Instances ---------------------------------------------------------------------------------

bool is_ready(const Run& run, Timestamp now) {
    return run.indexed.ready_at && *run.indexed.ready_at <= now;
}

std::vector<RunRef> ready_runs(const Tables& tables, const ClaimInstances& request, Timestamp now) {
    std::vector<RunRef> found;
    if (request.max == 0) return found;
    if (request.run) {
        const Run* run = find_run(tables, *request.run);
        const bool in_shard = !request.shard || *request.shard == request.run->shard;
        if (run != nullptr && in_shard && is_ready(*run, now)) found.push_back(*request.run);
        return found;
    }
    const std::set<ReadyKey>* ready = tables.ready.of(request.shard);
    if (ready == nullptr) return found;
    for (const ReadyKey& key : *ready) {
        if (key.at > now || found.size() == request.max) break;
        found.push_back(key.run());
    }
    return found;
}

std::vector<Message> ready_messages(const Run& run, std::uint32_t max, Timestamp now) {
    std::vector<Message> messages;
    for (const auto& [key, waiting] : run.inbox) {
        if (key.first > now) break;
        // What was accepted before a cancel is never left for the turn after it.
        const bool before_cancel = run.cancel && key.second < run.cancel->sequence;
        if (messages.size() >= max && !before_cancel) continue;
        messages.push_back(Message{key.second, key.first, waiting.content});
    }
    return messages;
}

ClaimedInstance claimed(const Run& run, const ClaimInstances& request, Timestamp now) {
    ClaimedInstance item;
    item.run = run.ref();
    item.name = run.about.name;
    item.definition = run.about.definition;
    item.version = run.about.version;
    item.status = run.status;
    item.execution = run.execution;
    item.position = run.position;
    item.input = run.about.input;
    item.parent = run.about.parent;
    item.cancel = run.cancel;
    item.cancel_deadline = run.cancel_deadline;
    item.messages = ready_messages(run, request.max_messages, now);
    item.attempts = run.attempts;
    item.unregistered = run.unregistered;
    item.token = run.lock->token;
    item.claimed_at = now;
    item.locked_until = run.lock->until;
    item.headers = run.about.headers;
    return item;
}

// ---- Activities --------------------------------------------------------------------------------

/// The queues a request names, as they stand; the end of each is where it has been looked at.
class Heads {
public:
    Heads(const Tables& tables, const ClaimActivities& request) {
        if (request.any_queue) {
            for (const auto& [name, queue] : tables.claimable) add(queue, request.shard);
            return;
        }
        const std::set<std::string> names(request.queues.begin(), request.queues.end());
        for (const std::string& name : names) {
            const auto queue = tables.claimable.find(name);
            if (queue != tables.claimable.end()) add(queue->second, request.shard);
        }
    }

    /// The next in line over all of them; null when there is none.
    const ClaimKey* next() {
        Head* best = nullptr;
        for (Head& head : heads_) {
            if (head.at == head.end) continue;
            if (best == nullptr || before(*head.at, *best->at)) best = &head;
        }
        return best == nullptr ? nullptr : &*best->at++;
    }

private:
    using Iterator = std::set<ClaimKey>::const_iterator;
    struct Head {
        Iterator at;
        Iterator end;
    };

    void add(const ShardedSet<ClaimKey>& queue, const std::optional<Shard>& shard) {
        if (const std::set<ClaimKey>* rows = queue.of(shard)) {
            heads_.push_back(Head{rows->begin(), rows->end()});
        }
    }
    static bool before(const ClaimKey& a, const ClaimKey& b) { return a < b; }

    std::vector<Head> heads_;
};

/// Whether it can really be claimed: the clock may have gone back since it was put in line.
bool is_claimable(const Activity& activity, Timestamp now) {
    return activity.claimable_at() <= now;
}

std::vector<ActivityRef> next_activities(const Tables& tables,
                                         const ClaimActivities& request,
                                         Timestamp now) {
    std::vector<ActivityRef> found;
    Heads heads(tables, request);
    while (found.size() < request.max) {
        const ClaimKey* key = heads.next();
        if (key == nullptr) break;
        if (is_claimable(*find_activity(tables, key->activity), now))
            found.push_back(key->activity);
    }
    return found;
}

ClaimedActivity claimed(const Run& run, const Activity& activity, Timestamp now) {
    ClaimedActivity item;
    item.activity = activity.ref;
    item.instance = run.about.name;
    item.definition = run.about.definition;
    item.version = run.about.version;
    item.name = activity.about.name;
    item.queue = activity.about.queue;
    item.input = activity.about.input;
    item.headers = activity.about.headers;
    item.attempt = activity.attempt;
    item.unregistered = activity.unregistered;
    item.token = *activity.token;
    item.claimed_at = now;
    item.leased_until = activity.leased_until;
    item.schedule_to_start = activity.about.schedule_to_start;
    item.start_to_close = activity.about.start_to_close;
    return item;
}

}  // namespace

ClaimInstances::Answer claim(Tables& tables, const ClaimInstances& request, Timestamp now) {
    ClaimInstances::Answer items;
    for (const RunRef ref : ready_runs(tables, request, now)) {
        Run& run = run_of(tables, ref);
        ++run.attempts;
        run.lock = Lock{token_at(request.first_token, items.size()),
                        later(now, request.lease),
                        request.worker,
                        run.cancel.has_value()};
        items.push_back(claimed(run, request, now));
        refresh(tables, run);
    }
    return items;
}

ClaimActivities::Answer claim(Tables& tables, const ClaimActivities& request, Timestamp now) {
    ClaimActivities::Answer items;
    promote_activities(tables, now);
    for (const ActivityRef& ref : next_activities(tables, request, now)) {
        Activity& activity = tables.activities.at(ref);
        ++activity.attempt;
        activity.token = token_at(request.first_token, items.size());
        activity.worker = request.worker;
        activity.leased_until = later(now, request.lease);
        refresh(tables, activity, now);
        items.push_back(claimed(run_of(tables, ref.run), activity, now));
    }
    return items;
}

}  // namespace belay::memory
