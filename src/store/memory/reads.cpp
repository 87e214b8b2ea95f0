#include "store/memory/reads.hpp"

#include <algorithm>

namespace belay::memory {

namespace {

std::uint64_t count_ready(const Run& run, Timestamp now) {
    std::uint64_t ready = run.plain_messages;
    for (const auto& [key, waiting] : run.inbox) {
        if (waiting.timed && key.first <= now) ++ready;
    }
    return ready;
}

InstanceInfo info_of(const Tables& tables, const Run& run, Timestamp now) {
    InstanceInfo info;
    info.run = run.ref;
    info.name = run.about.name;
    info.definition = run.about.definition;
    info.version = run.about.version;
    info.status = run.status;
    info.execution = run.execution;
    info.position = run.position;
    info.input = run.about.input;
    info.outcome = run.outcome;
    info.cancel = run.cancel;
    info.cancel_deadline = run.cancel_deadline;
    info.parent = run.about.parent;
    info.owner = run.about.owner;
    info.started_by = run.about.started_by;
    info.headers = run.about.headers;
    info.labels = run.about.labels;
    info.created_at = run.created_at;
    info.started_at = run.started_at;
    info.ended_at = run.ended_at;
    info.event_count = run.event_count;
    info.history_bytes = run.history_bytes;
    info.custom_status = run.custom_status;
    info.custom_status_version = run.custom_status_version;
    info.held = run.held;
    info.held_detail = run.held_detail;
    info.held_kind = run.held_kind;
    info.attempts = run.attempts;
    info.unregistered = run.unregistered;
    info.code_missing_since = run.code_missing_since;
    info.overruns = run.overruns;
    info.locked = run.locked(now);
    info.ready_messages = count_ready(run, now);
    info.settled = run.settled;
    info.document = run.about.document;
    if (info.document) {
        const store::DocumentKey key{run.about.name.space, *info.document};
        info.document_number = tables.documents.at(key).head.number;
    }
    info.on_fail = run.about.on_fail;
    info.on_fail_of = run.about.on_fail_of;
    if (run.key) info.key = run.key->key;
    info.priority = run.priority;
    info.expires_at = run.begin_by;
    info.deadline = run.end_by;
    info.concurrency_key = run.concurrency_key;
    info.in_line = run.place_in_line.has_value();
    info.nothing_to_clean_up = run.nothing_to_clean_up && !run.ended();
    return info;
}

ActivityInfo info_of(const Activity& activity, Timestamp now) {
    ActivityInfo info;
    info.activity = activity.ref;
    info.name = activity.about.name;
    info.queue = activity.about.queue;
    info.attempt = activity.attempt;
    info.unregistered = activity.unregistered;
    info.shielded = activity.about.shielded;
    info.leased = activity.token && activity.leased_until > now;
    info.token = activity.token.value_or(LeaseToken());
    info.worker = activity.worker;
    info.visible_at = activity.visible_at;
    info.leased_until = activity.leased_until;
    if (activity.progress) {
        info.progress = activity.progress;
        info.progress_at = activity.progress_at;
    }
    info.session = activity.about.session;
    return info;
}

bool ends_at_or_before(const RecordedRow& recorded, EventNo position) {
    return recorded.first_event + recorded.row.count - 1 <= position;
}

}  // namespace

ReadInstance::Answer read(const Tables& tables, const ReadInstance& request, Timestamp now) {
    const Run* run = request.run ? find_run(tables, *request.run) : find_run(tables, request.name);
    if (run == nullptr) return std::nullopt;
    return info_of(tables, *run, now);
}

ReadInstances::Answer read(const Tables& tables, const ReadInstances& request, Timestamp now) {
    ReadInstances::Answer found;
    found.reserve(request.instances.size());
    for (const ReadInstance& one : request.instances) found.push_back(read(tables, one, now));
    return found;
}

ReadHistory::Answer read(const Tables& tables, const ReadHistory& request, Timestamp) {
    ReadHistory::Answer rows;
    const Run* run = find_run(tables, request.run);
    const Execution* execution = run == nullptr ? nullptr : run->find_execution(request.execution);
    if (execution == nullptr) return rows;
    const auto& history = execution->history;
    auto row = std::partition_point(history.begin(), history.end(), [&](const RecordedRow& one) {
        return ends_at_or_before(one, request.after);
    });
    for (std::uint64_t events = 0; row != history.end() && events < request.max_events; ++row) {
        events += row->row.count;
        rows.push_back(*row);
    }
    return rows;
}

ListExecutions::Answer read(const Tables& tables, const ListExecutions& request, Timestamp) {
    ListExecutions::Answer executions;
    const Run* run = find_run(tables, request.run);
    if (run == nullptr) return executions;
    for (const Execution& execution : run->executions) executions.push_back(execution.info);
    executions.back().status = run->status;
    return executions;
}

ListChildren::Answer read(const Tables& tables, const ListChildren& request, Timestamp) {
    ListChildren::Answer children;
    const Run* run = find_run(tables, request.run);
    if (run == nullptr) return children;
    for (const RunRef child : run->children) {
        const Run* row = find_run(tables, child);
        BELAY_ASSERT(row != nullptr);
        children.push_back(brief_of(*row));
    }
    return children;
}

KeyValues::Answer read(const Tables& tables, const KeyValues& request, Timestamp) {
    const Run* run = find_run(tables, request.run);
    return run == nullptr ? KeyValues::Answer() : run->key_values;
}

ListDeadLetters::Answer read(const Tables& tables, const ListDeadLetters& request, Timestamp) {
    ListDeadLetters::Answer letters;
    auto letter = tables.dead_letters.upper_bound(request.after);
    for (; letter != tables.dead_letters.end() && letters.size() < request.max; ++letter) {
        letters.push_back(letter->second);
        const RunRef ref = letter->second.run;
        if (const Run* run = find_run(tables, ref)) {
            letters.back().instance = run->about.name;
        } else if (const auto gone = tables.gone.find(ref); gone != tables.gone.end()) {
            letters.back().instance = gone->second.instance.name;
        }
    }
    return letters;
}

ListActivities::Answer read(const Tables& tables, const ListActivities& request, Timestamp now) {
    ListActivities::Answer activities;
    auto row = request.run ? tables.activities.lower_bound(ActivityRef{*request.run, 0, 0})
                           : tables.activities.begin();
    for (; row != tables.activities.end(); ++row) {
        if (request.run && row->first.run != *request.run) break;
        activities.push_back(info_of(row->second, now));
    }
    return activities;
}

CheckLeases::Answer read(const Tables& tables, const CheckLeases& request, Timestamp) {
    CheckLeases::Answer holding;
    for (const auto& [ref, token] : request.leases) {
        const Activity* activity = find_activity(tables, ref);
        if (activity != nullptr && activity->token == token) holding.push_back(token);
    }
    return holding;
}

/// No other process has this store, and it is gone with its process.
ReadDeadHolders::Answer read(const Tables&, const ReadDeadHolders&, Timestamp) { return {}; }

}  // namespace belay::memory
