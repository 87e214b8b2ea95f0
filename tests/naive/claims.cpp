// Claims: who gets what, in the order of the contract.
#include "naive/change.hpp"
#include "naive/naive_store.hpp"
#include <belay/versions.hpp>

#include <algorithm>
#include <set>

namespace belay::naive {

namespace {

std::size_t place_in(const std::vector<ClaimedInstance>& claimed, RunRef run) {
    const auto is_it = [&](const ClaimedInstance& one) { return one.run == run; };
    return static_cast<std::size_t>(std::find_if(claimed.begin(), claimed.end(), is_it) -
                                    claimed.begin());
}

bool is_in(const std::vector<ActivityRef>& activities, const ActivityRef& activity) {
    return std::find(activities.begin(), activities.end(), activity) != activities.end();
}

bool is_among(const std::vector<Shard>& shards, Shard shard) {
    return shards.empty() || std::find(shards.begin(), shards.end(), shard) != shards.end();
}

/// The hint: the first of several times, and at once when something was left.
class Sooner {
public:
    void at(Timestamp when) { first_ = std::min(first_, when); }
    [[nodiscard]] ReadyIn from(Timestamp now, bool left) const {
        if (left) return Millis(0);
        if (first_ == kNever) return std::nullopt;
        return std::max(first_ - now, Millis(1));
    }

private:
    Timestamp first_ = kNever;
};

// ---- Runs --------------------------------------------------------------------------------------

bool has_code(const ClaimInstances& request, const Run& run) {
    if (!request.code) return true;
    if (run.about.document) return request.interprets;
    for (const ClaimInstances::Code& code : *request.code) {
        if (code.definition != run.about.definition) continue;
        if (code.versions.empty() || run.about.version.empty()) return true;
        for (const std::string& version : code.versions) {
            if (compare_versions(version, run.about.version) == 0) return true;
        }
    }
    return false;
}

/// The mark goes from all that somebody with their code finds.
bool is_to_be_brought_back(const ClaimInstances& request, const Run& run) {
    return request.code && run.code_missing_since && !run.given_back && !run.ended() &&
           has_code(request, run);
}

void bring_back(Run& run, Timestamp now) {
    run.code_missing_since.reset();
    run.unregistered = 0;
    run.not_before = std::min(run.not_before, now);
}

void put_off(const ClaimInstances& request, Run& run, Timestamp now) {
    Millis delay = request.backoff;
    for (std::uint32_t i = 0; i < run.unregistered && delay < request.backoff_max; ++i) delay *= 2;
    run.not_before = now + std::min(delay, request.backoff_max);
    if (!run.code_missing_since) run.code_missing_since = now;
    ++run.unregistered;
}

std::vector<Message> handed_out(const ClaimInstances& request, const Run& run, Timestamp now) {
    std::vector<Message> messages;
    for (const Message& one : ready_messages(run, now)) {
        if (messages.size() < request.max_messages ||
            (run.cancel && one.id < run.cancel->sequence)) {
            messages.push_back(one);
        }
    }
    return messages;
}

ClaimedInstance take(const ClaimInstances& request, Run& run, LeaseToken token, Timestamp now) {
    run.lock = Lock{token, now + request.lease, now, request.worker, run.cancel.has_value()};
    ++run.attempts;
    ClaimedInstance made;
    made.run = run.ref();
    made.name = run.about.name;
    made.definition = run.about.definition;
    made.version = run.about.version;
    made.owner = run.about.owner;
    made.status = run.status;
    made.execution = run.execution();
    made.position = run.position();
    made.input = run.about.input;
    made.parent = run.about.parent;
    made.cancel = run.cancel;
    made.cancel_deadline = run.cancel_deadline;
    made.messages = handed_out(request, run, now);
    made.attempts = run.attempts;
    made.overruns = run.overruns;
    made.unregistered = run.unregistered;
    made.code_missing_since = run.code_missing_since;
    made.token = token;
    made.claimed_at = now;
    made.locked_until = run.lock->until;
    made.headers = run.about.headers;
    made.document = run.about.document;
    made.on_fail_of = run.about.on_fail_of;
    return made;
}

void end_late(State& state, const std::vector<RunRef>& late, Timestamp now, store::Notices* told) {
    if (late.empty()) return;
    const Transition none;
    Change change(state, none, now, Millis(0), nullptr);
    change.end_late(late);
    if (told == nullptr) return;
    told->ended = change.told().ended;
    told->runs = change.told().runs;
}

}  // namespace

ClaimInstances::Answer claim(State& state,
                             const ClaimInstances& request,
                             Timestamp now,
                             const ClaimInstances::Answer* followed,
                             store::Notices* told) {
    state.latest = std::max(state.latest, now);
    // The longest ready first, then the oldest run.
    std::vector<std::tuple<Timestamp, std::size_t, RunKey, RunRef>> asked;
    for (const auto& [key, run] : state.runs) {
        const RunRef ref = run.ref();
        if (request.run && *request.run != ref) continue;
        if (is_to_be_brought_back(request, run)) {
            bring_back(*state.write(ref), now);
            if (told != nullptr) told->instances_ready = true;
        }
        if (!is_among(request.shards, ref.shard)) continue;
        const std::size_t place = followed ? place_in(followed->claimed, ref) : 0;
        asked.emplace_back(ready_at(run), place, ref.key, ref);
    }
    std::sort(asked.begin(), asked.end());
    ClaimInstances::Answer answer;
    Sooner sooner;
    bool left = false;
    std::vector<RunRef> late;
    for (const auto& [since, place, key, ref] : asked) {
        const bool ready = since <= now;
        if (since == kNever) break;
        Run& run = *state.write(ref);
        // One that has the deadline of a cancel can still be claimed.
        if (ready && !run.cancel && late_at(run) <= now) {
            late.push_back(ref);
            continue;
        }
        if (!run.cancel && state.pauses.contains({PauseKind::definition, run.about.definition})) {
            continue;
        }
        if (ready && !has_code(request, run)) {
            if (since + request.patience <= now) {
                if (followed && answer.put_off == followed->put_off) continue;
                put_off(request, run, now);
                ++answer.put_off;
            }
        } else if (ready && answer.claimed.size() < request.max) {
            LeaseToken token = request.first_token;
            token.serial += answer.claimed.size();
            answer.claimed.push_back(take(request, run, token, now));
        } else if (ready) {
            left = true;
            continue;
        }
        const Timestamp next = ready_at(run);
        sooner.at(next > now ? next : next + request.patience);
    }
    answer.ready_in = sooner.from(now, left);
    end_late(state, late, now, told);
    return answer;
}

// ---- Activities --------------------------------------------------------------------------------

namespace {

/// Returns the number of marks that it should have by now, and the time of the next: when it has
/// waited twice as long as the last time.
std::pair<std::uint32_t, Timestamp> marks(const Activity& row, Millis patience, Timestamp now) {
    const Timestamp since = std::max(row.visible_at, row.leased_until);
    std::uint32_t times = 0;
    Millis wait = std::max(patience, Millis(1));
    for (; times < row.unregistered || since + wait <= now; wait *= 2) ++times;
    return {times, since + wait};
}

ClaimedActivity shown(const State& state, const Activity& row) {
    const Run& run = *state.find(row.ref.run);
    ClaimedActivity made;
    made.activity = row.ref;
    made.instance = run.about.name;
    made.definition = run.about.definition;
    made.version = run.about.version;
    made.name = row.about.name;
    made.queue = row.about.queue;
    made.input = row.about.input;
    made.headers = row.about.headers;
    made.attempt = row.attempt;
    made.unregistered = row.unregistered;
    made.token = *row.token;
    made.claimed_at = row.leased_since;
    made.leased_until = row.leased_until;
    made.schedule_to_start = row.about.schedule_to_start;
    made.start_to_close = row.about.start_to_close;
    made.heartbeat_timeout = row.about.heartbeat_timeout;
    made.progress = row.progress;
    made.fairness_key = row.about.fairness_key;
    made.session = row.about.session;
    return made;
}

bool serves(const ClaimActivities& request, const Activity& row) {
    return is_among(request.shards, row.ref.run.shard) &&
           (request.any_queue ||
            std::find(request.queues.begin(), request.queues.end(), row.about.queue) !=
                request.queues.end());
}

bool knows(const ClaimActivities& request, const Activity& row) {
    return !request.names ||
           std::find(request.names->begin(), request.names->end(), row.about.name) !=
               request.names->end();
}

}  // namespace

ClaimActivities::Answer claim(State& state,
                              const ClaimActivities& request,
                              Timestamp now,
                              const FollowedClaim* followed) {
    state.latest = std::max(state.latest, now);
    std::vector<Activity*> asked;
    for (const auto& [ref, row] : state.activities) {
        if (state.pauses.contains({PauseKind::queue, row.about.queue})) continue;
        if (serves(request, row)) asked.push_back(state.activities.write(ref));
    }
    std::sort(asked.begin(), asked.end(), [&](const Activity* a, const Activity* b) {
        return std::tuple(-a->about.priority, a->visible_at, a->place) <
               std::tuple(-b->about.priority, b->visible_at, b->place);
    });
    ClaimActivities::Answer answer;
    Sooner sooner;
    bool left = false;
    std::set<std::pair<std::string, std::string>> unknown;
    // A store need not look behind the last one that it takes.
    const bool looks_at_all = !followed || followed->answer.claimed.size() < request.max;
    const std::uint64_t holder = request.first_token.holder;
    for (Activity* row : asked) {
        if (row->too_late(now)) {
            // The reach of a store is open, and so is its choice among them.
            if (!followed || is_in(followed->set_aside, row->ref)) row->set_aside = true;
            continue;
        }
        const bool known = knows(request, *row);
        const std::uint32_t sessions = known ? request.sessions : kAnyNumberOfSessions;
        const Timestamp from =
            std::max({free_from(*row, now),
                      room_from(state, row->about.queue, row->about.fairness_key, now),
                      session_from(state, session_of(state, *row), holder, sessions, now)});
        if (from > now) {
            // A claimer without the name gains nothing by coming then. A store may say so, or not.
            if (known || !followed) sooner.at(from);
        } else if (!known) {
            if (row->token || !unknown.emplace(row->about.queue, row->about.name).second) continue;
            const auto [times, next] = marks(*row, request.patience, now);
            if (times > row->unregistered && (looks_at_all || is_in(followed->marked, row->ref))) {
                row->unregistered = times;
                ++answer.marked;
            }
            sooner.at(next);
        } else if (answer.claimed.size() < request.max) {
            LeaseToken token = request.first_token;
            token.serial += answer.claimed.size();
            lease(state, *row, token, request.worker, request.lease, request.session_idle, now);
            answer.claimed.push_back(shown(state, *row));
            sooner.at(row->leased_until);
        } else {
            left = true;
        }
    }
    answer.ready_in = sooner.from(now, left);
    return answer;
}

}  // namespace belay::naive
