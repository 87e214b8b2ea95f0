// Reads: everything is looked through.
#include "base/sort_stably.hpp"
#include "base/utf8.hpp"
#include "naive/naive_store.hpp"

#include <algorithm>

namespace belay::naive {

namespace {

template <class Rows>
void cut(Rows& rows, std::size_t max) {
    if (rows.size() > max) rows.resize(max);
}

std::optional<std::string> parent_id(const State& state, const Run& run) {
    if (!run.about.parent) return std::nullopt;
    const Run* parent = state.find(run.about.parent->run);
    return parent == nullptr ? std::nullopt : std::optional(parent->about.name.id);
}

InstanceInfo info_of(const State& state, const Run& run, Timestamp now) {
    InstanceInfo info;
    info.run = run.ref();
    info.name = run.about.name;
    info.definition = run.about.definition;
    info.version = run.about.version;
    info.status = run.status;
    info.execution = run.execution();
    info.position = run.position();
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
    for (const Execution& execution : run.executions) {
        info.event_count += execution.info.events;
        for (const RecordedRow& row : execution.rows) info.history_bytes += row.row.bytes.size();
    }
    info.custom_status = run.custom_status;
    info.custom_status_version = run.custom_status_version;
    info.held = run.held;
    info.held_detail = run.held_detail;
    info.held_kind = run.held_kind;
    info.attempts = run.attempts;
    info.overruns = run.overruns;
    info.unregistered = run.unregistered;
    info.code_missing_since = run.code_missing_since;
    info.locked = run.locked(now);
    info.ready_messages = ready_messages(run, now).size();
    info.settled = settled(state, run);
    info.document = run.about.document;
    if (info.document) {
        info.document_number =
            state.documents.find({run.about.name.space, *info.document})->head.number;
    }
    info.on_fail = run.about.on_fail;
    info.on_fail_of = run.about.on_fail_of;
    info.key = run.key;
    info.priority = run.priority;
    info.expires_at = run.begin_by;
    info.deadline = run.end_by;
    if (run.concurrency) info.concurrency_key = run.concurrency->key;
    info.in_line = !run.ended() && run.line > 0;
    info.nothing_to_clean_up = run.nothing_to_clean_up && !run.ended();
    return info;
}

}  // namespace

ReadInstance::Answer read(const State& state, const ReadInstance& request, Timestamp now) {
    const Run* run = request.run ? state.find(*request.run) : state.find(request.name);
    if (run == nullptr) return std::nullopt;
    return info_of(state, *run, now);
}

ReadInstances::Answer read(const State& state, const ReadInstances& request, Timestamp now) {
    ReadInstances::Answer found;
    for (const ReadInstance& one : request.instances) found.push_back(read(state, one, now));
    return found;
}

ReadHistory::Answer read(const State& state, const ReadHistory& request, Timestamp /*now*/) {
    ReadHistory::Answer rows;
    const Run* run = state.find(request.run);
    if (run == nullptr) return rows;
    std::uint64_t events = 0;
    for (const Execution& execution : run->executions) {
        if (execution.info.execution != request.execution) continue;
        for (const RecordedRow& row : execution.rows) {
            if (row.first_event + row.row.count - 1 <= request.after) continue;
            if (!rows.empty() && events + row.row.count > request.max_events) break;
            events += row.row.count;
            rows.push_back(row);
        }
    }
    return rows;
}

ListExecutions::Answer read(const State& state, const ListExecutions& request, Timestamp /*now*/) {
    ListExecutions::Answer executions;
    const Run* run = state.find(request.run);
    if (run == nullptr) return executions;
    for (const Execution& one : run->executions) executions.push_back(one.info);
    executions.back().status = run->status;
    return executions;
}

ListChildren::Answer read(const State& state, const ListChildren& request, Timestamp /*now*/) {
    ListChildren::Answer children;
    for (const RunRef ref : children_of(state, request.run)) {
        children.push_back(state.find(ref)->brief());
    }
    return children;
}

ReadDocument::Answer read(const State& state, const ReadDocument& request, Timestamp /*now*/) {
    const Document* document = state.documents.find({request.space, request.digest});
    if (document == nullptr) return std::nullopt;
    return ReadDocument::Kept{document->head, document->text};
}

ListDocuments::Answer read(const State& state, const ListDocuments& request, Timestamp /*now*/) {
    std::map<DocumentPlace, DocumentInfo> all;
    for (const auto& [key, document] : state.documents) {
        const DocumentHead& head = document.head;
        const DocumentPlace place{head.name, head.number};
        if (key.first != request.space || (request.name && *request.name != head.name)) continue;
        if (request.after && place <= *request.after) continue;
        all[place] = DocumentInfo{head, users_of(state, key.first, key.second)};
    }
    ListDocuments::Answer page;
    for (const auto& [place, info] : all) page.push_back(info);
    cut(page, request.max);
    return page;
}

ListTree::Answer read(const State& state, const ListTree& request, Timestamp /*now*/) {
    ListTree::Answer names;
    const Run* root = state.find(request.name);
    if (root == nullptr) return names;
    for (const RunRef ref : tree_of(state, root->ref())) {
        const Run& run = *state.find(ref);
        if (run.named) names.push_back(run.brief());
    }
    return names;
}

// ---- Instances to delete or prune --------------------------------------------------------------

namespace {

InstanceMark mark_of(const State& state, const Run& run) {
    InstanceMark mark;
    mark.instance = run.brief();
    mark.definition = run.about.definition;
    mark.owner = run.about.owner;
    mark.root = !run.about.parent;
    mark.ended_at = run.ended_at;
    mark.settled = settled(state, run);
    mark.old_executions = run.executions.size() - 1;
    if (mark.old_executions > 0) mark.oldest_ended_at = run.executions.front().info.ended_at;
    mark.size = 0;
    for (const RunRef ref : tree_of(state, run.ref())) {
        const Run& one = *state.find(ref);
        mark.size += 1 + one.executions.size();
        for (const Execution& execution : one.executions) mark.size += execution.info.events;
    }
    for (const RunRef ref : formers_of(state, run.about.name)) {
        const Run& former = *state.find(ref);
        if (run.named && !former.about.parent && !settled(state, former)) {
            mark.formers_settled = false;
        }
    }
    return mark;
}

template <class T>
bool is_one_of(const std::optional<std::vector<T>>& wanted, const T& value) {
    return !wanted || std::find(wanted->begin(), wanted->end(), value) != wanted->end();
}

bool is_child_of(const Run& run, const Run* parent) {
    return parent != nullptr && run.about.parent && run.about.parent->run == parent->ref();
}

/// A part of its parent is seen by those who ask for it, for its parent, or for held runs.
bool is_left_out(const InstanceMatch& match, const Run& run) {
    if (!run.about.parent || match.all_parts) return false;
    return !match.parent.has_value() && !match.ids.has_value() && !match.held_only;
}

bool matches(const State& state, const InstanceMatch& match, const Run& run) {
    const auto is = [](const std::optional<std::string>& wanted, const std::string& value) {
        return !wanted || *wanted == value;
    };
    const auto has = [&](const auto& label) {
        const auto found = run.about.labels.find(label.first);
        return found != run.about.labels.end() && found->second == label.second;
    };
    return run.named && run.about.name.space == match.space &&
           is_one_of(match.statuses, run.status) && is_one_of(match.ids, run.about.name.id) &&
           is(match.definition, run.about.definition) && is(match.version, run.about.version) &&
           is(match.owner, run.about.owner) &&
           (!match.parent || is_child_of(run, state.find({match.space, *match.parent}))) &&
           std::all_of(match.labels.begin(), match.labels.end(), has) &&
           match.created.contains(run.created_at) &&
           (match.ended.empty() || (run.ended_at && match.ended.contains(*run.ended_at))) &&
           run.about.name.id.starts_with(match.id_prefix) &&
           !(match.roots_only && run.about.parent) && (!match.held_only || run.held) &&
           !(run.about.part && is_left_out(match, run));
}

using Which = SelectInstances;

bool is_ended_root(const Run& run) { return run.named && run.ended() && !run.about.parent; }
std::pair<Timestamp, RunKey> end_of(const Run& run) { return {*run.ended_at, run.ref().key}; }

std::vector<const Run*> chosen(const State& state, const Which& request, const Which::Any& which) {
    std::vector<const Run*> runs;
    for (const auto& [key, run] : state.runs) {
        if (matches(state, request, run) && (!which.after || key > *which.after)) {
            runs.push_back(&run);
        }
    }
    return runs;
}

std::vector<const Run*> chosen(const State& state,
                               const Which& request,
                               const Which::Ended& which) {
    std::vector<const Run*> runs;
    for (const auto& [key, run] : state.runs) {
        if (!matches(state, request, run) || !is_ended_root(run)) continue;
        if (!which.after || end_of(run) > *which.after) runs.push_back(&run);
    }
    std::sort(runs.begin(), runs.end(), [](auto* a, auto* b) { return end_of(*a) < end_of(*b); });
    return runs;
}

std::vector<const Run*> chosen(const State& state, const Which& request, const Which::Past& which) {
    Which all;
    all.space = request.space;
    all.definition = which.definition;
    all.statuses = std::vector{which.outcome};
    std::vector<const Run*> runs = chosen(state, all, Which::Ended());
    std::erase_if(runs, [&](const Run* run) { return which.by && *run->ended_at > *which.by; });
    const std::size_t count = runs.size();
    std::vector<const Run*> past;
    for (std::size_t i = 0; i < count; ++i) {
        const bool old = which.before && *runs[i]->ended_at < *which.before;
        const bool not_last = which.not_last && i + *which.not_last < count;
        if ((old || not_last) && (!which.after || end_of(*runs[i]) > *which.after)) {
            past.push_back(runs[i]);
        }
    }
    return past;
}

std::vector<const Run*> chosen(const State& state,
                               const Which& request,
                               const Which::Chains& which) {
    std::vector<const Run*> runs;
    for (const auto& [key, run] : state.runs) {
        if (matches(state, request, run) && run.executions.size() > 1 &&
            (!which.after || key > *which.after)) {
            runs.push_back(&run);
        }
    }
    return runs;
}

std::vector<const Run*> chosen(const State& state,
                               const Which& request,
                               const Which::Formers& which) {
    std::vector<const Run*> runs;
    for (const auto& [key, run] : state.runs) {
        if (run.about.name.space == request.space && !run.named && run.ended() &&
            !run.about.parent && (!which.after || key > *which.after)) {
            runs.push_back(&run);
        }
    }
    return runs;
}

}  // namespace

SelectInstances::Answer read(const State& state,
                             const SelectInstances& request,
                             Timestamp /*now*/) {
    SelectInstances::Answer marks;
    auto runs =
        std::visit([&](const auto& which) { return chosen(state, request, which); }, request.which);
    cut(runs, request.max);
    for (const Run* run : runs) marks.push_back(mark_of(state, *run));
    return marks;
}

ListOutcomes::Answer read(const State& state, const ListOutcomes& request, Timestamp /*now*/) {
    ListOutcomes::Answer all;
    for (const auto& [key, run] : state.runs) {
        const ListOutcomes::One one{run.about.definition, run.status};
        if (run.about.name.space == request.space && is_ended_root(run) &&
            (!request.after || one > *request.after)) {
            all.push_back(one);
        }
    }
    std::sort(all.begin(), all.end());
    all.erase(std::unique(all.begin(), all.end()), all.end());
    cut(all, request.max);
    return all;
}

ReadRetention::Answer read(const State& state, const ReadRetention& request, Timestamp /*now*/) {
    ReadRetention::Answer all;
    for (const auto& [space, policy] : state.retention) {
        if (request.space ? space != *request.space : request.after && space <= *request.after) {
            continue;
        }
        all.push_back(policy);
    }
    cut(all, request.max);
    return all;
}

KeyValues::Answer read(const State& state, const KeyValues& request, Timestamp /*now*/) {
    const Run* run = state.find(request.run);
    return run == nullptr ? KeyValues::Answer() : run->key_values;
}

ListDeadLetters::Answer read(const State& state, const ListDeadLetters& request, Timestamp now) {
    ListDeadLetters::Answer letters;
    for (const auto& [id, letter] : state.letters) {
        if (id <= request.after) continue;
        letters.push_back(letter);
        const DeletedRun* gone = state.gone.find(letter.run);
        if (const Run* run = state.find(letter.run)) {
            letters.back().instance = run->about.name;
        } else if (gone != nullptr && gone->until > now) {
            letters.back().instance = gone->brief.name;
        }
    }
    cut(letters, request.max);
    return letters;
}

// ---- Lists for people --------------------------------------------------------------------------

namespace {

std::vector<StoppingInfo> stopping_of(const State& state, RunRef run) {
    std::vector<StoppingInfo> all;
    for (const Stopping& one : state.stopping) {
        if (one.orphan || one.activity.run != run) continue;
        all.push_back({one.activity, one.token, one.worker, one.until, one.since});
    }
    std::sort(all.begin(), all.end(), [](const StoppingInfo& a, const StoppingInfo& b) {
        return std::pair(a.activity, a.token) < std::pair(b.activity, b.token);
    });
    return all;
}

ListedInstance listed(const State& state, const Run& run) {
    ListedInstance made;
    made.instance = run.brief();
    made.definition = run.about.definition;
    made.version = run.about.version;
    made.owner = run.about.owner;
    made.started_by = run.about.started_by;
    made.execution = run.execution();
    made.created_at = run.created_at;
    made.started_at = run.started_at;
    made.ended_at = run.ended_at;
    made.parent_id = parent_id(state, run);
    made.cancel = run.cancel;
    made.held = run.held;
    made.held_detail = run.held_detail;
    if (run.status == Status::failed) {
        constexpr std::size_t kBeginning = 200;
        made.failure = run.outcome->failure;
        made.failure->message = base::shortened(made.failure->message, kBeginning);
        made.failure->detail.clear();
    }
    made.labels = run.about.labels;
    return made;
}

using Place = std::tuple<Timestamp, std::string, RunKey>;
Place place_of(const Run& run, InstanceOrder order) {
    Place place{Timestamp(), "", run.ref().key};
    if (order == InstanceOrder::created) std::get<0>(place) = run.created_at;
    if (order == InstanceOrder::ended) std::get<0>(place) = *run.ended_at;
    if (order == InstanceOrder::id) std::get<1>(place) = run.about.name.id;
    return place;
}

}  // namespace

ListInstances::Answer read(const State& state, const ListInstances& request, Timestamp /*now*/) {
    std::map<Place, const Run*> found;
    for (const auto& [key, run] : state.runs) {
        if (!matches(state, request, run)) continue;
        if (request.order == InstanceOrder::ended && !run.ended()) continue;
        found[place_of(run, request.order)] = &run;
    }
    ListInstances::Answer page;
    for (const auto& [place, run] : found) {
        if (request.after) {
            const Place after{request.after->at, request.after->id, request.after->key};
            if (request.descending ? place >= after : place <= after) continue;
        }
        page.push_back(listed(state, *run));
    }
    if (request.descending) std::reverse(page.begin(), page.end());
    cut(page, request.max);
    return page;
}

CountInstances::Answer read(const State& state, const CountInstances& request, Timestamp /*now*/) {
    std::map<std::pair<std::string, Status>, std::uint64_t> counts;
    for (const auto& [key, run] : state.runs) {
        if (matches(state, request, run)) ++counts[{run.about.definition, run.status}];
    }
    CountInstances::Answer all;
    for (const auto& [what, count] : counts) all.push_back({what.first, what.second, count});
    return all;
}

ListKeys::Answer read(const State& state, const ListKeys& request, Timestamp now) {
    ListKeys::Answer page;
    for (const auto& [id, key] : state.keys) {
        const auto& [space, owner, definition, name] = id;
        if (space != request.space || (request.owner && owner != *request.owner) ||
            (request.definition && definition != *request.definition) ||
            !name.starts_with(request.prefix) ||
            (request.after && KeyPlace{owner, definition, name} <= *request.after)) {
            continue;
        }
        const Run* run = state.find(key.run);
        page.push_back(
            {owner,
             definition,
             name,
             key.scope,
             key.until,
             run != nullptr ? run->brief() : InstanceBrief{key.run, key.name, *key.deleted, true},
             is_taken(state, key, now)});
    }
    cut(page, request.max);
    return page;
}

ReadOpenWork::Answer read(const State& state, const ReadOpenWork& request, Timestamp now) {
    const Run* run = request.run ? state.find(*request.run) : state.find(request.name);
    if (run == nullptr) return std::nullopt;
    OpenWork work;
    work.info = info_of(state, *run, now);
    work.as_of = now;
    work.parent_id = parent_id(state, *run);
    if (run->locked(now)) {
        work.lock_worker = run->lock->worker;
        work.lock_until = run->lock->until;
    }
    if (ready_at(*run) != kNever) work.claimable_at = ready_at(*run);
    work.waits_for_former = run->waits_for.has_value();
    for (const RunRef ref : children_of(state, run->ref())) {
        const Run& child = *state.find(ref);
        ++work.children;
        if (child.ended()) continue;
        const ParentLink& link = *child.about.parent;
        work.open_children.push_back({child.brief(), link.execution, link.command});
    }
    base::sort_stably(work.open_children, [](const OpenChild& a, const OpenChild& b) {
        return std::pair(a.execution, a.command) < std::pair(b.execution, b.command);
    });
    work.activities = read(state, ListActivities{run->ref()}, now);
    work.stopping = stopping_of(state, run->ref());
    std::uint32_t plain = 0;
    std::uint32_t timed = 0;
    for (const Waiting& one : run->inbox) {
        const bool timer = one.timer || one.unstarted;
        ++(timer ? work.timer_count : work.message_count);
        if ((one.timed ? timed : plain)++ >= request.max_messages) continue;
        work.messages.push_back({one.number,
                                 one.content.kind,
                                 one.content.name,
                                 one.content.execution,
                                 one.content.command,
                                 one.at,
                                 timer});
    }
    return work;
}

}  // namespace belay::naive
