// Runs: read once, changed in memory, written back once for each transition.
#include "model/encoding.hpp"
#include "store/sqlite/tables.hpp"

#include <limits>

namespace belay::sqlite {

namespace {

using RunRow = columns::run_find;

std::optional<store::Lock> read_lock(const Query<RunRow>& query) {
    if (query.null(RunRow::lock_holder)) return std::nullopt;
    return store::Lock{
        LeaseToken{query.number(RunRow::lock_holder), query.number(RunRow::lock_serial)},
        query.time(RunRow::lock_until),
        query.text(RunRow::lock_worker),
        query.flag(RunRow::lock_cancel_seen),
        query.maybe_time(RunRow::lock_since)};
}

std::optional<ParentLink> read_parent(const Query<RunRow>& query) {
    if (query.null(RunRow::parent_key)) return std::nullopt;
    return ParentLink{query.run_ref(RunRow::parent_key, RunRow::parent_shard),
                      query.small(RunRow::parent_execution),
                      query.small(RunRow::parent_command)};
}

template <class To>
void set_lock(Query<NoColumns, To>& query, const std::optional<store::Lock>& lock) {
    if (lock) {
        query.set(To::lock_holder, lock->token.holder)
            .set(To::lock_serial, lock->token.serial)
            .set(To::lock_until, lock->until)
            .set(To::lock_cancel_seen, lock->cancel_seen)
            .set(To::lock_worker, lock->worker)
            .set(To::lock_since, lock->since);
    } else {
        query.set(To::lock_cancel_seen, false)
            .set_null(
                To::lock_holder, To::lock_serial, To::lock_until, To::lock_worker, To::lock_since);
    }
}

template <class To>
void set_cancel(Query<NoColumns, To>& query, const std::optional<CancelRecord>& cancel) {
    if (cancel) {
        query.set(To::cancel_source, cancel->source)
            .set(To::cancel_at, cancel->requested_at)
            .set(To::cancel_sequence, cancel->sequence)
            .set(To::cancel_by, cancel->by)
            .set(To::cancel_reason, cancel->reason);
    } else {
        query.set_null(To::cancel_source,
                       To::cancel_at,
                       To::cancel_sequence,
                       To::cancel_by,
                       To::cancel_reason);
    }
}

/// Binds the common part of run_insert and all of run_update.
template <class To>
void set_state(Query<NoColumns, To>& query, const Run& run) {
    set_lock(query, run.lock);
    query.set(To::key, run.ref.key)
        .set(To::position, run.position)
        .set(To::next_message, run.next_message)
        .set(To::ready_at, run.ready_at)
        .set(To::inbox_at, run.inbox_at)
        .set(To::wants_turn_at, run.wants_turn_at)
        .set(To::not_before, run.not_before)
        .set(To::attempts, run.attempts)
        .set(To::settled, run.settled)
        .set(To::started_at, run.started_at)
        .set(To::execution_at, run.execution_at)
        .set(To::event_count, run.event_count)
        .set(To::history_bytes, run.history_bytes)
        .set(To::commit_high, run.last_commit.high)
        .set(To::commit_low, run.last_commit.low)
        .set(To::plain_messages, run.plain_messages)
        .set(To::last_sent, run.last_sent)
        .set(To::activities, run.activities)
        .set(To::last_activity, run.last_activity)
        .set(To::message_room, run.message_room);
}

/// Binds the fields that the brief statements leave out because they stay the same.
template <class To>
void set_seldom(Query<NoColumns, To>& query, const Run& run) {
    set_cancel(query, run.cancel);
    query.set(To::cancel_deadline, run.cancel_deadline)
        .set(To::unregistered, run.unregistered)
        .set(To::held, run.held)
        .set(To::waits_for, run.waits_for)
        .set(To::next_child, run.next_child)
        .set(To::unsettled_children, run.unsettled_children)
        .set(To::stopping, run.stopping)
        .set(To::custom_version, run.custom_status_version)
        .set(To::code_missing_since, run.code_missing_since)
        .set(To::overruns, run.overruns)
        .set(To::nothing_to_clean_up, run.nothing_to_clean_up)
        .set(To::late_at, run.late_at)
        .set(To::place_in_line, run.place_in_line);
}

using RunInsert = parameters::run_insert;

Kinship kinship_of(const Run& run) {
    if (!run.parent) return Kinship::root;
    return run.birth->about->part ? Kinship::part : Kinship::child;
}

void set_parent(Query<NoColumns, RunInsert>& query, const Run& run) {
    query.set(RunInsert::parent_close, run.parent_close).set(RunInsert::child, kinship_of(run));
    if (run.parent) {
        query.set(RunInsert::parent_key, run.parent->run.key)
            .set(RunInsert::parent_shard, run.parent->run.shard)
            .set(RunInsert::parent_execution, run.parent->execution)
            .set(RunInsert::parent_command, run.parent->command);
    } else {
        query.set_null(RunInsert::parent_key,
                       RunInsert::parent_shard,
                       RunInsert::parent_execution,
                       RunInsert::parent_command);
    }
}

void set_run(Query<NoColumns, RunInsert>& query,
             RunInsert key,
             RunInsert shard,
             const std::optional<RunRef>& run) {
    if (run) {
        query.set(key, run->key).set(shard, run->shard);
    } else {
        query.set_null(key, shard);
    }
}

/// Binds everything that the run is created with, except the input and the document.
void set_birth(Query<NoColumns, RunInsert>& query, const Run& run) {
    const store::Birth& birth = *run.birth;
    const NewInstance& about = *birth.about;
    const std::string_view digest(reinterpret_cast<const char*>(birth.digest.data()),
                                  birth.digest.size());
    const std::string& version = birth.version ? *birth.version : about.version;
    query.set(RunInsert::shard, run.ref.shard)
        .set(RunInsert::space, run.name.space)
        .set(RunInsert::id, run.name.id)
        .set(RunInsert::created_at, run.created_at)
        .set(RunInsert::start_high, run.started_by_commit.high)
        .set(RunInsert::start_low, run.started_by_commit.low)
        .set(RunInsert::child_no, birth.child_no)
        .set(RunInsert::definition, about.definition)
        .set(RunInsert::version, version)
        .set(RunInsert::owner, about.owner)
        .set(RunInsert::started_by, about.started_by)
        .set(RunInsert::idempotency_key, birth.key)
        .set(RunInsert::priority, run.priority)
        .set(RunInsert::begin_by, run.begin_by)
        .set(RunInsert::end_by, run.end_by)
        .set(RunInsert::concurrency_key, run.concurrency_key)
        .set(RunInsert::digest, Blob{digest});
    set_run(query, RunInsert::on_fail, RunInsert::on_fail_shard, about.on_fail);
    set_run(query, RunInsert::on_fail_of, RunInsert::on_fail_of_shard, about.on_fail_of);
}

std::string encode_outcome(const Outcome& outcome) {
    model::Writer out;
    model::write(out, outcome);
    return out.take();
}

}  // namespace

std::unique_ptr<StoredRun> Tables::read_run_row(RunKey key) {
    Query query = connection_.use(Sql::run_find);
    query.bind(key);
    if (!query.step()) return nullptr;
    auto run = std::make_unique<StoredRun>();
    run->ref = RunRef{query.shard(RunRow::shard), key};
    run->status = query.as<Status>(RunRow::status);
    run->stored_status = run->status;
    run->execution = query.small(RunRow::execution);
    run->position = query.number(RunRow::position);
    run->next_message = query.number(RunRow::next_message);
    run->ready_at = query.maybe_time(RunRow::ready_at);
    run->inbox_at = query.maybe_time(RunRow::inbox_at);
    run->wants_turn_at = query.maybe_time(RunRow::wants_turn_at);
    run->not_before = query.time(RunRow::not_before);
    run->lock = read_lock(query);
    run->attempts = query.small(RunRow::attempts);
    run->unregistered = query.small(RunRow::unregistered);
    run->held = query.flag(RunRow::held);
    if (!query.null(RunRow::waits_for)) run->waits_for = query.run_key(RunRow::waits_for);
    run->cancel = read_cancel(query);
    run->cancel_deadline = query.maybe_time(RunRow::cancel_deadline);
    run->next_child = query.number(RunRow::next_child);
    run->unsettled_children = query.number(RunRow::unsettled_children);
    run->stopping = query.number(RunRow::stopping);
    run->settled = query.flag(RunRow::settled);
    run->started_at = query.maybe_time(RunRow::started_at);
    run->execution_at = query.time(RunRow::execution_at);
    run->ended_at = query.maybe_time(RunRow::ended_at);
    run->event_count = query.number(RunRow::event_count);
    run->history_bytes = query.number(RunRow::history_bytes);
    run->last_commit =
        CommitId{query.number(RunRow::commit_high), query.number(RunRow::commit_low)};
    run->custom_status_version = query.number(RunRow::custom_version);
    run->former = query.flag(RunRow::former);
    run->name = InstanceName{query.text(RunRow::space), query.text(RunRow::id)};
    run->parent = read_parent(query);
    run->created_at = query.time(RunRow::created_at);
    run->started_by_commit =
        CommitId{query.number(RunRow::start_high), query.number(RunRow::start_low)};
    run->plain_messages = query.number(RunRow::plain_messages);
    run->last_sent = query.time(RunRow::last_sent);
    run->activities = query.number(RunRow::activities);
    run->last_activity = query.small(RunRow::last_activity);
    run->message_room = query.number(RunRow::message_room);
    run->code_missing_since = query.maybe_time(RunRow::code_missing_since);
    run->parent_close = query.as<ParentClose>(RunRow::parent_close);
    run->has_key = query.flag(RunRow::has_key);
    run->overruns = query.small(RunRow::overruns);
    run->has_document = query.flag(RunRow::has_document);
    if (!query.null(RunRow::on_fail)) {
        run->on_fail = query.run_ref(RunRow::on_fail, RunRow::on_fail_shard);
    }
    run->nothing_to_clean_up = query.flag(RunRow::nothing_to_clean_up);
    run->priority = static_cast<std::int32_t>(query.integer(RunRow::priority));
    run->begin_by = query.maybe_time(RunRow::begin_by);
    run->end_by = query.maybe_time(RunRow::end_by);
    run->late_at = query.maybe_time(RunRow::late_at);
    if (!query.null(RunRow::concurrency_key)) {
        run->concurrency_key = query.text(RunRow::concurrency_key);
    }
    if (!query.null(RunRow::place_in_line)) {
        run->place_in_line = query.number(RunRow::place_in_line);
    }
    run->written = run->seldom();
    return run;
}

bool Tables::beyond_last(RunKey key,
                         std::optional<std::int64_t>& last,
                         Statement<columns::run_last> statement) {
    if (!last) {
        Query query = connection_.use(statement);
        const bool any = query.step() && !query.null(columns::run_last::last);
        last =
            any ? query.integer(columns::run_last::last) : std::numeric_limits<std::int64_t>::min();
    }
    return stored(key.value) > *last;
}

Run* Tables::load_run(RunKey key) {
    const auto [entry, fresh] = runs_.try_emplace(key);
    if (!fresh) return entry->second.get();
    entry->second = known_runs_.take(key);
    // Keys ascend: most runs that are not there are beyond the last.
    if (entry->second == nullptr && !beyond_last(key, last_run_, Sql::run_last)) {
        entry->second = read_run_row(key);
    }
    return entry->second.get();
}

const store::RunCode& Tables::code_of(Run& run) {
    if (!run.code) {
        written(run);
        Query query = connection_.use(Sql::run_code);
        query.bind(run.ref.key);
        if (!query.step()) throw SqliteFailure(SQLITE_CORRUPT, "a run is missing");
        using Row = columns::run_code;
        run.code = store::RunCode{
            query.text(Row::definition), query.text(Row::version), query.flag(Row::interpreted)};
    }
    return *run.code;
}

Run& Tables::add_run(const NewInstance& instance) {
    auto& entry = runs_[instance.run.key];
    BELAY_ASSERT(entry == nullptr);
    entry = std::make_unique<StoredRun>();
    return *entry;
}

void Tables::write_run(Run& run) {
    auto& stored = static_cast<StoredRun&>(run);  // All runs here were made by this class.
    if (run.birth) {
        insert_run(run);
    } else {
        update_run(stored);
    }
    stored.stored_status = run.status;
    stored.written = stored.seldom();
}

void Tables::insert_run(const Run& run) {
    const NewInstance& about = *run.birth->about;
    const std::optional<std::string> headers = encode(about.headers);
    std::string outcome;
    if (run.new_outcome) outcome = encode_outcome(*run.new_outcome);
    std::optional<std::int64_t> document;
    if (about.document) document = id_of({run.name.space, *about.document});

    Query query = connection_.use(Sql::run_insert);
    set_state(query, run);
    set_seldom(query, run);
    set_birth(query, run);
    set_parent(query, run);
    query.set(RunInsert::status, run.status)
        .set(RunInsert::execution, run.execution)
        .set(RunInsert::ended_at, run.ended_at)
        .set(RunInsert::document, document)
        .set(RunInsert::headers, headers ? std::optional(Blob{*headers}) : std::nullopt)
        .set(RunInsert::input_codec, about.input.codec)
        .set(RunInsert::input_flags, about.input.flags)
        .set(RunInsert::input, bind_long(run, LargePart::input, about.input.bytes))
        .set(RunInsert::outcome,
             run.new_outcome ? bind_long(run, LargePart::outcome, outcome) : std::nullopt)
        .run();

    enter_new(run);
    write_labels(connection_, run.ref.key, about.labels);
    if (last_run_) last_run_ = std::max(*last_run_, stored(run.ref.key.value));
}

void Tables::enter_new(const Run& run) {
    const store::Birth& birth = *run.birth;
    const NewInstance& about = *birth.about;
    const std::string& space = run.name.space;
    const RunKey key = run.ref.key;
    const std::string& version = birth.version ? *birth.version : about.version;
    blocks_.enter(space, BlockKind::definition, about.definition, key);
    if (!version.empty()) blocks_.enter(space, BlockKind::version, version, key);
    blocks_.enter(space, BlockKind::owner, about.owner, key);
    blocks_.enter(space, BlockKind::created, run.created_at, key);
    enter_end(run);
}

void Tables::enter_end(const Run& run) {
    if (run.ended_at) {
        blocks_.enter(run.name.space, ended_as(run.status), *run.ended_at, run.ref.key);
    }
}

void Tables::change_version(const Run& run, const std::string& before, const std::string& after) {
    if (before == after) return;
    if (!after.empty()) {
        blocks_.enter(run.name.space, BlockKind::version, after, run.ref.key);
    }
    if (!before.empty()) blocks_.leave_version(run.name.space, before, run.ref.key);
}

void Tables::update_run(const StoredRun& run) {
    const bool seldom = run.written != run.seldom();
    int changed = 0;
    if (run.new_outcome) {
        const std::string outcome = encode_outcome(*run.new_outcome);
        const std::optional<Blob> bytes = bind_long(run, LargePart::outcome, outcome);
        const auto end = [&]<class To>(Query<NoColumns, To> query) {
            set_state(query, run);
            if constexpr (requires { To::held; }) set_seldom(query, run);
            query.set(To::status, run.status).set(To::ended_at, run.ended_at);
            return query.set(To::outcome, bytes).run();
        };
        changed = seldom ? end(connection_.use(Sql::run_update_ended))
                         : end(connection_.use(Sql::run_update_ended_briefly));
        enter_end(run);
    } else if (run.status != run.stored_status) {
        Query query = connection_.use(Sql::run_update_status);
        set_state(query, run);
        set_seldom(query, run);
        changed = query.set(parameters::run_update_status::status, run.status).run();
    } else if (seldom) {
        Query query = connection_.use(Sql::run_update);
        set_state(query, run);
        set_seldom(query, run);
        changed = query.run();
    } else {
        Query query = connection_.use(Sql::run_update_briefly);
        set_state(query, run);
        changed = query.run();
    }
    BELAY_ASSERT(changed == 1);
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

bool Tables::is_unreadable(const std::exception& failure) const noexcept {
    const auto* const found = dynamic_cast<const SqliteFailure*>(&failure);
    return found != nullptr && found->code() == SQLITE_CORRUPT;
}

void Tables::written(Run& run) {
    if (run.birth) flush();
}

void Tables::set_next_input(Run& run, const Payload& input, const std::string& version) {
    const std::string before = code_of(run).version;
    run.code.reset();
    // The old input may have been long.
    delete_large(connection_, LargePlace{run.ref.key, LargePart::input});
    connection_.use(Sql::run_set_input)
        .bind(run.ref.key,
              run.execution,
              version,
              input.codec,
              input.flags,
              bind_long(run, LargePart::input, input.bytes))
        .run();
    change_version(run, before, version);
}

void Tables::set_former(Run& run) {
    written(run);
    run.former = true;
    former_roots_.clear();
    connection_.use(Sql::run_set_former).bind(run.ref.key).run();
}

void Tables::set_version(Run& run, const std::string& version) {
    if (run.birth) {
        run.code.reset();
        run.birth->version = version;
        return;
    }
    const std::string before = code_of(run).version;
    run.code.reset();
    connection_.use(Sql::run_set_version).bind(run.ref.key, version).run();
    change_version(run, before, version);
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
}

void Tables::set_hold_reason(Run& run, const std::optional<store::HoldReason>& reason) {
    written(run);
    Query query = connection_.use(Sql::run_set_hold_reason);
    if (reason) {
        query.bind(run.ref.key, reason->detail, now(), reason->kind).run();
    } else {
        query.bind(run.ref.key, nullptr, nullptr, nullptr).run();
    }
}

}  // namespace belay::sqlite
