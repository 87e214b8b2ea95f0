#include "conformance/recorded_rows.hpp"

#include "store/memory/reads.hpp"
#include "store/rules/claims.hpp"
#include "store/rules/commit.hpp"

namespace belay::conformance {

using memory::TableRows;

void RecordedRows::prefetch(std::span<const Transition> batch) {
    ++prefetches_;
    const store::NamedRows named = store::rows_named_by(batch);
    const auto take = [](auto& known, const auto& keys) {
        known.loaded.insert(keys.begin(), keys.end());
    };
    for (const RunRef& run : named.runs) runs_.loaded.insert(run.key);
    take(gone_, named.runs);
    take(names_, named.names);
    take(activities_, named.activities);
    take(stopping_, named.stopping);
    take(messages_, named.messages);
    take(timers_, named.timers);
    take(keys_, named.keys);
    take(requests_, named.requests);
    take(letters_, named.letters);
    take(rates_, named.rates);
    take(queues_, named.queues);
    take(holders_, named.holders);
    take(tokens_, named.tokens);
    take(documents_, named.documents);
    take(attempts_, named.attempts);
    for (const auto& [run, attempt] : named.attempts) output_.loaded.insert(run);
    for (const Transition& transition : batch) {
        for (const Part& part : transition.parts) {
            const auto* turn = std::get_if<Turn>(&part);
            if (turn == nullptr) continue;
            for (const NewActivity& one : turn->activities) {
                if (one.hand_over) wanted_sessions_.emplace(turn->run.key, one.session);
            }
        }
    }
    // The rows of a name are loaded with it.
    for (const InstanceName& name : named.names) {
        const store::Holders holders = TableRows::holders_of(name);
        if (holders.current) runs_.loaded.insert(*holders.current);
        take(runs_, holders.formers);
    }
}

template <class Key>
void RecordedRows::look_up(Known<Key>& known, const Key& key, const char* kind) {
    if (!known.loaded.insert(key).second) return;
    ++later_loads_;
    if (!known.reachable.contains(key)) faults_.emplace_back(kind);
}

std::vector<RunKey> RecordedRows::listed(std::vector<RunKey> runs) {
    runs_.reachable.insert(runs.begin(), runs.end());
    return runs;
}

std::vector<ActivityRef> RecordedRows::listed(std::vector<ActivityRef> activities) {
    activities_.reachable.insert(activities.begin(), activities.end());
    for (const ActivityRef& activity : activities) {
        runs_.reachable.insert(activity.run.key);
        timers_.reachable.insert({activity.run, {activity.execution, activity.command}});
    }
    return activities;
}

std::vector<store::StoppingKey> RecordedRows::listed(std::vector<store::StoppingKey> stopping) {
    for (const store::StoppingKey& key : stopping) {
        stopping_.reachable.insert(key);
        tokens_.reachable.insert(key.second);
        runs_.reachable.insert(key.first.run.key);
    }
    return stopping;
}

void RecordedRows::reach(const store::Run& run) {
    output_.reachable.insert(run.ref);
    if (run.parent) runs_.reachable.insert(run.parent->run.key);
    names_.reachable.insert(run.name);
    if (run.on_fail) {
        const RunKey key = run.on_fail->key;
        runs_.reachable.insert({key, RunKey{key.value + 1}});
        names_.reachable.insert({run.name.space, on_fail_id(run.name.id)});
        const std::string other = other_on_fail_id(run.name.id, key);
        names_.reachable.insert({run.name.space, other});
        names_.reachable.insert({run.name.space, other + "." + std::to_string(key.value)});
    }
    const auto [first, end] = wanted_sessions_.equal_range(run.ref.key);
    for (auto at = first; at != end; ++at) {
        sessions_.reachable.insert({run.name.space, at->second});
    }
}

void RecordedRows::reach(const store::Activity& activity) {
    queues_.reachable.insert(activity.queue);
    if (activity.token) tokens_.reachable.insert(*activity.token);
    if (activity.session.empty()) return;
    const store::Run* run = TableRows::load_run(activity.ref.run.key);
    sessions_.reachable.insert({run->name.space, activity.session});
}

// ---- Runs --------------------------------------------------------------------------------------

store::Run* RecordedRows::load_run(RunKey key) {
    look_up(runs_, key, "a run");
    store::Run* run = TableRows::load_run(key);
    if (run != nullptr) reach(*run);
    return run;
}

store::Run& RecordedRows::add_run(const NewInstance& instance) {
    runs_.loaded.insert(instance.run.key);
    return TableRows::add_run(instance);
}

store::Holders RecordedRows::holders_of(const InstanceName& name) {
    look_up(names_, name, "a name");
    store::Holders holders = TableRows::holders_of(name);
    if (holders.current) runs_.reachable.insert(*holders.current);
    runs_.reachable.insert(holders.formers.begin(), holders.formers.end());
    return holders;
}

std::optional<store::KeyId> RecordedRows::key_of(const store::Run& run) {
    std::optional<store::KeyId> key = TableRows::key_of(run);
    if (key) keys_.reachable.insert(*key);
    return key;
}

std::vector<RunKey> RecordedRows::children_of(const store::Run& run) {
    return listed(TableRows::children_of(run));
}
std::vector<RunKey> RecordedRows::dependent_children_of(const store::Run& run) {
    return listed(TableRows::dependent_children_of(run));
}
std::vector<RunKey> RecordedRows::unsettled_dependents_of(const store::Run& run) {
    return listed(TableRows::unsettled_dependents_of(run));
}
std::vector<RunKey> RecordedRows::open_children_of(const store::Run& run, CommandNo command) {
    return listed(TableRows::open_children_of(run, command));
}
std::vector<RunKey> RecordedRows::waiting_for(RunKey run) {
    return listed(TableRows::waiting_for(run));
}
std::vector<RunKey> RecordedRows::past_deadline(std::uint32_t max) {
    return listed(TableRows::past_deadline(max));
}
std::vector<RunKey> RecordedRows::locked_by(std::uint64_t holder, std::uint32_t max) {
    return listed(TableRows::locked_by(holder, max));
}

std::vector<store::ConcurrentRun> RecordedRows::concurrent_runs(const store::ConcurrencyId& id,
                                                                std::size_t waiting) {
    std::vector<store::ConcurrentRun> runs = TableRows::concurrent_runs(id, waiting);
    std::vector<RunKey> keys;
    for (const store::ConcurrentRun& one : runs) keys.push_back(one.run);
    (void)listed(std::move(keys));
    return runs;
}

std::optional<store::RatePlace> RecordedRows::last_rate_place(const store::RateId& id) {
    look_up(rates_, id, "a rate");
    return TableRows::last_rate_place(id);
}

std::optional<store::RatePlace> RecordedRows::find_rate_place(const store::RateId& id,
                                                              std::uint64_t number) {
    look_up(rates_, id, "a rate");
    return TableRows::find_rate_place(id, number);
}

// ---- Inboxes -----------------------------------------------------------------------------------

store::TakenOut RecordedRows::erase_waiting(store::Run& run, MessageNo number) {
    look_up(messages_, {run.ref, number}, "a message");
    return TableRows::erase_waiting(run, number);
}

std::optional<MessageNo> RecordedRows::find_timer(const store::Run& run,
                                                  ExecutionNo execution,
                                                  CommandNo command) {
    look_up(timers_, {run.ref, {execution, command}}, "a timer");
    const std::optional<MessageNo> number = TableRows::find_timer(run, execution, command);
    if (number) messages_.loaded.insert({run.ref, *number});
    return number;
}

std::optional<store::Letter> RecordedRows::find_letter(std::uint64_t id) {
    look_up(letters_, id, "a dead letter");
    std::optional<store::Letter> letter = TableRows::find_letter(id);
    if (letter) runs_.reachable.insert(letter->run.key);
    return letter;
}

// ---- Activities --------------------------------------------------------------------------------

const store::Activity* RecordedRows::find_activity(const ActivityRef& ref) {
    look_up(activities_, ref, "an activity");
    const store::Activity* activity = TableRows::find_activity(ref);
    if (activity != nullptr) reach(*activity);
    return activity;
}

std::vector<ActivityRef> RecordedRows::activities_of(const store::Run& run) {
    return listed(TableRows::activities_of(run));
}
std::vector<ActivityRef> RecordedRows::leased_by(std::uint64_t holder, std::uint32_t max) {
    return listed(TableRows::leased_by(holder, max));
}

bool RecordedRows::has_stopping(const store::StoppingKey& key) {
    look_up(stopping_, key, "a handler that stops");
    return TableRows::has_stopping(key);
}
std::vector<store::StoppingKey> RecordedRows::stopping_past(std::uint32_t max) {
    return listed(TableRows::stopping_past(max));
}
std::vector<store::StoppingKey> RecordedRows::stopping_by(std::uint64_t holder, std::uint32_t max) {
    return listed(TableRows::stopping_by(holder, max));
}
std::vector<std::pair<LeaseToken, Timestamp>> RecordedRows::stopping_of(const store::Run& run) {
    auto stopping = TableRows::stopping_of(run);
    for (const auto& [token, until] : stopping) tokens_.reachable.insert(token);
    return stopping;
}

// ---- Queues and sessions -----------------------------------------------------------------------

const QueueLimits* RecordedRows::limits_of(const std::string& queue) {
    look_up(queues_, queue, "a queue");
    return TableRows::limits_of(queue);
}
bool RecordedRows::set_use_until(LeaseToken token, Timestamp until) {
    look_up(tokens_, token, "a use of a queue");
    return TableRows::set_use_until(token, until);
}
bool RecordedRows::erase_use(LeaseToken token) {
    look_up(tokens_, token, "a use of a queue");
    return TableRows::erase_use(token);
}

std::optional<store::SessionKey> RecordedRows::session_used_by(LeaseToken token) {
    look_up(tokens_, token, "a use of a session");
    std::optional<store::SessionKey> key = TableRows::session_used_by(token);
    if (key) sessions_.reachable.insert(*key);
    return key;
}
std::optional<store::Session> RecordedRows::find_session(const store::SessionKey& key) {
    look_up(sessions_, key, "a session");
    return TableRows::find_session(key);
}
store::OwnedSessions RecordedRows::owned_sessions(std::uint64_t holder) {
    look_up(holders_, holder, "the sessions of a holder");
    return TableRows::owned_sessions(holder);
}
std::vector<std::pair<store::SessionKey, Timestamp>> RecordedRows::sessions_of(
    std::uint64_t holder) {
    look_up(holders_, holder, "the sessions of a holder");
    return TableRows::sessions_of(holder);
}

// ---- Output of attempts ------------------------------------------------------------------------

std::optional<store::RunOutput> RecordedRows::output_of(const store::Run& run) {
    look_up(output_, run.ref, "the output of a run");
    return TableRows::output_of(run);
}
std::optional<store::AttemptRow> RecordedRows::find_attempt(const store::Run& run,
                                                            const store::AttemptKey& key) {
    look_up(attempts_, {run.ref, key}, "the output of an attempt");
    return TableRows::find_attempt(run, key);
}
std::vector<store::AttemptKey> RecordedRows::attempts_with_output(const store::Run& run,
                                                                  ExecutionNo execution,
                                                                  std::optional<CommandNo> first) {
    std::vector<store::AttemptKey> keys = TableRows::attempts_with_output(run, execution, first);
    for (const store::AttemptKey& key : keys) attempts_.reachable.insert({run.ref, key});
    return keys;
}
std::optional<store::AttemptKey> RecordedRows::oldest_attempt(const store::Run& run,
                                                              std::uint64_t except) {
    const std::optional<store::AttemptKey> key = TableRows::oldest_attempt(run, except);
    if (key) attempts_.reachable.insert({run.ref, *key});
    return key;
}

// ---- Keys, requests, and what is left of deleted runs ------------------------------------------

std::optional<store::KeyRow> RecordedRows::find_key(const store::KeyId& id) {
    look_up(keys_, id, "an idempotency key");
    std::optional<store::KeyRow> row = TableRows::find_key(id);
    if (row) runs_.reachable.insert(row->run.key);
    return row;
}
std::optional<store::Request> RecordedRows::find_request(const store::RequestKey& key) {
    look_up(requests_, key, "a request");
    std::optional<store::Request> request = TableRows::find_request(key);
    if (request) runs_.reachable.insert(request->instance.run.key);
    return request;
}
std::optional<store::DeletedRun> RecordedRows::find_deleted_run(RunRef run) {
    look_up(gone_, run, "the remains of a run");
    return TableRows::find_deleted_run(run);
}

bool RecordedRows::has_document(const store::DocumentKey& key) {
    look_up(documents_, key, "a document");
    return TableRows::has_document(key);
}
Digest RecordedRows::document_of(const store::Run& run) {
    const Digest digest = TableRows::document_of(run);
    documents_.reachable.insert({run.name.space, digest});
    return digest;
}
bool RecordedRows::is_document_used(const store::DocumentKey& key) {
    look_up(documents_, key, "a document");
    return TableRows::is_document_used(key);
}

// ---- The store ---------------------------------------------------------------------------------

void RecordedStore::commit(std::vector<Transition> batch, Done<std::vector<Answer>> done) {
    const Timestamp now = clock_.wall();
    std::vector<Answer> answers;
    store::Notices notices;
    {
        const detail::MutexLock lock(mutex_);
        RecordedRows rows(tables_, now);
        answers = store::commit(rows, options_, batch);
        notices = std::move(rows.notices);
        report_(rows);
    }
    listeners_.tell(notices);
    done(std::move(answers));
}

template <class Request>
void RecordedStore::claim_now(const Request& request, const Done<typename Request::Answer>& done) {
    const Timestamp now = clock_.wall();
    typename Request::Answer answer;
    store::Notices notices;
    {
        const detail::MutexLock lock(mutex_);
        TableRows rows(tables_, now);
        answer = store::claim(rows, request);
        notices = std::move(rows.notices);
    }
    listeners_.tell(notices);
    done(std::move(answer));
}

void RecordedStore::claim(ClaimInstances request, Done<ClaimInstances::Answer> done) {
    claim_now(request, done);
}
void RecordedStore::claim(ClaimActivities request, Done<ClaimActivities::Answer> done) {
    claim_now(request, done);
}

void RecordedStore::read_any(Read request, Done<ReadAnswer> done) {
    const Timestamp now = clock_.wall();
    ReadAnswer answer = std::visit(
        [&]<class Request>(const Request& one) {
            const detail::MutexLock lock(mutex_);
            return wrap_answer<Request>(memory::read(tables_, one, now));
        },
        request);
    done(std::move(answer));
}

}  // namespace belay::conformance
