#include "store/rules/facts.hpp"

#include "store/rules/deletion.hpp"
#include "store/rules/inbox.hpp"
#include "store/rules/keys.hpp"
#include "store/rules/rates.hpp"
#include "store/rules/settling.hpp"

#include <algorithm>

namespace belay::store {

std::optional<RunFacts> Lookup::facts_of(const Run* run) const {
    if (run == nullptr) return std::nullopt;
    RunFacts facts;
    facts.ref = run->ref;
    facts.name = &run->name;
    facts.parent = run->parent ? &*run->parent : nullptr;
    facts.status = run->status;
    facts.execution = run->execution;
    facts.position = run->position;
    if (run->lock) facts.lock = run->lock->token;
    facts.locked = run->locked(rows_.now());
    facts.held = run->held;
    facts.waits = run->waits_for.has_value();
    facts.canceled = run->cancel.has_value();
    facts.in_line = run->place_in_line.has_value();
    const std::optional<Timestamp> expired = run->expired_from();
    facts.expired = expired && *expired <= rows_.now();
    facts.paused =
        rows_.has_pauses() && rows_.is_paused(PauseKind::definition,
                                              rows_.code_of(rows_.run_of(run->ref.key)).definition);
    facts.has_ready_message = run->has_ready_message(rows_.now());
    facts.message_room = run->message_room;
    facts.has_document = run->has_document;
    facts.on_fail = run->on_fail;
    facts.started_by_commit = run->started_by_commit;
    facts.last_commit = run->last_commit;
    return facts;
}

std::optional<RunFacts> Lookup::run(RunRef run) { return facts_of(rows_.find_run(run)); }

std::optional<RunFacts> Lookup::run(const InstanceName& name) {
    return facts_of(rows_.find_run(name));
}

NameFacts Lookup::name(const InstanceName& name) {
    const Holders holders = rows_.holders_of(name);
    NameFacts facts;
    const auto is_busy = [&](RunKey run) { return !is_at_rest(rows_, rows_.run_of(run)); };
    if (holders.current) {
        facts.holder = facts_of(&rows_.run_of(*holders.current));
        facts.busy = is_busy(*holders.current);
    }
    facts.busy = facts.busy || std::any_of(holders.formers.begin(), holders.formers.end(), is_busy);
    return facts;
}

Digest Lookup::input_digest(RunRef run) { return rows_.digest_of(rows_.run_of(run.key)); }

std::string Lookup::definition(RunRef run) {
    return rows_.code_of(rows_.run_of(run.key)).definition;
}

bool Lookup::is_paused(const std::string& definition) {
    return rows_.has_pauses() && rows_.is_paused(PauseKind::definition, definition);
}

std::vector<RunFacts> Lookup::concurrent(const ConcurrencyId& id) {
    std::vector<RunFacts> found;
    for (const ConcurrentRun& one : rows_.concurrent_runs(id, std::string::npos)) {
        found.push_back(*facts_of(&rows_.run_of(one.run)));
    }
    return found;
}

Timestamp Lookup::room_from(const RateId& id, const RateOfStarts& rate) {
    return store::room_from(rows_, id, rate);
}

std::uint64_t Lookup::waiting_messages(RunRef ref, std::uint64_t room) {
    const Run& run = rows_.run_of(ref.key);
    // The count cannot exceed the number of messages it was ever given. So only a run with a long
    // life needs a count.
    const std::uint64_t given = run.next_message - 1;
    return given < room ? given : rows_.count_messages(run);
}

std::vector<RunRef> Lookup::tree(RunRef root) {
    std::vector<RunRef> tree;
    for (const RunKey key : tree_of(rows_, rows_.run_of(root.key))) {
        tree.push_back(rows_.run_of(key).ref);
    }
    return tree;
}

bool Lookup::is_key_used(RunRef run) {
    return rows_.find_run(run.key) != nullptr || rows_.find_deleted_run(run);
}

std::optional<DeletedRun> Lookup::deleted_run(RunRef run) { return rows_.find_deleted_run(run); }

bool Lookup::has_document(const DocumentKey& key) { return rows_.has_document(key); }

Digest Lookup::document_of(RunRef run) { return rows_.document_of(rows_.run_of(run.key)); }

std::optional<ActivityFacts> Lookup::activity(const ActivityRef& ref) {
    const Run* run = rows_.find_run(ref.run);
    if (run == nullptr) return std::nullopt;
    // Commands ascend, so no query is needed to know that a new one is not there yet.
    if (ref.execution == run->execution && ref.command > run->last_activity) return std::nullopt;
    const Activity* activity = rows_.find_activity(ref);
    if (activity == nullptr) return std::nullopt;
    return ActivityFacts{activity->token, activity->leased_until <= rows_.now()};
}

bool Lookup::is_stopping(const ActivityRef& activity, LeaseToken token) {
    return rows_.has_stopping(StoppingKey{activity, token});
}

std::optional<MessageNo> Lookup::timer(RunRef ref, ExecutionNo execution, CommandNo command) {
    const Run* run = rows_.find_run(ref);
    return run == nullptr ? std::nullopt : store::find_timer(rows_, *run, execution, command);
}

std::optional<LetterFacts> Lookup::letter(std::uint64_t id) {
    const std::optional<Letter> letter = rows_.find_letter(id);
    if (!letter) return std::nullopt;
    return LetterFacts{letter->run, letter->message.command != 0};
}

std::optional<KeyFacts> Lookup::taken_key(const KeyId& id) {
    const std::optional<KeyRow> row = store::taken_key(rows_, id);
    if (!row) return std::nullopt;
    return KeyFacts{brief_of(rows_, id, *row), row->digest};
}

bool Lookup::has_key(const KeyId& id) { return rows_.find_key(id).has_value(); }

std::optional<Request> Lookup::request(const RequestKey& key) { return rows_.find_request(key); }

}  // namespace belay::store
