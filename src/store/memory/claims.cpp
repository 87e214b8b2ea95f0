#include "store/memory/claims.hpp"

#include "store/capability.hpp"
#include "store/choice.hpp"
#include "store/memory/admission.hpp"

#include <algorithm>

namespace belay::memory {

namespace {

LeaseToken token_at(LeaseToken first, std::size_t index) {
    return LeaseToken{first.holder, first.serial + index};
}

void shorten(ReadyIn& hint, Millis wait) { hint = hint ? std::min(*hint, wait) : wait; }

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

struct FirstRuns {
    std::vector<ReadyKey> found;
    /// Ready before the last of those, and of other code, in order: the first that a claim may put
    /// off, and one more.
    std::vector<ReadyKey> others;
};

/// The first runs that can be claimed, one more than the request wants; if there are fewer, then
/// the first that can be later.
FirstRuns first_runs(const Tables& tables,
                     const ClaimInstances& request,
                     const store::CodeFilter& filter,
                     Timestamp now) {
    FirstRuns first;
    const std::size_t max = std::size_t{request.max} + 1;
    const auto has_code_of = [&](const ReadyKey& key) {
        const Run& run = *find_run(tables, key.run());
        return filter.has(run.about.definition, run.about.version);
    };
    if (request.run) {
        const auto key = named_run(tables, request);
        if (key && (key->at > now || has_code_of(*key))) first.found.push_back(*key);
        return first;
    }
    for (const std::set<ReadyKey>* keys : tables.ready.of(request.shards)) {
        std::size_t taken = 0;
        std::size_t passed = 0;
        for (auto key = keys->begin(); key != keys->end() && taken < max; ++key) {
            if (key->at > now) {
                first.found.push_back(*key);  // Those behind it are later still.
                break;
            }
            if (has_code_of(*key)) {
                first.found.push_back(*key);
                ++taken;
            } else if (passed <= store::kMostPutOff) {
                first.others.push_back(*key);
                ++passed;
            }
        }
    }
    std::sort(first.found.begin(), first.found.end());
    std::sort(first.others.begin(), first.others.end());
    if (first.found.size() >= max) {
        first.found.resize(max);
        std::erase_if(first.others,
                      [&](const ReadyKey& other) { return first.found.back() < other; });
    }
    return first;
}

/// How long until a run of other code, which is ready since then, is to be looked at again.
Millis look_again_in(const ClaimInstances& request, Timestamp since, Timestamp now) {
    const Millis left = later(since, request.patience) - now;
    return left > Millis(0) ? left : store::kPutOffPause;
}

/// Nobody has taken it for so long that nobody has its code. One that was given back for want of it
/// is not brought back by who has it: somebody had.
void put_off(Tables& tables, Run& run, const ClaimInstances& request, Timestamp now) {
    run.not_before = later(now, store::backoff_of(request, run.unregistered));
    ++run.unregistered;
    if (!run.code_missing_since) {
        run.code_missing_since = now;
        run.put_off = true;
    }
    refresh(tables, run);
}

/// Runs that were put off for want of code that whoever claims has: the one that it names, or the
/// first of all.
std::vector<RunRef> wrongly_put_off(const Tables& tables,
                                    const ClaimInstances& request,
                                    const store::CodeFilter& filter) {
    std::vector<RunRef> found;
    if (!request.code) return found;
    if (request.run) {
        const Run* const run = find_run(tables, *request.run);
        const bool wrongly = run != nullptr && run->put_off && !run->ended() &&
                             filter.has(run->about.definition, run->about.version);
        if (wrongly) found.push_back(*request.run);
        return found;
    }
    for (const auto& [code, runs] : tables.put_off) {
        if (!filter.has(code.first, code.second)) continue;
        for (const ChainKey& key : runs) {
            if (found.size() == store::kMostPutOff) return found;
            found.push_back(RunRef{key.second, key.first});
        }
    }
    return found;
}

/// Whoever claims has its code.
void bring_back(Tables& tables, Run& run, Timestamp now) {
    run.not_before = std::min(run.not_before, now);
    run.unregistered = 0;
    run.code_missing_since.reset();
    run.put_off = false;
    refresh(tables, run);
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
    item.owner = run.about.owner;
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
    item.code_missing_since = run.code_missing_since;
    item.token = run.lock->token;
    item.claimed_at = now;
    item.locked_until = run.lock->until;
    item.headers = run.about.headers;
    return item;
}

// ---- Activities --------------------------------------------------------------------------------

/// A queue as it stands, shard by shard; the end of each is where it has been looked at.
class Heads {
public:
    Heads(const ShardedSet<ClaimKey>& queue, const std::vector<Shard>& shards) {
        for (const std::set<ClaimKey>* rows : queue.of(shards)) {
            heads_.push_back(Head{rows->begin(), rows->end()});
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

    std::vector<Head> heads_;
};

/// The queues a request names and that are not empty.
std::set<std::string> queues_of(const Tables& tables, const ClaimActivities& request) {
    if (!request.any_queue) return {request.queues.begin(), request.queues.end()};
    std::set<std::string> names;
    for (const auto& [name, queue] : tables.claimable) names.insert(name);
    return names;
}

/// The first of a queue that can be claimed, one more than is wanted, to know whether there is
/// more.
void look_through(const Tables& tables,
                  const ClaimActivities& request,
                  const std::string& queue,
                  Timestamp now,
                  store::Choice& choice,
                  std::vector<ClaimKey>& found) {
    const auto rows = tables.claimable.find(queue);
    if (rows == tables.claimable.end()) return;
    Heads heads(rows->second, request.shards);
    std::uint32_t passed = 0;
    for (std::uint32_t taken = 0; taken <= request.max;) {
        const ClaimKey* const key = heads.next();
        if (key == nullptr) return;
        const Activity& activity = *find_activity(tables, key->activity);
        if (passed >= store::kMostPassed && !choice.has_code(activity.about.name)) continue;
        const store::InLine one{.activity = activity.ref,
                                .name = activity.about.name,
                                .key = activity.about.fairness_key,
                                .session = session_of(tables, activity),
                                .since = activity.claimable_at(),
                                .free_since = std::max(activity.visible_at, activity.leased_until),
                                .is_leased = activity.token.has_value(),
                                .is_late = activity.too_late(now),
                                .unregistered = activity.unregistered};
        switch (choice.look_at(queue, one)) {
            case store::Choice::Verdict::ends: return;
            case store::Choice::Verdict::passes: ++passed; break;
            case store::Choice::Verdict::takes:
                found.push_back(*key);
                ++taken;
                break;
        }
    }
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
    item.fairness_key = activity.about.fairness_key;
    item.session = activity.about.session;
    return item;
}

}  // namespace

ClaimInstances::Answer claim(Tables& tables, const ClaimInstances& request, Timestamp now) {
    ClaimInstances::Answer answer;
    const store::CodeFilter filter(request.code);
    const std::vector<RunRef> back = wrongly_put_off(tables, request, filter);
    for (const RunRef run : back) bring_back(tables, run_of(tables, run), now);
    const FirstRuns first = first_runs(tables, request, filter, now);
    for (const ReadyKey& ready : first.found) {
        if (answer.claimed.size() == request.max || ready.at > now) {
            shorten(answer.ready_in, std::max(ready.at - now, Millis(0)));
            break;
        }
        Run& run = run_of(tables, ready.run());
        // One behind the first that were brought back.
        if (request.code && run.put_off) bring_back(tables, run, now);
        ++run.attempts;
        run.lock = Lock{token_at(request.first_token, answer.claimed.size()),
                        later(now, request.lease),
                        request.worker,
                        run.cancel.has_value(),
                        now};
        answer.claimed.push_back(claimed(run, request, now));
        refresh(tables, run);
        shorten(answer.ready_in, std::max(run.lock->until - now, Millis(0)));
    }
    for (const ReadyKey& other : first.others) {
        if (answer.put_off == store::kMostPutOff || later(other.at, request.patience) > now) {
            shorten(answer.ready_in, look_again_in(request, other.at, now));
            break;
        }
        Run& run = run_of(tables, other.run());
        put_off(tables, run, request, now);
        ++answer.put_off;
        shorten(answer.ready_in,
                run.not_before > now ? run.not_before - now : look_again_in(request, now, now));
    }
    if (back.size() == store::kMostPutOff) shorten(answer.ready_in, Millis(1));
    tables.notices.instances_ready = std::any_of(back.begin(), back.end(), [&](RunRef run) {
        const auto& ready_at = run_of(tables, run).indexed.ready_at;
        return ready_at && *ready_at <= now;
    });
    return answer;
}

ClaimActivities::Answer claim(Tables& tables, const ClaimActivities& request, Timestamp now) {
    ClaimActivities::Answer answer;
    promote_activities(tables, now);
    AdmissionRows rows(tables, now);
    store::Choice choice(request, rows, now);
    std::vector<ClaimKey> found;
    for (const std::string& queue : queues_of(tables, request)) {
        look_through(tables, request, queue, now, choice, found);
    }
    for (const ActivityRef& ref : choice.late()) {
        // Out of everyone's way until the turn that hears of it.
        Activity& activity = tables.activities.at(ref);
        activity.visible_at = Timestamp::max();
        refresh(tables, activity, now);
    }
    for (const store::Choice::Mark& mark : choice.marks()) {
        tables.activities.at(mark.activity).unregistered = mark.unregistered;
    }
    answer.marked = choice.marks().size();
    ReadyIn ready_in = choice.ready_in();
    std::sort(found.begin(), found.end());
    if (found.size() > request.max) {
        found.resize(request.max);
        ready_in = Millis(0);
    }
    for (const ClaimKey& key : found) {
        const ActivityRef& ref = key.activity;
        Activity& activity = tables.activities.at(ref);
        ++activity.attempt;
        activity.token = token_at(request.first_token, answer.claimed.size());
        activity.worker = request.worker;
        activity.leased_until = later(now, request.lease);
        activity.claimed_at = now;
        refresh(tables, activity, now);
        note_begun(tables, activity, request.session_idle, now);
        answer.claimed.push_back(claimed(run_of(tables, ref.run), activity, now));
        shorten(answer.ready_in, std::max(activity.leased_until - now, Millis(0)));
    }
    if (ready_in) shorten(answer.ready_in, *ready_in);
    if (!tables.waiting.empty() && tables.waiting.begin()->first != Timestamp::max()) {
        shorten(answer.ready_in, tables.waiting.begin()->first - now);
    }
    return answer;
}

}  // namespace belay::memory
