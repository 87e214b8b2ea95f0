#include "store/memory/claims.hpp"

#include <algorithm>

namespace belay::memory {

namespace {

LeaseToken token_at(LeaseToken first, std::size_t index) {
    return LeaseToken{first.holder, first.serial + index};
}

// ---- Instances ---------------------------------------------------------------------------------

bool in_shards(const std::vector<Shard>& shards, Shard shard) {
    return shards.empty() || std::find(shards.begin(), shards.end(), shard) != shards.end();
}

/// The run of a request that names one, as its entry of the index; none when it is never ready.
std::optional<ReadyKey> named_run(const Tables& tables, const ClaimInstances& request) {
    const Run* run = find_run(tables, *request.run);
    if (run == nullptr || !run->indexed.ready_at) return std::nullopt;
    if (!in_shards(request.shards, request.run->shard)) return std::nullopt;
    return ReadyKey{*run->indexed.ready_at, request.run->key, request.run->shard};
}

/// The first `max` runs that can be claimed, now or later.
std::vector<ReadyKey> first_runs(const Tables& tables,
                                 const ClaimInstances& request,
                                 std::size_t max) {
    std::vector<ReadyKey> found;
    if (request.run) {
        if (const auto key = named_run(tables, request); key && max > 0) found.push_back(*key);
        return found;
    }
    for (const std::set<ReadyKey>* keys : tables.ready.of(request.shards)) {
        std::size_t taken = 0;
        for (auto key = keys->begin(); key != keys->end() && taken < max; ++key, ++taken) {
            found.push_back(*key);
        }
    }
    std::sort(found.begin(), found.end());
    if (found.size() > max) found.resize(max);
    return found;
}

std::vector<Message> ready_messages(const Run& run, std::uint32_t max, Timestamp now) {
    std::vector<Message> messages;
    for (const auto& [key, waiting] : run.inbox) {
        if (waiting.timed && key.first > now) continue;
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
            for (const auto& [name, queue] : tables.claimable) add(queue, request.shards);
            return;
        }
        const std::set<std::string> names(request.queues.begin(), request.queues.end());
        for (const std::string& name : names) {
            const auto queue = tables.claimable.find(name);
            if (queue != tables.claimable.end()) add(queue->second, request.shards);
        }
    }

    /// The next in line over all of them; null when there is none.
    const ClaimKey* next() {
        Head* best = nullptr;
        for (Head& head : heads_) {
            if (head.at == head.end) continue;
            if (best == nullptr || *head.at < *best->at) best = &head;
        }
        return best == nullptr ? nullptr : &*best->at++;
    }

private:
    using Iterator = std::set<ClaimKey>::const_iterator;
    struct Head {
        Iterator at;
        Iterator end;
    };

    void add(const ShardedSet<ClaimKey>& queue, const std::vector<Shard>& shards) {
        for (const std::set<ClaimKey>* rows : queue.of(shards)) {
            heads_.push_back(Head{rows->begin(), rows->end()});
        }
    }

    std::vector<Head> heads_;
};

void shorten(ReadyIn& hint, Millis wait) { hint = hint ? std::min(*hint, wait) : wait; }

struct NextActivities {
    std::vector<ActivityRef> found;
    std::vector<ActivityRef> late;  ///< Past the time until which they had to start.
    ReadyIn ready_in;               ///< Of those in line that are not claimed.
};

NextActivities next_activities(const Tables& tables,
                               const ClaimActivities& request,
                               Timestamp now) {
    NextActivities next;
    Heads heads(tables, request);
    while (const ClaimKey* key = heads.next()) {
        const Activity& activity = *find_activity(tables, key->activity);
        const Timestamp at = activity.claimable_at();
        if (at > now) {
            // It was put in line before the clock was set back.
            shorten(next.ready_in, at - now);
        } else if (activity.too_late(now)) {
            next.late.push_back(key->activity);
        } else if (next.found.size() < request.max) {
            next.found.push_back(key->activity);
        } else {
            next.ready_in = Millis(0);
            break;
        }
    }
    return next;
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
    item.heartbeat_timeout = activity.about.heartbeat_timeout;
    item.progress = activity.progress;
    return item;
}

}  // namespace

ClaimInstances::Answer claim(Tables& tables, const ClaimInstances& request, Timestamp now) {
    ClaimInstances::Answer answer;
    for (const ReadyKey& ready : first_runs(tables, request, request.max)) {
        if (ready.at > now) break;
        Run& run = run_of(tables, ready.run());
        ++run.attempts;
        run.lock = Lock{token_at(request.first_token, answer.claimed.size()),
                        later(now, request.lease),
                        request.worker,
                        run.cancel.has_value(),
                        now};
        answer.claimed.push_back(claimed(run, request, now));
        refresh(tables, run);
    }
    for (const ReadyKey& next : first_runs(tables, request, 1)) {
        answer.ready_in = std::max(next.at - now, Millis(0));
    }
    return answer;
}

ClaimActivities::Answer claim(Tables& tables, const ClaimActivities& request, Timestamp now) {
    ClaimActivities::Answer answer;
    promote_activities(tables, now);
    const NextActivities next = next_activities(tables, request, now);
    for (const ActivityRef& ref : next.late) {
        // Out of everyone's way until the turn that hears of it.
        Activity& activity = tables.activities.at(ref);
        activity.visible_at = Timestamp::max();
        refresh(tables, activity, now);
    }
    for (const ActivityRef& ref : next.found) {
        Activity& activity = tables.activities.at(ref);
        ++activity.attempt;
        activity.token = token_at(request.first_token, answer.claimed.size());
        activity.worker = request.worker;
        activity.leased_until = later(now, request.lease);
        activity.claimed_at = now;
        refresh(tables, activity, now);
        answer.claimed.push_back(claimed(run_of(tables, ref.run), activity, now));
        shorten(answer.ready_in, std::max(activity.leased_until - now, Millis(0)));
    }
    if (next.ready_in) shorten(answer.ready_in, *next.ready_in);
    if (!tables.waiting.empty() && tables.waiting.begin()->first != Timestamp::max()) {
        shorten(answer.ready_in, tables.waiting.begin()->first - now);
    }
    return answer;
}

}  // namespace belay::memory
