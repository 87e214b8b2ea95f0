// Runs: read once, changed in memory, written back once for each transition.
#include "model/encoding.hpp"
#include "store/sqlite/tables.hpp"

#include <limits>

namespace belay::sqlite {

namespace {

CommitId read_commit(const Query& query, int column) {
    return CommitId{query.number(column), query.number(column + 1)};
}

std::optional<Lock> read_lock(const Query& query) {
    if (query.null(9)) return std::nullopt;
    return Lock{LeaseToken{query.number(9), query.number(10)},
                query.time(11),
                query.text(13),
                query.flag(12),
                query.maybe_time(52)};
}

std::optional<CancelRecord> read_cancel(const Query& query) {
    if (query.null(18)) return std::nullopt;
    CancelRecord record;
    record.source = query.as<CancelSource>(18);
    record.requested_at = query.time(19);
    record.sequence = query.number(20);
    record.by = query.text(21);
    record.reason = query.text(22);
    return record;
}

std::optional<ParentLink> read_parent(const Query& query) {
    if (query.null(39)) return std::nullopt;
    const RunRef run{query.shard(40), RunKey{query.number(39)}};
    return ParentLink{run, query.small(41), query.small(42)};
}

/// The columns that run_insert and run_update have in common, in their order.
void bind_state(Query& query, const Run& run) {
    query.bind(run.status,
               run.execution,
               run.position,
               run.next_message,
               run.ready_at,
               run.inbox_at,
               run.wants_turn_at,
               run.not_before);
    if (run.lock) {
        query.bind(run.lock->token.holder,
                   run.lock->token.serial,
                   run.lock->until,
                   run.lock->cancel_seen,
                   run.lock->worker);
    } else {
        query.bind(nullptr, nullptr, nullptr, false, nullptr);
    }
    query.bind(run.attempts, run.unregistered, run.held, run.waits_for);
    if (run.cancel) {
        query.bind(run.cancel->source,
                   run.cancel->requested_at,
                   run.cancel->sequence,
                   run.cancel->by,
                   run.cancel->reason);
    } else {
        query.bind(nullptr, nullptr, nullptr, nullptr, nullptr);
    }
    query.bind(run.cancel_deadline,
               run.next_child,
               run.unsettled_children,
               run.stopping,
               run.settled,
               run.started_at,
               run.execution_at,
               run.ended_at,
               run.event_count,
               run.history_bytes,
               run.last_commit.high,
               run.last_commit.low,
               run.custom_version);
}

/// More of them, which stand at the end.
void bind_queues(Query& query, const Run& run) {
    query.bind(run.plain_messages,
               run.last_sent,
               run.activities,
               run.last_activity,
               run.message_room,
               run.code_missing_since,
               run.lock ? run.lock->since : std::nullopt);
}

std::string encode_outcome(const Outcome& outcome) {
    model::Writer out;
    model::write(out, outcome);
    return out.take();
}

}  // namespace

std::unique_ptr<Run> Tables::load_run(RunKey key) {
    Query query = connection_.use(Sql::run_find);
    query.bind(key);
    if (!query.step()) return nullptr;
    auto run = std::make_unique<Run>();
    run->ref = RunRef{query.shard(0), key};
    run->status = query.as<Status>(1);
    run->stored_status = run->status;
    run->execution = query.small(2);
    run->position = query.number(3);
    run->next_message = query.number(4);
    run->ready_at = query.maybe_time(5);
    run->inbox_at = query.maybe_time(6);
    run->wants_turn_at = query.maybe_time(7);
    run->not_before = query.time(8);
    run->lock = read_lock(query);
    run->attempts = query.small(14);
    run->unregistered = query.small(15);
    run->held = query.flag(16);
    if (!query.null(17)) run->waits_for = RunKey{query.number(17)};
    run->cancel = read_cancel(query);
    run->cancel_deadline = query.maybe_time(23);
    run->next_child = query.number(24);
    run->unsettled_children = query.number(25);
    run->stopping = query.number(26);
    run->settled = query.flag(27);
    run->started_at = query.maybe_time(28);
    run->execution_at = query.time(29);
    run->ended_at = query.maybe_time(30);
    run->event_count = query.number(31);
    run->history_bytes = query.number(32);
    run->last_commit = read_commit(query, 33);
    run->custom_version = query.number(35);
    run->former = query.integer(36) != 0;
    run->name = InstanceName{query.text(37), query.text(38)};
    run->parent = read_parent(query);
    run->created_at = query.time(43);
    run->started_by_commit = read_commit(query, 44);
    run->plain_messages = query.number(46);
    run->last_sent = query.time(47);
    run->activities = query.number(48);
    run->last_activity = query.small(49);
    run->message_room = query.number(50);
    run->code_missing_since = query.maybe_time(51);
    run->parent_close = query.as<ParentClose>(53);
    run->has_key = query.flag(54);
    return run;
}

bool Tables::beyond_last(RunKey key, std::optional<std::int64_t>& last, Sql statement) {
    if (!last) {
        Query query = connection_.use(statement);
        last = query.step() && !query.null(0) ? query.integer(0)
                                              : std::numeric_limits<std::int64_t>::min();
    }
    return stored(key.value) > *last;
}

Run* Tables::find_run(RunKey key) {
    const auto [entry, fresh] = runs_.try_emplace(key);
    // Keys ascend: most that are not there are beyond the last.
    if (fresh && !beyond_last(key, last_run_, Sql::run_last)) entry->second = load_run(key);
    return entry->second.get();
}

Run* Tables::find_run(RunRef run) {
    Run* found = find_run(run.key);
    return found != nullptr && found->ref == run ? found : nullptr;
}

Run* Tables::find_run(const InstanceName& name) {
    const Holders holders = holders_of(name);
    return holders.current ? find_run(*holders.current) : nullptr;
}

Run& Tables::run_of(RunKey key) {
    Run* run = find_run(key);
    // Rows of a run without the run: the file is not what we wrote.
    if (run == nullptr) throw SqliteFailure(SQLITE_CORRUPT, "a run that rows refer to is missing");
    return *run;
}

const RunCode& Tables::code_of(Run& run) {
    if (!run.code) {
        written(run);
        Query query = connection_.use(Sql::run_code);
        query.bind(run.ref.key);
        if (!query.step()) throw SqliteFailure(SQLITE_CORRUPT, "a run is missing");
        run.code = RunCode{query.text(0), query.text(1)};
    }
    return *run.code;
}

Run& Tables::create_run(const NewInstance& instance) {
    auto& entry = runs_[instance.run.key];
    BELAY_ASSERT(entry == nullptr);
    entry = std::make_unique<Run>();
    Run& run = *entry;
    run.ref = instance.run;
    run.name = instance.name;
    run.parent = instance.parent;
    run.parent_close = instance.parent_close;
    run.created_at = now_;
    run.execution_at = now_;
    run.birth.emplace().about = &instance;
    touch(run);
    return run;
}

void Tables::touch(Run& run) {
    if (run.dirty) return;
    run.dirty = true;
    dirty_.push_back(&run);
}

void Tables::flush() {
    for (Run* run : dirty_) {
        refresh_inbox(*run);
        const std::optional<Timestamp> ready = run->claimable_at();
        if (ready && ready != run->ready_at) notices.instances_ready = true;
        run->ready_at = ready;
        if (run->birth) {
            insert_run(*run);
        } else {
            update_run(*run);
        }
        run->dirty = false;
    }
    dirty_.clear();
}

void Tables::finish_transition() {
    flush();
    activities_.clear();
}

void Tables::insert_run(Run& run) {
    const Birth& birth = *run.birth;
    const NewInstance& about = *birth.about;
    const std::optional<std::string> headers = encode(about.headers);
    std::string outcome;
    if (run.new_outcome) outcome = encode_outcome(*run.new_outcome);

    Query query = connection_.use(Sql::run_insert);
    query.bind(run.ref.key, run.ref.shard);
    bind_state(query, run);
    query.bind(run.name.space, run.name.id);
    if (run.parent) {
        query.bind(
            run.parent->run.key, run.parent->run.shard, run.parent->execution, run.parent->command);
    } else {
        query.bind(nullptr, nullptr, nullptr, nullptr);
    }
    query.bind(run.created_at, run.started_by_commit.high, run.started_by_commit.low);
    const std::string_view digest(reinterpret_cast<const char*>(birth.digest.data()),
                                  birth.digest.size());
    const std::string& version = birth.version ? *birth.version : about.version;
    query.bind(birth.child_no,
               about.definition,
               version,
               about.owner,
               about.started_by,
               birth.key,
               Blob{digest});
    query.bind(headers ? std::optional(Blob{*headers}) : std::nullopt);
    query.bind(
        about.input.codec, about.input.flags, bind_long(run, LargePart::input, about.input.bytes));
    query.bind(run.new_outcome ? bind_long(run, LargePart::outcome, outcome) : std::nullopt);
    bind_queues(query, run);
    query.bind(run.parent_close);
    query.run();

    write_labels(connection_, run.ref.key, about.labels);
    if (last_run_) last_run_ = std::max(*last_run_, stored(run.ref.key.value));
    run.birth.reset();
    run.new_outcome.reset();
    run.stored_status = run.status;
}

void Tables::update_run(Run& run) {
    std::string outcome;
    const bool same_status = run.status == run.stored_status;
    Query query = connection_.use(run.new_outcome ? Sql::run_update_ended
                                  : same_status   ? Sql::run_update
                                                  : Sql::run_update_status);
    query.bind(run.ref.key);
    bind_state(query, run);
    bind_queues(query, run);
    if (run.new_outcome) {
        outcome = encode_outcome(*run.new_outcome);
        query.bind(bind_long(run, LargePart::outcome, outcome));
    }
    const int changed = query.run();
    BELAY_ASSERT(changed == 1);
    run.new_outcome.reset();
    run.stored_status = run.status;
}

std::optional<Blob> Tables::bind_long(const Run& run, LargePart part, const std::string& bytes) {
    const std::optional<Blob> bound = inline_bytes(bytes);
    if (!bound) put_large(LargePlace{run.ref.key, part}, bytes);
    return bound;
}

void Tables::put_large(const LargePlace& place, const std::string& bytes) {
    no_large_.forget();
    connection_.use(Sql::large_put)
        .bind(place.run, place.part, place.execution, place.command, Blob{bytes})
        .run();
}

void Tables::written(Run& run) {
    if (run.birth) flush();
}

void Tables::set_next_input(Run& run, const Payload& input, const std::string& version) {
    written(run);
    run.code.reset();
    // What was there before may have been long.
    delete_large(connection_, LargePlace{run.ref.key, LargePart::input});
    connection_.use(Sql::run_set_input)
        .bind(run.ref.key,
              run.execution,
              version,
              input.codec,
              input.flags,
              bind_long(run, LargePart::input, input.bytes))
        .run();
}

void Tables::set_former(Run& run) {
    written(run);
    run.former = true;
    former_roots_.clear();
    connection_.use(Sql::run_set_former).bind(run.ref.key).run();
}

void Tables::set_version(Run& run, const std::string& version) {
    run.code.reset();
    if (run.birth) {
        run.birth->version = version;
        return;
    }
    connection_.use(Sql::run_set_version).bind(run.ref.key, version).run();
}

void Tables::set_custom_status(Run& run, const Payload& status) {
    written(run);
    delete_large(connection_, LargePlace{run.ref.key, LargePart::custom_status});
    connection_.use(Sql::run_set_custom_status)
        .bind(run.ref.key,
              status.codec,
              status.flags,
              bind_long(run, LargePart::custom_status, status.bytes))
        .run();
    ++run.custom_version;
    touch(run);
}

void Tables::set_held_detail(Run& run, const std::optional<std::string>& detail) {
    written(run);
    connection_.use(Sql::run_set_held_detail)
        .bind(run.ref.key, detail, detail ? std::optional(now_) : std::nullopt)
        .run();
}

}  // namespace belay::sqlite
