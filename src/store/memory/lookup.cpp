#include "store/memory/lookup.hpp"

#include "store/memory/deletion.hpp"
#include "store/memory/keys.hpp"

#include <algorithm>

namespace belay::memory {

std::optional<store::RunFacts> Lookup::facts_of(const Run* run) const {
    if (run == nullptr) return std::nullopt;
    store::RunFacts facts;
    facts.ref = run->ref();
    facts.name = &run->about.name;
    facts.parent = run->about.parent ? &*run->about.parent : nullptr;
    facts.status = run->status;
    facts.execution = run->execution;
    facts.position = run->position;
    if (run->lock) facts.lock = run->lock->token;
    facts.locked = run->locked(now_);
    facts.held = run->held;
    facts.waits = run->waits_for.has_value();
    facts.canceled = run->cancel.has_value();
    facts.has_ready_message = run->has_ready_message(now_);
    facts.message_room = run->message_room;
    facts.started_by_commit = run->started_by_commit;
    facts.last_commit = run->last_commit;
    return facts;
}

std::optional<store::RunFacts> Lookup::run(RunRef run) { return facts_of(find_run(tables_, run)); }

std::optional<store::RunFacts> Lookup::run(const InstanceName& name) {
    return facts_of(find_run(tables_, name));
}

store::NameFacts Lookup::name(const InstanceName& name) {
    store::NameFacts facts;
    const Run* const holder = find_run(tables_, name);
    facts.holder = facts_of(holder);
    facts.busy = holder != nullptr && !is_at_rest(tables_, *holder);
    const auto formers = tables_.formers.find(name);
    if (facts.busy || formers == tables_.formers.end()) return facts;
    facts.busy = std::any_of(formers->second.begin(), formers->second.end(), [&](RunRef former) {
        return !is_at_rest(tables_, *find_run(tables_, former));
    });
    return facts;
}

Digest Lookup::input_digest(RunRef run) { return find_run(tables_, run)->input_digest; }

std::uint64_t Lookup::waiting_messages(RunRef ref, std::uint64_t room) {
    const std::map<InboxKey, Waiting>& inbox = find_run(tables_, ref)->inbox;
    if (inbox.size() < room) return inbox.size();
    return static_cast<std::uint64_t>(
        std::count_if(inbox.begin(), inbox.end(), [](const auto& one) {
            return one.second.content.command == 0;
        }));
}

std::vector<RunRef> Lookup::tree(RunRef root) { return tree_of(tables_, *find_run(tables_, root)); }

bool Lookup::is_key_used(RunRef run) {
    return find_run(tables_, run) != nullptr || tables_.gone.contains(run);
}

std::optional<store::Gone> Lookup::gone(RunRef run) {
    const auto found = tables_.gone.find(run);
    if (found == tables_.gone.end()) return std::nullopt;
    return found->second;
}

std::optional<store::ActivityFacts> Lookup::activity(const ActivityRef& ref) {
    const Activity* activity = find_activity(tables_, ref);
    if (activity == nullptr) return std::nullopt;
    return store::ActivityFacts{activity->token, activity->leased_until <= now_};
}

bool Lookup::is_stopping(const ActivityRef& activity, LeaseToken token) {
    return tables_.stopping.contains(StoppingKey{activity, token});
}

std::optional<MessageNo> Lookup::timer(RunRef ref, ExecutionNo execution, CommandNo command) {
    const Run* run = find_run(tables_, ref);
    if (run == nullptr) return std::nullopt;
    const auto timer = run->timers.find(CommandRef{execution, command});
    if (timer == run->timers.end()) return std::nullopt;
    return timer->second.second;
}

std::optional<store::LetterFacts> Lookup::letter(std::uint64_t id) {
    const auto letter = tables_.dead_letters.find(id);
    if (letter == tables_.dead_letters.end()) return std::nullopt;
    return store::LetterFacts{letter->second.run, letter->second.message.command != 0};
}

std::optional<store::KeyFacts> Lookup::taken_key(const KeyId& id) {
    const KeyRow* row = memory::taken_key(tables_, id, now_);
    if (row == nullptr) return std::nullopt;
    return store::KeyFacts{brief_of(tables_, *row), row->input_digest};
}

bool Lookup::has_key(const KeyId& id) { return tables_.keys.contains(id); }

std::optional<store::Request> Lookup::request(const RequestKey& key) {
    const auto found = tables_.requests.find(key);
    if (found == tables_.requests.end() || found->second.until <= now_) return std::nullopt;
    return found->second;
}

}  // namespace belay::memory
