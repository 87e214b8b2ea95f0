#include "naive/state.hpp"

#include <algorithm>
#include <set>

namespace belay::naive {

const Run* State::find(RunRef ref) const {
    const Run* run = runs.find(ref.key);
    return run != nullptr && run->ref() == ref ? run : nullptr;
}

const Run* State::find(const InstanceName& name) const {
    const RunRef* ref = names.find(name);
    return ref == nullptr ? nullptr : find(*ref);
}

Run* State::write(RunRef ref) { return find(ref) == nullptr ? nullptr : runs.write(ref.key); }

// ---- Trees -------------------------------------------------------------------------------------

std::vector<RunRef> children_of(const State& state, RunRef parent) {
    const Run* run = state.find(parent);
    if (run == nullptr) return {};
    std::vector<RunRef> children = run->children;
    std::erase_if(children, [&](RunRef child) { return state.find(child) == nullptr; });
    return children;
}

std::vector<ActivityRef> activities_of(const State& state, RunRef run) {
    std::vector<ActivityRef> all;
    auto row = state.activities.rows().lower_bound(ActivityRef{run, 0, 0});
    for (; row != state.activities.end() && row->first.run == run; ++row) all.push_back(row->first);
    return all;
}

namespace {

bool has_handlers(const State& state, RunRef run) {
    return std::any_of(state.stopping.begin(), state.stopping.end(), [&](const Stopping& one) {
        return !one.orphan && one.activity.run == run;
    });
}

bool is_over(const State& state, const Run& run, bool but_for_abandoned) {
    if (!run.ended() || has_handlers(state, run.ref())) return false;
    for (const RunRef ref : children_of(state, run.ref())) {
        const Run& child = *state.find(ref);
        if (but_for_abandoned && child.about.parent_close == ParentClose::abandon) continue;
        if (!is_over(state, child, but_for_abandoned)) return false;
    }
    return true;
}

}  // namespace

bool settled(const State& state, const Run& run) { return is_over(state, run, false); }
bool at_rest(const State& state, const Run& run) { return is_over(state, run, true); }

std::vector<RunRef> tree_of(const State& state, RunRef root) {
    std::vector<RunRef> tree{root};
    std::set<RunRef> seen{root};
    for (std::size_t i = 0; i < tree.size(); ++i) {
        const Run& run = *state.find(tree[i]);
        std::vector<RunRef> more = children_of(state, tree[i]);
        if (run.named) {
            for (const RunRef former : formers_of(state, run.about.name)) {
                // One that has a parent goes with its own tree.
                if (!state.find(former)->about.parent) more.push_back(former);
            }
        }
        for (const RunRef one : more) {
            if (seen.insert(one).second) tree.push_back(one);
        }
    }
    std::reverse(tree.begin(), tree.end());
    return tree;
}

std::vector<RunRef> formers_of(const State& state, const InstanceName& name) {
    std::vector<RunRef> formers;
    for (const auto& [key, run] : state.runs) {
        if (!run.named && run.about.name == name) formers.push_back(run.ref());
    }
    return formers;
}

// ---- Runs --------------------------------------------------------------------------------------

std::vector<Message> ready_messages(const Run& run, Timestamp now) {
    std::vector<Message> ready;
    for (const Waiting& one : run.inbox) {
        if (!one.timed || one.at <= now) ready.push_back({one.number, one.at, one.content});
    }
    std::sort(ready.begin(), ready.end(), [](const Message& a, const Message& b) {
        return std::pair(a.sent_at, a.id) < std::pair(b.sent_at, b.id);
    });
    return ready;
}

Timestamp expires_at(const Run& run) {
    if (run.status != Status::pending || !run.begin_by) return kNever;
    return run.lock ? std::max(*run.begin_by, run.lock->until) : *run.begin_by;
}

Timestamp late_at(const Run& run) {
    if (run.ended()) return kNever;
    if (run.cancel) return run.cancel_deadline.value_or(kNever);
    return std::min(expires_at(run), run.end_by.value_or(kNever));
}

std::vector<RunRef> concurrent_runs(const State& state,
                                    const NewInstance& about,
                                    const std::string& key) {
    std::vector<RunRef> found;
    for (const auto& [run_key, run] : state.runs.rows()) {
        if (run.concurrency && run.concurrency->key == key &&
            run.about.definition == about.definition && run.about.name.space == about.name.space) {
            found.push_back(run.ref());
        }
    }
    return found;
}

Timestamp ready_at(const Run& run) {
    if (run.ended() || run.held || run.waits_for || run.line > 0) return kNever;
    Timestamp first = run.wants_turn.value_or(kNever);
    for (const Waiting& one : run.inbox) {
        first = std::min(first, one.timed ? one.at : one.accepted);
    }
    if (first == kNever) return kNever;
    first = std::max(first, run.not_before);
    return run.lock ? std::max(first, run.lock->until) : first;
}

std::uint64_t users_of(const State& state, const std::string& space, const Digest& of) {
    std::uint64_t users = 0;
    for (const auto& [key, run] : state.runs) {
        if (run.about.name.space == space && run.about.document == of) ++users;
    }
    return users;
}

bool is_taken(const State& state, const Key& key, Timestamp now) {
    const Status status = key.deleted ? *key.deleted : state.find(key.run)->status;
    switch (key.scope) {
        case KeyScope::while_active: return !key.deleted && !is_terminal(status);
        case KeyScope::until_success:
            return status == Status::completed || (!key.deleted && !is_terminal(status));
        case KeyScope::window: return now < *key.until;
        default: return true;
    }
}

// ---- Activities --------------------------------------------------------------------------------

namespace {

/// When fewer than `most` are left of what ends at these times.
Timestamp when_fewer(std::vector<Timestamp> ends, std::uint32_t most) {
    if (ends.size() < most) return kAlways;
    if (most == 0) return kNever;
    std::sort(ends.begin(), ends.end());
    return ends[ends.size() - most];
}

/// When what runs of a queue, or of one key of it, can be running no more.
std::vector<Timestamp> running(const State& state,
                               const std::string& queue,
                               const std::string* key,
                               Timestamp now) {
    std::vector<Timestamp> ends;
    for (const auto& [ref, row] : state.activities) {
        if (row.about.queue == queue && (key == nullptr || row.about.fairness_key == *key) &&
            row.leased(now)) {
            ends.push_back(row.leased_until);
        }
    }
    for (const Stopping& one : state.stopping) {
        if (one.limited && one.queue == queue && (key == nullptr || one.fairness_key == *key) &&
            one.until > now) {
            ends.push_back(one.until);
        }
    }
    return ends;
}

/// When what began of it within the time counts no more.
std::vector<Timestamp> begun(const State& state,
                             const std::string& queue,
                             const std::string* key,
                             Millis per,
                             Timestamp now) {
    std::vector<Timestamp> ends;
    for (const StartTime& one : state.begun) {
        if (one.queue == queue && (key == nullptr || one.fairness_key == *key) &&
            one.at + per > now) {
            ends.push_back(one.at + per);
        }
    }
    return ends;
}

}  // namespace

Timestamp room_from(const State& state,
                    const std::string& queue,
                    const std::string& fairness_key,
                    Timestamp now) {
    const auto found = state.limits.find(queue);
    if (found == state.limits.end()) return kAlways;
    const QueueLimits& limits = found->second.limits;
    Timestamp from = kAlways;
    if (limits.running) {
        from = std::max(from, when_fewer(running(state, queue, nullptr, now), *limits.running));
    }
    if (limits.started) {
        from = std::max(from,
                        when_fewer(begun(state, queue, nullptr, limits.started->per, now),
                                   limits.started->count));
    }
    if (fairness_key.empty()) return from;
    if (limits.running_per_key) {
        from = std::max(
            from, when_fewer(running(state, queue, &fairness_key, now), *limits.running_per_key));
    }
    if (limits.started_per_key) {
        from = std::max(
            from,
            when_fewer(begun(state, queue, &fairness_key, limits.started_per_key->per, now),
                       limits.started_per_key->count));
    }
    return from;
}

SessionName session_of(const State& state, const Activity& activity) {
    return {state.find(activity.ref.run)->about.name.space, activity.about.session};
}

Timestamp session_until(const State& state, const SessionName& name, const Session& session) {
    Timestamp until = session.idle_until;
    for (const auto& [ref, row] : state.activities) {
        if (row.about.session == name.second && row.token && row.token->holder == session.holder &&
            session_of(state, row) == name) {
            until = std::max(until, row.leased_until);
        }
    }
    for (const Stopping& one : state.stopping) {
        if (one.session == name && one.token.holder == session.holder) {
            until = std::max(until, one.until);
        }
    }
    return until;
}

Timestamp session_from(const State& state,
                       const SessionName& name,
                       std::uint64_t holder,
                       std::uint32_t most,
                       Timestamp now) {
    if (name.second.empty()) return kAlways;
    std::vector<Timestamp> mine;
    for (const auto& [other, session] : state.sessions) {
        const Timestamp until = session_until(state, other, session);
        if (until <= now) continue;
        if (other == name) return session.holder == holder ? kAlways : until;
        if (session.holder == holder) mine.push_back(until);
    }
    return when_fewer(mine, most);
}

Timestamp free_from(const Activity& activity, Timestamp now) {
    if (activity.too_late(now)) return kNever;
    return activity.token ? activity.leased_until : activity.visible_at;
}

namespace {

bool runs(const State& state, LeaseToken token, Timestamp now) {
    for (const auto& [ref, row] : state.activities) {
        if (row.token == token && row.leased(now)) return true;
    }
    return std::any_of(state.stopping.begin(), state.stopping.end(), [&](const Stopping& one) {
        return one.token == token && one.until > now;
    });
}

/// Forgets what has ended and what no rate of its queue counts any more.
void forget_begun(State& state, const std::string& queue, Timestamp now) {
    const QueueLimits& limits = state.limits.at(queue).limits;
    Millis longest{0};
    for (const auto& rate : {limits.started, limits.started_per_key}) {
        if (rate) longest = std::max(longest, rate->per);
    }
    std::erase_if(state.begun, [&](const StartTime& one) {
        return one.queue == queue && one.at + longest <= now && !runs(state, one.token, now);
    });
}

}  // namespace

void lease(State& state,
           Activity& activity,
           LeaseToken token,
           const std::string& worker,
           Millis lease,
           Millis session_idle,
           Timestamp now) {
    activity.token = token;
    activity.worker = worker;
    activity.leased_until = now + lease;
    activity.leased_since = now;
    ++activity.attempt;
    if (state.limits.contains(activity.about.queue)) {
        forget_begun(state, activity.about.queue, now);
        state.begun.push_back({activity.about.queue, activity.about.fairness_key, token, now});
    }
    std::erase_if(state.write(activity.ref.run)->inbox,
                  [&](const Waiting& one) { return one.unstarted == activity.ref.command; });
    if (activity.about.session.empty()) return;
    const SessionName name = session_of(state, activity);
    const auto found = state.sessions.find(name);
    const bool mine = found != state.sessions.end() && found->second.holder == token.holder;
    Session session{token.holder, worker, session_idle};
    if (mine) session.idle_until = found->second.idle_until;
    state.sessions[name] = session;
}

}  // namespace belay::naive
