// Operators' changes: deleting, pruning, keys, letters, policies; and the sweep.
#include "naive/change.hpp"

#include <algorithm>

namespace belay::naive {

// ---- Deleting ----------------------------------------------------------------------------------

/// Deletes an activity with its run. A handler that may still run counts for limits and sessions.
void Change::orphan(const ActivityRef& ref) {
    const Activity& row = *state_.activities.find(ref);
    if (row.token) {
        keep_session(session_of(state_, row), *row.token);
        Stopping left;
        left.activity = ref;
        left.token = *row.token;
        left.until = std::min(row.leased_until, now_ + transition_.stop.grace);
        left.queue = row.about.queue;
        left.fairness_key = row.about.fairness_key;
        left.session = session_of(state_, row);
        left.orphan = true;
        state_.stopping.push_back(left);
        answer_.stopped.push_back(*row.token);
    }
    state_.activities.erase(ref);
}

/// Nobody will hear that something of this session has ended: it lasts as long as it would have.
void Change::keep_session(const SessionName& name, LeaseToken token) {
    const auto found = state_.sessions.find(name);
    if (found == state_.sessions.end() || found->second.holder != token.holder) return;
    found->second.idle_until = session_until(state_, name, found->second);
}

/// With everything that belongs to it.
void Change::remove(Run& run, DeleteCounts& counts) {
    const RunRef ref = run.ref();
    ++counts.instances;
    counts.executions += run.executions.size();
    for (const Execution& one : run.executions) counts.events += one.info.events;
    counts.messages += run.inbox.size();
    counts.messages += activities_of(state_, ref).size();
    for (const ActivityRef& row : activities_of(state_, ref)) orphan(row);
    for (Stopping& one : state_.stopping) {
        if (one.orphan || one.activity.run != ref) continue;
        keep_session(one.session, one.token);
        one.orphan = true;
        one.until = std::min(one.until, now_ + transition_.stop.grace);
    }
    counts.messages +=
        std::erase_if(state_.letters, [&](const auto& letter) { return letter.second.run == ref; });
    for (const auto& [name, key] : std::map(state_.keys.rows())) {
        if (key.run != ref) continue;
        state_.keys.write(name)->deleted = run.status;
        if (!is_taken(state_, *state_.keys.find(name), now_)) state_.keys.erase(name);
    }
    (run.ended() ? told_.settled : told_.ended).push_back(ref);
    InstanceBrief brief = run.brief();
    brief.deleted = true;
    state_.gone.put(ref, DeletedRun{run.started_by, {}, brief, {}, now_ + request_kept_});
    deleted_.insert(ref);
    if (run.named) {
        deleted_names_.insert(run.about.name);
        state_.names.erase(run.about.name);
    }
    told_.changed(ref, RunChange::deleted);
    const std::string space = run.about.name.space;
    const std::optional<Digest> document = run.about.document;
    state_.runs.erase(ref.key);
    if (document && users_of(state_, space, *document) == 0) {
        state_.documents.erase({space, *document});
    }
}

DeleteCounts Change::remove(const std::vector<RunRef>& runs) {
    DeleteCounts counts;
    for (const RunRef ref : runs) remove(*state_.write(ref), counts);
    answer_.deleted.instances += counts.instances;
    answer_.deleted.executions += counts.executions;
    answer_.deleted.events += counts.events;
    answer_.deleted.messages += counts.messages;
    return counts;
}

/// Refuses because of one of them, if there are any. Which one is open.
void Change::refuse_one(Errc code, const std::vector<const Run*>& at_fault, const char* why) const {
    if (at_fault.empty()) return;
    const Run* named = at_fault.front();
    for (const Run* one : at_fault) {
        if (followed_ != nullptr && followed_->instance && followed_->instance->run == one->ref()) {
            named = one;
        }
    }
    refuse(code, "'" + named->about.name.id + "' " + why, named->brief());
}

void Change::check_going(const std::vector<RunRef>& going, bool force) const {
    std::vector<const Run*> open;
    for (const RunRef ref : going) {
        address(ref);
        const Run& run = *state_.find(ref);
        if (!force && !run.ended()) open.push_back(&run);
    }
    refuse_one(Errc::still_running, open, "has not ended");
}

void Change::apply(const Delete& part) {
    Run& run = named(part.name, part.run);
    if (run.about.parent) refuse(Errc::has_parent, "only roots are deleted", run.brief());
    const std::vector<RunRef> tree = tree_of(state_, run.ref());
    check_going(tree, part.force);
    const RunRef root = run.ref();
    answer_.instance = run.brief();
    answer_.instance->deleted = true;
    const DeleteCounts counts = remove(tree);
    if (!part.run) return;
    DeletedRun& gone = *state_.gone.write(root);
    gone.deleted_by = transition_.commit;
    gone.counts = counts;
}

void Change::apply(const DeleteInstances& part) {
    demand(!part.ids.empty(), "no instance is named");
    if (part.ids.size() > Limits().bulk_ids) refuse(Errc::limit_exceeded, "too many are named");
    std::map<RunRef, std::size_t> places;
    std::vector<RunRef> going;
    for (const std::string& id : part.ids) {
        const Run& run = named({part.space, id});
        demand(places.emplace(run.ref(), places.size()).second, "one is named twice");
        if (run.about.parent) continue;
        for (const RunRef ref : tree_of(state_, run.ref())) going.push_back(ref);
    }
    const std::set<RunRef> whole(going.begin(), going.end());
    std::vector<const Run*> unlisted;
    for (const RunRef ref : going) {
        const Run& run = *state_.find(ref);
        // One that lost its name cannot be listed.
        if (run.named && !places.contains(ref)) unlisted.push_back(&run);
    }
    refuse_one(Errc::has_children, unlisted, "is not listed");
    std::vector<const Run*> rootless;
    for (const auto& [ref, place] : places) {
        if (!whole.contains(ref)) rootless.push_back(state_.find(ref));
    }
    refuse_one(Errc::has_parent, rootless, "has a root that is not listed");
    for (const auto& [ref, place] : places) {
        const Run& run = *state_.find(ref);
        if (!run.about.parent) continue;
        const auto parent = places.find(run.about.parent->run);
        demand(parent == places.end() || parent->second > place, "a child behind its parent");
    }
    check_going(going, part.force);
    answer_.instance = state_.find({part.space, part.ids.back()})->brief();
    answer_.instance->deleted = true;
    (void)remove(going);
}

void Change::apply(const Prune& part) {
    demand(part.max > 0 && part.max_events > 0, "nothing may be pruned");
    Run& run = named(part.name, part.run);
    const std::size_t last = std::max<std::size_t>(part.keep_last.value_or(1), 1);
    DeleteCounts counts;
    std::vector<Execution> kept;
    for (std::size_t i = 0; i < run.executions.size(); ++i) {
        const ExecutionInfo& info = run.executions[i].info;
        const bool old = i + last < run.executions.size() &&
                         (!part.ended_before || *info.ended_at < *part.ended_before);
        if (old && !is_full(part, counts)) {
            ++counts.executions;
            counts.events += info.events;
            std::erase_if(run.output,
                          [&](const Output& one) { return one.about.execution == info.execution; });
        } else {
            kept.push_back(run.executions[i]);
        }
    }
    run.executions = kept;
    answer_.changed = counts.executions > 0;
    answer_.deleted = counts;
    answer_.instance = run.brief();
}

// ---- Keys, letters, policies -------------------------------------------------------------------

void Change::apply(const FreeKey& part) {
    demand(deleted_.empty(), "a key behind a deletion");
    const KeyName name{part.space, part.owner, part.definition, part.key};
    const Key* found = state_.keys.find(name);
    if (found == nullptr) refuse(Errc::not_found, "no key '" + part.key + "'");
    const Key& key = *found;
    const Run* run = state_.find(key.run);
    answer_.instance =
        run != nullptr ? run->brief() : InstanceBrief{key.run, key.name, *key.deleted, true};
    state_.keys.erase(name);
}

void Change::apply(const Redrive& part) {
    const auto found = state_.letters.find(part.letter);
    if (found == state_.letters.end()) refuse(Errc::not_found, "no such letter");
    const DeadLetter& letter = found->second;
    RunRef to = letter.run;
    if (part.to) to = named(*part.to).ref();
    address(to);
    demand(to == letter.run || letter.message.command == 0, "it answers a command of another run");
    Run& run = alive(to);
    check_room(run, letter.message);
    send(run, letter.message);
    answer_.instance = run.brief();
    state_.letters.erase(found);
}

void Change::apply(const Discard& part) {
    const auto found = state_.letters.find(part.letter);
    if (found == state_.letters.end()) refuse(Errc::not_found, "no such letter");
    const RunRef ref = found->second.run;
    const Run* run = state_.find(ref);
    InstanceBrief brief;
    brief.run = ref;
    brief.deleted = true;
    answer_.instance = run != nullptr ? run->brief() : brief;
    state_.letters.erase(found);
}

void Change::apply(const SetRetention& part) {
    demand(check_name("the namespace", part.space, Limits().name_bytes));
    if (!part.policy) {
        state_.retention.erase(part.space);
        return;
    }
    demand(check_retention(*part.policy));
    state_.retention[part.space] = {part.space, *part.policy, now_, part.by};
}

void Change::apply(const SetQueueLimits& part) {
    if (!part.queue.empty()) demand(check_name("the queue", part.queue, Limits().name_bytes));
    if (part.limits) demand(check_queue_limits(*part.limits));
    if (!part.limits || !state_.limits.contains(part.queue)) {
        // Work that began without limits, or was deleted, is written down nowhere.
        std::erase_if(state_.begun, [&](const StartTime& one) { return one.queue == part.queue; });
        for (Stopping& one : state_.stopping) {
            if (one.orphan && one.queue == part.queue) one.limited = false;
        }
    }
    if (!part.limits) {
        state_.limits.erase(part.queue);
        return;
    }
    state_.limits[part.queue] = {part.queue, *part.limits, now_, part.by};
}

void Change::apply(const SetPause& part) {
    demand(part.kind == PauseKind::queue || part.kind == PauseKind::definition,
           "that cannot be paused");
    if (part.kind == PauseKind::definition || !part.paused.empty()) {
        demand(check_name("the name", part.paused, Limits().name_bytes));
    }
    const std::pair name(part.kind, part.paused);
    answer_.changed = state_.pauses.contains(name) != part.on;
    if (!answer_.changed) return;
    if (part.on) {
        state_.pauses[name] = {part.kind, part.paused, now_, part.by, part.reason};
    } else {
        state_.pauses.erase(name);
    }
}

// ---- Sweep -------------------------------------------------------------------------------------

namespace {

/// The rows that were over first, at most so many, by their keys. `until` says when one is.
template <class Rows, class Until>
auto over(const Rows& rows, Timestamp now, std::size_t limit, Until until) {
    using Key = std::remove_cvref_t<decltype(rows.begin()->first)>;
    std::vector<std::pair<Timestamp, Key>> late;
    for (const auto& [key, row] : rows) {
        const std::optional<Timestamp> at = until(key, row);
        if (at && *at <= now) late.emplace_back(*at, key);
    }
    std::sort(late.begin(), late.end());
    late.resize(std::min(late.size(), limit));
    return late;
}

}  // namespace

void Change::apply(const Sweep& part) {
    const auto deadline = [](RunKey, const Run& run) {
        return late_at(run) == kNever ? std::nullopt : std::optional(late_at(run));
    };
    const auto until = [](const auto&, const auto& row) { return std::optional(row.until); };
    const auto key_until = [](const auto&, const Key& key) { return key.until; };
    const auto kept_until = [&](const SessionName& name, const Session& session) {
        return std::optional(session_until(state_, name, session));
    };
    for (const auto& [at, key] : over(state_.runs, now_, part.limit, deadline)) {
        Run& run = *state_.runs.write(key);
        if (!run.ended()) end_late(run);
        ++answer_.swept;
    }
    std::map<std::pair<ActivityRef, LeaseToken>, Stopping> handlers;
    for (const Stopping& one : state_.stopping) {
        if (!one.orphan) handlers.emplace(std::pair(one.activity, one.token), one);
    }
    const auto late = over(handlers, now_, part.limit, until);
    std::erase_if(state_.stopping, [&](const Stopping& one) {
        return one.orphan ? one.until <= now_
                          : std::any_of(late.begin(), late.end(), [&](const auto& other) {
                                return other.second == std::pair(one.activity, one.token);
                            });
    });
    answer_.swept += late.size();
    const auto sweep = [&](auto& rows, const auto& when) {
        for (const auto& [at, key] : over(rows, now_, part.limit, when)) {
            rows.erase(key);
            ++answer_.swept;
        }
    };
    sweep(state_.requests, until);
    sweep(state_.gone, until);
    sweep(state_.sessions, kept_until);
    sweep(state_.keys, key_until);
    sweep_places(part.limit);
}

/// Places whose rates count them no more.
void Change::sweep_places(std::size_t limit) {
    std::map<std::tuple<std::string, std::string, std::uint64_t>, StartPlace> places;
    for (const StartPlace& one : state_.places) {
        places.emplace(std::tuple(one.space, one.definition, one.number), one);
    }
    const auto until = [](const auto&, const StartPlace& one) { return std::optional(one.until); };
    for (const auto& [at, key] : over(places, now_, limit, until)) {
        std::erase_if(state_.places, [&](const StartPlace& one) {
            return std::tuple(one.space, one.definition, one.number) == key;
        });
        ++answer_.swept;
    }
}

}  // namespace belay::naive
