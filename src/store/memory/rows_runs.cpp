// Runs, and their data beside their rows.
#include "store/memory/table_rows.hpp"

#include <algorithm>
#include <cstdlib>
#include <utility>

namespace belay::memory {

namespace {

Run& row_of(store::Run& run) { return static_cast<Run&>(run); }
const Run& row_of(const store::Run& run) { return static_cast<const Run&>(run); }

/// Reads several ordered sets as one.
class ReadyHeads {
public:
    explicit ReadyHeads(const std::vector<const std::set<ReadyKey>*>& sets) {
        for (const std::set<ReadyKey>* one : sets) heads_.emplace_back(one->begin(), one->end());
    }
    /// Returns null if there is none.
    const ReadyKey* next() {
        Head* best = nullptr;
        for (Head& head : heads_) {
            if (head.first == head.second) continue;
            if (best == nullptr || *head.first < *best->first) best = &head;
        }
        return best == nullptr ? nullptr : &*best->first++;
    }

private:
    using Iterator = std::set<ReadyKey>::const_iterator;
    using Head = std::pair<Iterator, Iterator>;  ///< The next one, and the end.

    std::vector<Head> heads_;
};

void remove_name(Tables& tables, const Run& run) {
    const auto current = tables.names.find(run.name);
    if (current != tables.names.end() && current->second == run.ref) {
        tables.names.erase(current);
        return;
    }
    const auto formers = tables.formers.find(run.name);
    BELAY_ASSERT(formers != tables.formers.end() && formers->second.erase(run.ref) == 1);
    if (formers->second.empty()) tables.formers.erase(formers);
}

}  // namespace

void TableRows::damaged(const std::string& what) const {
    BELAY_ASSERT(what.empty());
    std::abort();
}

// ---- Rows --------------------------------------------------------------------------------------

store::Run* TableRows::load_run(RunKey key) {
    const auto ref = tables_.runs_by_key.find(key);
    return ref == tables_.runs_by_key.end() ? nullptr : memory::find_run(tables_, ref->second);
}

store::Run& TableRows::add_run(const NewInstance& instance) {
    const auto [row, inserted] = tables_.runs.try_emplace(instance.run);
    BELAY_ASSERT(inserted);
    BELAY_ASSERT(tables_.runs_by_key.emplace(instance.run.key, instance.run).second);
    BELAY_ASSERT(tables_.names.emplace(instance.name, instance.run).second);
    Run& run = row->second;
    run.about = instance;
    run.executions.emplace_back();
    add_user(tables_, run);
    if (instance.parent) {
        memory::run_of(tables_, instance.parent->run).children.push_back(instance.run);
    }
    return run;
}

void TableRows::write_run(store::Run& run) {
    Run& row = row_of(run);
    if (run.birth) {
        row.input_digest = run.birth->digest;
        if (run.birth->key) {
            row.key = KeyId{
                run.name.space, row.about.owner, row.about.definition, std::move(*run.birth->key)};
        }
    }
    if (run.new_outcome) row.outcome = std::move(*run.new_outcome);
    ExecutionInfo& current = row.executions.back().info;
    current.execution = run.execution;
    current.events = run.position;
    current.started_at = run.execution_at;
    current.ended_at = run.ended_at;
    refresh(tables_, row);
}

std::uint64_t TableRows::erase_run(store::Run& run) {
    Run& row = row_of(run);
    const RunRef ref = run.ref;
    const std::uint64_t executions = row.executions.size();
    const StoppingKey first{ActivityRef{ref, 0, 0}, LeaseToken()};
    auto stopping = tables_.stopping.lower_bound(first);
    while (stopping != tables_.stopping.end() && stopping->first.first.run == ref) {
        const StoppingKey key = (stopping++)->first;
        remove_stopping(tables_, key);
    }
    unindex(tables_, row);
    remove_name(tables_, row);
    remove_user(tables_, row);
    tables_.runs_by_key.erase(ref.key);
    tables_.output.erase(ref);
    tables_.runs.erase(ref);
    return executions;
}

store::Holders TableRows::holders_of(const InstanceName& name) {
    store::Holders holders;
    const auto current = tables_.names.find(name);
    if (current != tables_.names.end()) holders.current = current->second.key;
    const auto formers = tables_.formers.find(name);
    if (formers == tables_.formers.end()) return holders;
    for (const RunRef former : formers->second) holders.formers.push_back(former.key);
    return holders;
}

bool TableRows::has_former_roots(const std::string&) { return !tables_.formers.empty(); }

const store::RunCode& TableRows::code_of(store::Run& run) {
    const NewInstance& about = row_of(run).about;
    return run.code.emplace(
        store::RunCode{about.definition, about.version, about.document.has_value()});
}

Digest TableRows::digest_of(const store::Run& run) { return row_of(run).input_digest; }

std::optional<KeyId> TableRows::key_of(const store::Run& run) { return row_of(run).key; }

void TableRows::describe(const store::Run& run, ClaimedInstance& item) {
    const NewInstance& about = row_of(run).about;
    item.definition = about.definition;
    item.version = about.version;
    item.owner = about.owner;
    item.input = about.input;
    item.headers = about.headers;
    item.document = about.document;
    item.on_fail_of = about.on_fail_of;
}

std::pair<Labels, std::string> TableRows::labels_of(const store::Run& run) {
    const NewInstance& about = row_of(run).about;
    return {about.labels, about.started_by};
}

Digest TableRows::document_of(const store::Run& run) {
    BELAY_ASSERT(run.has_document);
    return *row_of(run).about.document;
}

void TableRows::set_next_input(store::Run& run, const Payload& input, const std::string& version) {
    row_of(run).about.input = input;
    row_of(run).about.version = version;
}

void TableRows::set_former(store::Run& run) {
    run.former = true;
    tables_.names.erase(run.name);
    tables_.formers[run.name].insert(run.ref);
}

void TableRows::set_version(store::Run& run, const std::string& version) {
    row_of(run).about.version = version;
}

void TableRows::set_custom_status(store::Run& run, const Payload& status) {
    row_of(run).custom_status = status;
}

void TableRows::set_hold_reason(store::Run& run, const std::optional<store::HoldReason>& reason) {
    Run& row = row_of(run);
    row.held_detail = reason ? reason->detail : std::string();
    row.held_kind = reason ? std::optional(reason->kind) : std::nullopt;
    if (reason) row.held_since = now();
}

void TableRows::insert_history(const store::Run& run, const HistoryRow& history) {
    Run& row = memory::run_of(tables_, run.ref);
    row.executions.back().history.push_back(RecordedRow{run.position + 1, history});
}

void TableRows::close_execution(const store::Run& run, Timestamp ended_at) {
    Run& row = memory::run_of(tables_, run.ref);
    ExecutionInfo& over = row.executions.back().info;
    over.execution = run.execution;
    over.status = Status::continued_as_new;
    over.events = run.position;
    over.started_at = run.execution_at;
    over.ended_at = ended_at;
    row.executions.emplace_back();
}

void TableRows::each_old_execution(const store::Run& run,
                                   std::uint32_t keep,
                                   const std::optional<Timestamp>& ended_before,
                                   const store::Visit<store::OldExecution>& visit) {
    const std::vector<Execution>& all = row_of(run).executions;
    for (std::size_t i = 0; i + 1 + keep < all.size(); ++i) {
        const ExecutionInfo& info = all[i].info;
        if (ended_before && *info.ended_at >= *ended_before) continue;
        store::OldExecution old{info.execution, info.events, 0};
        for (const RecordedRow& row : all[i].history) old.bytes += row.row.bytes.size();
        if (!visit(old)) return;
    }
}

void TableRows::erase_execution(const store::Run& run, ExecutionNo execution) {
    std::erase_if(memory::run_of(tables_, run.ref).executions,
                  [&](const Execution& one) { return one.info.execution == execution; });
}

void TableRows::change_key_value(const store::Run& run, const KeyValueChange& change) {
    std::map<std::string, Payload>& values = memory::run_of(tables_, run.ref).key_values;
    if (change.value) {
        values.insert_or_assign(change.key, *change.value);
    } else if (change.key.empty()) {
        values.clear();
    } else {
        values.erase(change.key);
    }
}

// ---- Lists -------------------------------------------------------------------------------------

std::vector<RunKey> TableRows::children_of(const store::Run& run) {
    std::vector<RunKey> found;
    for (const RunRef child : row_of(run).children) found.push_back(child.key);
    return found;
}

std::vector<RunKey> TableRows::dependent_children_of(const store::Run& run) {
    flush();
    std::vector<RunKey> found;
    for (const auto& [command, child] : row_of(run).open_children) {
        const Run& row = memory::run_of(tables_, child);
        if (row.parent_close != ParentClose::abandon) found.push_back(child.key);
    }
    return found;
}

bool TableRows::has_dependent_children(const store::Run& run) {
    return !dependent_children_of(run).empty();
}

std::vector<RunKey> TableRows::unsettled_dependents_of(const store::Run& run) {
    std::vector<RunKey> found;
    if (run.unsettled_children == 0) return found;
    for (const RunRef child : row_of(run).children) {
        const Run* const row = memory::find_run(tables_, child);
        if (row == nullptr || row->settled || row->parent_close == ParentClose::abandon) continue;
        found.push_back(child.key);
    }
    return found;
}

std::vector<RunKey> TableRows::open_children_of(const store::Run& run, CommandNo command) {
    flush();
    std::vector<RunKey> found;
    const auto& open = row_of(run).open_children;
    const CommandRef wanted{run.execution, command};
    auto child = open.lower_bound({wanted, RunRef()});
    for (; child != open.end() && child->first == wanted; ++child) {
        found.push_back(child->second.key);
    }
    return found;
}

std::vector<RunKey> TableRows::waiting_for(RunKey run) {
    flush();
    const auto found = tables_.waiters.find(run);
    if (found == tables_.waiters.end()) return {};
    return {found->second.begin(), found->second.end()};
}

std::vector<RunKey> TableRows::past_deadline(std::uint32_t max) {
    flush();
    std::vector<RunKey> found;
    for (const auto& [deadline, ref] : tables_.deadlines) {
        if (deadline > now() || found.size() == max) break;
        found.push_back(ref.key);
    }
    return found;
}

std::vector<RunKey> TableRows::locked_by(std::uint64_t holder, std::uint32_t max) {
    flush();
    std::vector<RunKey> found;
    // Scans all runs, as SQLite scans the locked ones: a death is rare.
    for (const auto& [ref, run] : tables_.runs) {
        if (run.lock && run.lock->token.holder == holder && run.lock->until > now()) {
            found.push_back(ref.key);
        }
    }
    std::sort(found.begin(), found.end());
    if (found.size() > max) found.resize(max);
    return found;
}

void TableRows::each_ready(const std::vector<Shard>& shards,
                           const store::Visit<store::ReadyRun>& visit) {
    flush();
    ReadyHeads heads(tables_.ready.of(shards));
    while (const ReadyKey* const key = heads.next()) {
        const Run& run = memory::run_of(tables_, key->run());
        if (!visit(store::ReadyRun{key->key,
                                   key->at,
                                   run.about.definition,
                                   run.about.version,
                                   run.about.document.has_value(),
                                   run.late_at})) {
            return;
        }
    }
}

void TableRows::add_put_off(store::Run& run) {
    row_of(run).put_off = true;
    touch(run);
}

void TableRows::remove_put_off(RunKey run) {
    store::Run* const found = load_run(run);
    if (found == nullptr || !row_of(*found).put_off) return;
    row_of(*found).put_off = false;
    touch(*found);
}

bool TableRows::is_put_off(RunKey run) {
    const store::Run* const found = load_run(run);
    return found != nullptr && row_of(*found).put_off;
}

std::optional<store::CodeKey> TableRows::put_off_code(const store::CodeKey& after) {
    flush();
    const auto next = tables_.put_off.upper_bound(after);
    return next == tables_.put_off.end() ? std::nullopt : std::optional(next->first);
}

std::vector<RunKey> TableRows::put_off_runs(const store::CodeKey& code, std::size_t max) {
    std::vector<RunKey> found;
    const auto runs = tables_.put_off.find(code);
    if (runs == tables_.put_off.end()) return found;
    for (const auto& [key, shard] : runs->second) {
        if (found.size() == max) break;
        found.push_back(key);
    }
    return found;
}

// ---- Concurrency keys --------------------------------------------------------------------------

std::vector<store::ConcurrentRun> TableRows::concurrent_runs(const store::ConcurrencyId& id,
                                                             std::size_t waiting) {
    std::vector<store::ConcurrentRun> found;
    const auto runs = tables_.concurrent.find(id);
    if (runs == tables_.concurrent.end()) return found;
    for (const auto& [place, when_busy] : runs->second) {
        if (place.first > 0 && waiting-- == 0) break;
        found.push_back(store::ConcurrentRun{place.second, place.first, when_busy});
    }
    return found;
}

std::uint64_t TableRows::last_in_line(const store::ConcurrencyId& id) {
    const auto runs = tables_.concurrent.find(id);
    return runs == tables_.concurrent.end() ? 0 : runs->second.rbegin()->first.first;
}

void TableRows::insert_concurrent(const store::ConcurrencyId& id, const store::ConcurrentRun& run) {
    const bool inserted =
        tables_.concurrent[id].emplace(std::pair(run.place, run.run), run.when_busy).second;
    BELAY_ASSERT(inserted);
}

void TableRows::erase_concurrent(const store::ConcurrencyId& id, const store::ConcurrentRun& run) {
    const auto runs = tables_.concurrent.find(id);
    if (runs == tables_.concurrent.end()) return;
    runs->second.erase({run.place, run.run});
    if (runs->second.empty()) tables_.concurrent.erase(runs);
}

}  // namespace belay::memory
