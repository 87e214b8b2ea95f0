#include "store/sqlite/lookup.hpp"

#include "store/sqlite/deletion.hpp"
#include "store/sqlite/ending.hpp"
#include "store/sqlite/keys.hpp"

#include <algorithm>

namespace belay::sqlite {

namespace {

/// From here on one query for all of them is less work than one for each.
constexpr std::size_t kMany = 3;

}  // namespace

void Lookup::read_ahead(const Transition& transition) {
    if (transition.parts.size() < kMany) return;
    const auto* const first = std::get_if<AckActivity>(&transition.parts.front());
    if (first == nullptr) return;
    ActivityRef lowest = first->activity;
    CommandNo last = lowest.command;
    std::size_t count = 0;
    for (const Part& part : transition.parts) {
        const auto* const ack = std::get_if<AckActivity>(&part);
        if (ack == nullptr) break;
        const ActivityRef& ref = ack->activity;
        if (ref.run != lowest.run || ref.execution != lowest.execution) return;
        lowest.command = std::min(lowest.command, ref.command);
        last = std::max(last, ref.command);
        ++count;
    }
    // Not with so many others among them that reading those too is more work.
    if (count >= kMany && last - lowest.command < 2 * count) tables_.read_activities(lowest, last);
}

std::optional<store::RunFacts> Lookup::facts_of(const Run* run) const {
    if (run == nullptr) return std::nullopt;
    store::RunFacts facts;
    facts.ref = run->ref;
    facts.name = &run->name;
    facts.parent = run->parent ? &*run->parent : nullptr;
    facts.status = run->status;
    facts.execution = run->execution;
    facts.position = run->position;
    if (run->lock) facts.lock = run->lock->token;
    facts.locked = run->locked(tables_.now());
    facts.held = run->held;
    facts.waits = run->waits_for.has_value();
    facts.canceled = run->cancel.has_value();
    facts.has_ready_message = run->has_ready_message(tables_.now());
    facts.message_room = run->message_room;
    facts.started_by_commit = run->started_by_commit;
    facts.last_commit = run->last_commit;
    return facts;
}

std::optional<store::RunFacts> Lookup::run(RunRef run) { return facts_of(tables_.find_run(run)); }

std::optional<store::RunFacts> Lookup::run(const InstanceName& name) {
    return facts_of(tables_.find_run(name));
}

store::NameFacts Lookup::name(const InstanceName& name) {
    const Tables::Holders holders = tables_.holders_of(name);
    store::NameFacts facts;
    const auto is_busy = [&](RunKey run) { return !is_at_rest(tables_, tables_.run_of(run)); };
    if (holders.current) {
        facts.holder = facts_of(&tables_.run_of(*holders.current));
        facts.busy = is_busy(*holders.current);
    }
    facts.busy = facts.busy || std::any_of(holders.formers.begin(), holders.formers.end(), is_busy);
    return facts;
}

Digest Lookup::input_digest(RunRef run) { return tables_.digest_of(tables_.run_of(run.key)); }

std::uint64_t Lookup::waiting_messages(RunRef ref, std::uint64_t room) {
    const Run& run = tables_.run_of(ref.key);
    // There cannot be more than it was ever given; only a run with a long life is looked at
    // closely.
    const std::uint64_t given = run.next_message - 1;
    return given < room ? given : tables_.count_messages(run);
}

std::vector<RunRef> Lookup::tree(RunRef root) {
    std::vector<RunRef> tree;
    for (const RunKey key : tree_of(tables_, tables_.run_of(root.key))) {
        tree.push_back(tables_.run_of(key).ref);
    }
    return tree;
}

bool Lookup::is_key_used(RunRef run) {
    return tables_.find_run(run.key) != nullptr || tables_.find_gone(run);
}

std::optional<store::Gone> Lookup::gone(RunRef run) { return tables_.find_gone(run); }

std::optional<store::ActivityFacts> Lookup::activity(const ActivityRef& ref) {
    const Run* run = tables_.find_run(ref.run);
    if (run == nullptr) return std::nullopt;
    // Commands ascend: that a new one is not there yet needs no query.
    if (ref.execution == run->execution && ref.command > run->last_activity) return std::nullopt;
    const Activity* activity = tables_.find_activity(ref);
    if (activity == nullptr) return std::nullopt;
    return store::ActivityFacts{activity->token, activity->leased_until <= tables_.now()};
}

bool Lookup::is_stopping(const ActivityRef& activity, LeaseToken token) {
    return tables_.has_stopping(StoppingKey{activity, token});
}

std::optional<MessageNo> Lookup::timer(RunRef ref, ExecutionNo execution, CommandNo command) {
    const Run* run = tables_.find_run(ref);
    return run == nullptr ? std::nullopt : tables_.find_timer(*run, execution, command);
}

std::optional<store::LetterFacts> Lookup::letter(std::uint64_t id) {
    const std::optional<Letter> letter = tables_.find_letter(id);
    if (!letter) return std::nullopt;
    return store::LetterFacts{letter->run, letter->message.command != 0};
}

std::optional<store::KeyFacts> Lookup::taken_key(const KeyId& id) {
    const std::optional<KeyRow> row = sqlite::taken_key(tables_, id);
    if (!row) return std::nullopt;
    return store::KeyFacts{brief_of(tables_, id, *row), row->digest};
}

bool Lookup::has_key(const KeyId& id) { return tables_.find_key(id).has_value(); }

std::optional<store::Request> Lookup::request(const RequestKey& key) {
    return tables_.find_request(key);
}

}  // namespace belay::sqlite
