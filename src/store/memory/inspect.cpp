#include "store/memory/inspect.hpp"

#include "store/memory/memory_store.hpp"
#include "store/memory/subject.hpp"
#include "store/memory/table_rows.hpp"
#include "store/rules/settling.hpp"

#include <algorithm>

namespace belay::memory {

namespace {

/// Collects the contradictions.
class Inspector {
public:
    explicit Inspector(const Tables& tables) : tables_(tables) {}

    std::vector<std::string> inspect() {
        for (const auto& [ref, run] : tables_.runs) {
            subject_ = Subject{"run", &ref, nullptr, &run.about.name.id};
            expect(run.ref == ref, "is filed under another key");
            const auto by_key = tables_.runs_by_key.find(ref.key);
            expect(by_key != tables_.runs_by_key.end() && by_key->second == ref,
                   "cannot be found by its key");
            check_state(run);
            if (run.ended()) check_ended(run);
            check_inbox(run);
            check_history(run);
            check_name(run);
            check_family(run);
            check_run_indexes(run);
        }
        check_names();
        check_activities();
        check_stopping();
        check_waiters();
        check_run_index_entries();
        check_keys_and_requests();
        check_dead_letters();
        check_sessions();
        return std::move(problems_);
    }

private:
    void expect(bool holds, const char* problem) {
        if (!holds) problems_.push_back(subject_.describe() + " " + problem);
    }

    void check_state(const Run& run) {
        expect(run.status != Status::continued_as_new, "has the status of an execution");
        expect(run.ended() == run.outcome.has_value(),
               "has an outcome and has not ended, or neither");
        expect(run.ended() == run.ended_at.has_value(), "has ended without a time, or the reverse");
        expect(!(run.status == Status::canceling) || (run.cancel && run.cancel_deadline),
               "is canceling without a record or a deadline");
        expect(!run.cancel || run.status == Status::canceling || run.status == Status::canceled,
               "has a cancel record and is neither canceling nor canceled");
        expect(!(run.status == Status::canceled) || run.cancel.has_value(),
               "is canceled by nobody");
        expect(!run.outcome || run.outcome->status == run.status, "ended otherwise than it says");
        expect(!run.outcome || run.status != Status::canceled || run.outcome->cancel == run.cancel,
               "has two different cancel records");
        expect(run.status != Status::pending || (!run.started_at && run.position == 0),
               "is pending and has taken a turn");
        expect(run.status != Status::running || run.started_at.has_value(),
               "is running and has taken no turn");
        expect(!(run.held && run.lock), "is held and locked");
        expect(!run.waits_for || run.status == Status::pending,
               "waits for the run it replaces and has begun");
    }

    void check_ended(const Run& run) {
        expect(run.inbox.empty(), "has ended and has messages or timers");
        expect(!run.lock, "has ended and is locked");
        expect(!run.held, "has ended and is held");
        expect(!run.wants_turn_at, "has ended and wants a turn");
        expect(!run.waits_for, "has ended and waits for another run");
        const auto activity = tables_.activities.lower_bound(ActivityRef{run.ref, 0, 0});
        expect(activity == tables_.activities.end() || activity->first.run != run.ref,
               "has ended and has activities");
        for (const auto& [command, child] : run.open_children) {
            const Run* row = find_run(tables_, child);
            expect(row != nullptr &&
                       (row->cancel.has_value() || row->about.parent_close == ParentClose::abandon),
                   "has ended and a child was not told");
        }
    }

    void check_inbox(const Run& run) {
        expect(run.inbox.size() == run.inbox_times.size(), "has lost track of its messages");
        expect(run.inbox.size() == run.inbox_ready.size(), "has lost track of when it is ready");
        std::size_t timers = 0;
        std::uint64_t plain = 0;
        MessageNo last = 0;
        for (const auto& [key, waiting] : run.inbox) {
            expect(run.inbox_ready.contains({waiting.ready_from, key.second}),
                   "has a message that does not make it ready");
            if (!waiting.timed) {
                ++plain;
                expect(key.second > last, "has messages that overtake one another");
                expect(key.first <= run.last_sent, "has forgotten when its last message came");
                last = key.second;
            }
            const auto time = run.inbox_times.find(key.second);
            expect(time != run.inbox_times.end() && time->second == key.first,
                   "has a message that cannot be found by number");
            expect(key.second < run.next_message, "has a message from the future");
            if (!waiting.timer) continue;
            ++timers;
            const auto timer = run.timers.find(*waiting.timer);
            expect(timer != run.timers.end() && timer->second == key,
                   "has a timer that cannot be found by command");
            expect(waiting.timer->first == run.execution,
                   "has a timer of an execution that is over");
        }
        expect(timers == run.timers.size(), "has a timer that is not in its inbox");
        expect(plain == run.plain_messages, "has miscounted its messages");
        const std::optional<Timestamp> ready =
            run.inbox_ready.empty() ? std::nullopt : std::optional(run.inbox_ready.begin()->first);
        expect(run.inbox_at == ready, "is wrong about when its messages make it ready");
    }

    void check_history(const Run& run) {
        expect(!run.executions.empty() && run.executions.back().info.execution == run.execution,
               "has lost its current execution");
        ExecutionNo before = 0;
        std::uint64_t all_events = 0;
        std::uint64_t bytes = 0;
        for (const Execution& execution : run.executions) {
            expect(execution.info.execution > before, "has executions out of order");
            before = execution.info.execution;
            EventNo events = 0;
            for (const RecordedRow& recorded : execution.history) {
                expect(recorded.first_event == events + 1, "has a gap in its history");
                events += recorded.row.count;
                bytes += recorded.row.bytes.size();
            }
            expect(execution.info.events == events, "has miscounted the events of an execution");
            const bool last = &execution == &run.executions.back();
            expect(last || (execution.info.status == Status::continued_as_new &&
                            execution.info.ended_at),
                   "has an old execution that did not continue");
            expect(!last || run.position == events, "stands elsewhere than its history ends");
            all_events += events;
        }
        expect(run.event_count == all_events, "has miscounted its events");
        expect(run.history_bytes == bytes, "has miscounted the bytes of its history");
    }

    void check_name(const Run& run) {
        const auto current = tables_.names.find(run.about.name);
        if (current != tables_.names.end() && current->second == run.ref) return;
        const auto formers = tables_.formers.find(run.about.name);
        expect(formers != tables_.formers.end() && formers->second.contains(run.ref),
               "has no name");
    }

    void check_family(const Run& run) {
        std::size_t open = 0;
        std::uint64_t unsettled = 0;
        for (const RunRef ref : run.children) {
            const Run* child = find_run(tables_, ref);
            if (child == nullptr || !child->about.parent || child->about.parent->run != run.ref) {
                expect(false, "lists a child that is not its own");
                continue;
            }
            const ParentLink& link = *child->about.parent;
            const bool listed =
                run.open_children.contains({CommandRef{link.execution, link.command}, ref});
            expect(listed == !child->ended(), "has the wrong list of open children");
            open += child->ended() ? 0U : 1U;
            unsettled += child->settled ? 0U : 1U;
        }
        expect(open == run.open_children.size(), "has an open child that it does not list");
        expect(unsettled == run.unsettled_children, "has miscounted its unsettled children");
        expect(run.settled == (run.ended() && run.stopping == 0 && unsettled == 0),
               "is wrong about being settled");
        children_ += run.children.size();
        if (run.about.parent) {
            ++parents_;
            expect(find_run(tables_, run.about.parent->run) != nullptr, "has lost its parent");
        }
    }

    void check_run_indexes(const Run& run) {
        const RunIndexed& indexed = run.indexed;
        const bool can_be_ready = !run.ended() && !run.held && !run.waits_for &&
                                  !run.place_in_line && (run.wants_turn_at || !run.inbox.empty());
        expect(indexed.ready_at.has_value() == can_be_ready,
               "is ready and should not be, or the reverse");
        expect(indexed.ready_at == run.ready_at, "is ready at another time than the index says");
        if (indexed.ready_at) {
            const ReadyKey key{*indexed.ready_at, run.ref.key, run.ref.shard};
            const std::set<ReadyKey>* shard = tables_.ready.of(run.ref.shard);
            expect(tables_.ready.all().contains(key) && shard != nullptr && shard->contains(key),
                   "is ready and not in the index");
            expect(!run.lock || *indexed.ready_at >= run.lock->until,
                   "is ready while it is locked");
            expect(*indexed.ready_at >= run.not_before, "is ready while it is backed off");
            ++ready_;
        }
        expect(indexed.deadline ==
                   (run.status == Status::canceling ? run.cancel_deadline : run.late_from()),
               "has the wrong deadline in the index");
        if (indexed.deadline) {
            expect(tables_.deadlines.contains({*indexed.deadline, run.ref}),
                   "has a deadline that is not in the index");
            ++deadlines_;
        }
        expect(indexed.held == run.held && tables_.held.contains(run.ref) == run.held,
               "is held and not in the index, or the reverse");
        held_ += run.held ? 1U : 0U;
        check_management_indexes(run);
        if (run.waits_for) {
            const auto waiters = tables_.waiters.find(*run.waits_for);
            expect(waiters != tables_.waiters.end() && waiters->second.contains(run.ref.key),
                   "waits for a run that will not wake it");
        }
    }

    void check_management_indexes(const Run& run) {
        const RunRef ref = run.ref;
        const bool ended = run.ended() && !run.about.parent;
        expect(run.indexed.ended_at.has_value() == ended &&
                   (!ended || run.indexed.ended_at == run.ended_at),
               "has ended at another time than the index says");
        if (ended) {
            const auto index = tables_.ended.find(run.about.name.space);
            expect(index != tables_.ended.end() &&
                       index->second.contains(EndedKey{*run.ended_at, ref.key, ref.shard}),
                   "has ended and is not in the index");
            const auto outcome = tables_.outcomes.find(
                OutcomeKey{run.about.name.space, run.about.definition, run.status});
            expect(outcome != tables_.outcomes.end() &&
                       outcome->second.contains(EndedKey{*run.ended_at, ref.key, ref.shard}),
                   "has ended and is not in the index of outcomes");
            ++ended_;
        }
        if (run.executions.size() > 1) {
            const auto index = tables_.chains.find(run.about.name.space);
            expect(index != tables_.chains.end() &&
                       index->second.contains(ChainKey{ref.key, ref.shard}),
                   "has old executions and is not in the index");
            ++chains_;
        }
    }

    void check_dead_letters() {
        std::size_t letters = 0;
        for (const auto& [run, ids] : tables_.letters_to) {
            subject_ = Subject{"the dead letters to", &run, nullptr, nullptr};
            expect(!ids.empty(), "are none, and kept");
            letters += ids.size();
            for (const std::uint64_t id : ids) {
                const auto letter = tables_.dead_letters.find(id);
                expect(letter != tables_.dead_letters.end() && letter->second.run == run,
                       "are not all there");
            }
        }
        subject_ = Subject();
        expect(letters == tables_.dead_letters.size(), "of dead letters misses some");
    }

    void check_run_index_entries() {
        subject_ = Subject();
        expect(size_of(tables_.ended) == ended_, "of ended runs has entries without a run");
        expect(size_of(tables_.outcomes) == ended_, "of outcomes has entries without a run");
        expect(size_of(tables_.chains) == chains_, "of chains has entries without a run");
        expect(tables_.ready.all().size() == ready_, "of ready runs has entries without a run");
        expect(size_of(tables_.ready.by_shard()) == ready_, "of ready runs by shard is wrong");
        expect(tables_.deadlines.size() == deadlines_, "of deadlines has entries without a run");
        expect(tables_.held.size() == held_, "of held runs has entries without a run");
        expect(children_ == parents_, "of children misses some");
    }

    void check_names() {
        for (const auto& [name, ref] : tables_.names) {
            subject_ = Subject{"name", nullptr, nullptr, &name.id};
            const Run* run = find_run(tables_, ref);
            expect(run != nullptr && run->about.name == name, "names no run of its own");
        }
        for (const auto& [name, refs] : tables_.formers) {
            subject_ = Subject{"former name", nullptr, nullptr, &name.id};
            expect(!refs.empty(), "is kept for nobody");
            const auto current = tables_.names.find(name);
            for (const RunRef ref : refs) {
                const Run* run = find_run(tables_, ref);
                expect(run != nullptr && run->about.name == name, "names no run of its own");
                expect(current == tables_.names.end() || current->second != ref,
                       "is also a current one");
            }
        }
    }

    void check_activities() {
        std::size_t waiting = 0;
        std::map<std::string, std::size_t> claimable;
        std::map<RunRef, std::uint64_t> counts;
        std::set<LeaseToken> tokens;
        for (const auto& [ref, activity] : tables_.activities) {
            subject_ = Subject{"activity", nullptr, &ref, nullptr};
            const Run* run = find_run(tables_, ref.run);
            ++counts[ref.run];
            expect(activity.ref == ref, "is filed under another key");
            expect(run != nullptr && !run->ended(), "belongs to no live run");
            expect(run == nullptr || run->execution == ref.execution,
                   "belongs to an execution that is over");
            expect(activity.waits_until.has_value() != activity.claimable.has_value(),
                   "stands in both indexes or in none");
            expect(!activity.token || tokens.insert(*activity.token).second,
                   "shares its token with another one");
            const CommandRef command{ref.execution, ref.command};
            expect(run == nullptr || !activity.about.schedule_to_start ||
                       !run->timers.contains(command) || activity.must_start(),
                   "was begun, and has a timer for when it is not");
            if (activity.waits_until) {
                ++waiting;
                expect(*activity.waits_until == activity.claimable_at() &&
                           tables_.waiting.contains({*activity.waits_until, ref}),
                       "waits for the wrong time");
            }
            if (activity.claimable) {
                ++claimable[activity.about.queue];
                const auto queue = tables_.claimable.find(activity.about.queue);
                expect(queue != tables_.claimable.end() &&
                           queue->second.all().contains(*activity.claimable),
                       "is claimable and not in the index");
                expect(is_in_lane(activity), "is claimable and not in its lane");
            }
        }
        for (const auto& [ref, run] : tables_.runs) {
            subject_ = Subject{"run", &ref, nullptr, nullptr};
            expect(run.activities == counts[ref], "has miscounted its activities");
        }
        subject_ = Subject();
        expect(tables_.waiting.size() == waiting,
               "of waiting activities has entries without a row");
        for (const auto& [name, queue] : tables_.claimable) {
            subject_ = Subject{"queue", nullptr, nullptr, &name};
            expect(!queue.all().empty(), "is empty and kept");
            expect(queue.all().size() == claimable[name], "has entries without a row");
            expect(size_of(queue.by_shard()) == claimable[name], "is wrong by shard");
            expect(size_of_lanes(name) == claimable[name], "is wrong by lane");
        }
    }

    [[nodiscard]] bool is_in_lane(const Activity& activity) const {
        const auto queue = tables_.lanes.find(activity.queue);
        if (queue == tables_.lanes.end()) return false;
        const auto name = queue->second.find(activity.about.name);
        if (name == queue->second.end()) return false;
        const auto lane = name->second.find(activity.lane);
        return lane != name->second.end() && lane->second.contains(*activity.claimable);
    }

    [[nodiscard]] std::size_t size_of_lanes(const std::string& queue) const {
        const auto found = tables_.lanes.find(queue);
        std::size_t size = 0;
        if (found == tables_.lanes.end()) return size;
        for (const auto& [name, lanes] : found->second) size += size_of(lanes);
        return size;
    }

    void check_stopping() {
        std::map<RunRef, std::uint64_t> counts;
        for (const auto& [key, record] : tables_.stopping) {
            subject_ = Subject{"the stopping record of", nullptr, &key.first, nullptr};
            ++counts[key.first.run];
            expect(find_run(tables_, key.first.run) != nullptr, "belongs to no run");
            expect(tables_.stopping_until.contains({record.until, key}), "is not in the index");
            const Activity* activity = find_activity(tables_, key.first);
            expect(activity == nullptr || activity->token != key.second,
                   "has a token that still holds the row");
        }
        subject_ = Subject();
        expect(tables_.stopping_until.size() == tables_.stopping.size(),
               "of stopping records has entries without a row");
        for (const auto& [ref, run] : tables_.runs) {
            const auto count = counts.find(ref);
            subject_ = Subject{"run", &ref, nullptr, nullptr};
            expect(run.stopping == (count == counts.end() ? 0 : count->second),
                   "has miscounted its stopping records");
        }
    }

    void check_waiters() {
        Reader reader(tables_, Timestamp());
        store::Rows& rows = reader.rows();
        for (const auto& [old, waiting] : tables_.waiters) {
            const RunRef ref{Shard(), old};
            subject_ = Subject{"run", &ref, nullptr, nullptr};
            const store::Run* run = rows.find_run(old);
            expect(run != nullptr && !store::is_at_rest(rows, *run),
                   "is waited for and at rest or gone");
            for (const RunKey key : waiting) {
                const store::Run* waiter = rows.find_run(key);
                expect(waiter != nullptr && waiter->waits_for == old,
                       "will wake a run that does not wait");
            }
        }
    }

    void check_keys_and_requests() {
        std::size_t windows = 0;
        for (const auto& [id, row] : tables_.keys) {
            subject_ = Subject{"key", nullptr, nullptr, &id.key};
            expect(row.deleted != (find_run(tables_, row.run) != nullptr),
                   "is wrong about its instance being deleted");
            expect(row.until.has_value() == (row.scope == KeyScope::window), "has the wrong end");
            if (!row.until) continue;
            ++windows;
            expect(tables_.keys_until.contains({*row.until, id}), "is not in the index");
        }
        for (const auto& [key, request] : tables_.requests) {
            subject_ = Subject{"request", nullptr, nullptr, &key.second};
            expect(tables_.requests_until.contains({request.until, key}), "is not in the index");
        }
        subject_ = Subject();
        expect(tables_.keys_until.size() == windows, "of keys has entries without a row");
        expect(tables_.requests_until.size() == tables_.requests.size(),
               "of requests has entries without a row");
        expect(tables_.gone_until.size() == tables_.gone.size(),
               "of deleted runs has entries without a row");
    }

    void check_sessions() {
        for (const auto& [key, session] : tables_.sessions) {
            subject_ = Subject{"session", nullptr, nullptr, &key.second};
            expect(tables_.sessions_until.contains({session.until, key}), "is not in the index");
            const auto keys = tables_.sessions_of.find(session.holder);
            expect(keys != tables_.sessions_of.end() && keys->second.contains(key),
                   "is not among those of its holder");
        }
        for (const auto& [token, use] : tables_.session_uses) {
            subject_ = Subject{"the use of session", nullptr, nullptr, &use.session.second};
            const auto tokens = tables_.session_uses_of.find(use.session);
            expect(tokens != tables_.session_uses_of.end() && tokens->second.contains(token),
                   "is not in the index");
            const auto session = tables_.sessions.find(use.session);
            if (session == tables_.sessions.end() || session->second.holder != token.holder) {
                continue;
            }
            expect(use.until <= session->second.until, "is longer than its session");
        }
        subject_ = Subject();
        expect(tables_.sessions_until.size() == tables_.sessions.size() &&
                   size_of(tables_.sessions_of) == tables_.sessions.size(),
               "of sessions has entries without a row");
        expect(size_of(tables_.session_uses_of) == tables_.session_uses.size(),
               "of uses of sessions has entries without a row");
    }

    template <class Part, class Key>
    static std::size_t size_of(const std::map<Part, std::set<Key>>& by_part) {
        std::size_t size = 0;
        for (const auto& [part, keys] : by_part) size += keys.size();
        return size;
    }

    const Tables& tables_;
    Subject subject_;
    std::vector<std::string> problems_;
    std::size_t ready_ = 0;
    std::size_t deadlines_ = 0;
    std::size_t held_ = 0;
    std::size_t ended_ = 0;
    std::size_t chains_ = 0;
    std::size_t children_ = 0;
    std::size_t parents_ = 0;
};

MemoryStore& memory_store(Store& store) {
    auto* found = dynamic_cast<MemoryStore*>(&store);
    BELAY_ASSERT(found != nullptr);
    return *found;
}

}  // namespace

std::vector<std::string> find_problems(const Tables& tables) {
    std::vector<std::string> problems = Inspector(tables).inspect();
    for (std::string& one : document_problems(tables)) problems.push_back(std::move(one));
    return problems;
}

void with_tables(Store& store, const std::function<void(Tables&)>& use) {
    memory_store(store).with_tables([&](Tables& tables) { use(tables); });
}

}  // namespace belay::memory

namespace belay {

std::vector<std::string> check_memory_store(Store& store) {
    return memory::memory_store(store).with_tables(
        [](memory::Tables& tables) { return memory::find_problems(tables); });
}

}  // namespace belay
