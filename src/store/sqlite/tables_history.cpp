// Data of a run beside its row: history, executions, key-values, and what it shows.
#include "model/encoding.hpp"
#include "store/sqlite/tables.hpp"

#include <algorithm>

namespace belay::sqlite {

namespace {

Outcome decode_outcome(std::string_view bytes) {
    model::Reader in(bytes);
    Outcome outcome = model::read_outcome(in);
    if (!in.ok() || !in.at_end()) throw SqliteFailure(SQLITE_CORRUPT, "an outcome is cut off");
    return outcome;
}

}  // namespace

RunAbout Tables::about(const Run& run) {
    const RunKey key = run.ref.key;
    Query query = connection_.use(Sql::run_about);
    query.bind(key);
    if (!query.step()) throw SqliteFailure(SQLITE_CORRUPT, "a run is missing");
    using Row = columns::run_about;
    RunAbout about;
    about.definition = query.text(Row::definition);
    about.version = query.text(Row::version);
    about.owner = query.text(Row::owner);
    about.started_by = query.text(Row::started_by);
    about.headers = decode_headers(query.view(Row::headers));
    about.held_detail = query.text(Row::held_detail);
    if (run.held && !query.null(Row::held_kind)) {
        about.held_kind = query.as<FailureKind>(Row::held_kind);
    }
    if (!query.null(Row::digest)) {
        about.document = read_digest(query);
        about.document_number = query.number(Row::document_number);
    }
    if (!query.null(Row::on_fail_of)) {
        about.on_fail_of = query.run_ref(Row::on_fail_of, Row::on_fail_of_shard);
    }
    about.input = query.payload(Row::input_codec, Row::input_flags, Row::input);
    if (query.null(Row::input)) {
        about.input.bytes = read_large(connection_, LargePlace{key, LargePart::input});
    }
    if (run.custom_status_version > 0) {
        about.custom_status = query.payload(Row::custom_codec, Row::custom_flags, Row::custom);
        about.custom_status->bytes =
            read_bytes(connection_, query, Row::custom, LargePlace{key, LargePart::custom_status});
    }
    if (!query.null(Row::idempotency_key)) about.key = query.text(Row::idempotency_key);
    if (run.ended()) {
        about.outcome = decode_outcome(
            read_bytes(connection_, query, Row::outcome, LargePlace{key, LargePart::outcome}));
    }
    return about;
}

Digest Tables::digest_of(const Run& run) {
    Query query = connection_.use(Sql::run_digest);
    query.bind(run.ref.key);
    return query.step() ? read_digest(query) : Digest{};
}

void Tables::describe(const Run& run, ClaimedInstance& item) {
    RunAbout shown = about(run);
    item.definition = std::move(shown.definition);
    item.version = std::move(shown.version);
    item.owner = std::move(shown.owner);
    item.input = std::move(shown.input);
    item.headers = std::move(shown.headers);
    item.document = shown.document;
    item.on_fail_of = shown.on_fail_of;
}

std::pair<Labels, std::string> Tables::labels_of(const Run& run) {
    Query query = connection_.use(Sql::run_starter);
    query.bind(run.ref.key);
    if (!query.step()) throw SqliteFailure(SQLITE_CORRUPT, "a run is missing");
    return {read_labels(connection_, run.ref.key), query.text(columns::run_starter::started_by)};
}

void Tables::insert_history(const Run& run, const HistoryRow& history) {
    connection_.use(Sql::history_insert)
        .bind(run.ref.key,
              run.execution,
              run.position + 1,
              history.count,
              history.format,
              Blob{history.bytes})
        .run();
}

void Tables::close_execution(const Run& run, Timestamp ended_at) {
    connection_.use(Sql::execution_insert)
        .bind(run.ref.key, run.execution, run.position, run.execution_at, ended_at)
        .run();
}

void Tables::each_old_execution(const Run& run,
                                std::uint32_t keep,
                                const std::optional<Timestamp>& ended_before,
                                const store::Visit<store::OldExecution>& visit) {
    Query query = connection_.use(Sql::execution_prunable);
    query.bind(run.ref.key, keep, ended_before);
    while (query.step()) {
        using Row = columns::execution_prunable;
        const store::OldExecution old{
            query.small(Row::execution), query.number(Row::events), query.number(Row::bytes)};
        if (!visit(old)) return;
    }
}

void Tables::erase_execution(const Run& run, ExecutionNo execution) {
    connection_.use(Sql::history_delete_execution).bind(run.ref.key, execution).run();
    connection_.use(Sql::execution_delete_one).bind(run.ref.key, execution).run();
}

void Tables::change_key_value(const Run& run, const KeyValueChange& change) {
    if (change.value) {
        no_key_values_.forget();
        connection_.use(Sql::key_value_put).bind(run.ref.key, change.key, *change.value).run();
    } else if (change.key.empty()) {
        connection_.use(Sql::key_value_clear).bind(run.ref.key).run();
    } else {
        connection_.use(Sql::key_value_delete).bind(run.ref.key, change.key).run();
    }
}

void Tables::leave_blocks(const Run& run) {
    Query query = connection_.use(Sql::run_found_by);
    query.bind(run.ref.key);
    if (!query.step()) throw SqliteFailure(SQLITE_CORRUPT, "a run is missing");
    using Row = columns::run_found_by;
    const store::RunCode code{query.text(Row::definition), query.text(Row::version)};
    blocks_.leave(run, code, query.text(Row::owner));
}

std::uint64_t Tables::erase_run(Run& run) {
    BELAY_ASSERT(!run.birth);
    const RunKey key = run.ref.key;
    leave_blocks(run);
    // No statement is needed for rows that the run's own row excludes.
    int old = 0;
    if (run.execution > 1) old = connection_.use(Sql::execution_delete).bind(key).run();
    if (run.stopping > 0) connection_.use(Sql::stopping_delete_all).bind(key).run();
    if (run.code_missing_since) remove_put_off(key);
    delete_rare(key, no_large_, Sql::large_delete_all, Sql::large_around);
    delete_rare(key, no_key_values_, Sql::key_value_clear, Sql::key_value_around);
    erase_output(key);
    for (const auto statement : {Sql::history_delete, Sql::label_delete, Sql::run_delete}) {
        connection_.use(statement).bind(key).run();
    }
    runs_[key] = nullptr;
    return static_cast<std::uint64_t>(old) + 1;
}

std::uint64_t Tables::delete_rare(RunKey run,
                                  EmptyStretch& stretch,
                                  Statement<NoColumns> statement,
                                  Statement<columns::large_around> around) {
    if (stretch.covers(run)) return 0;
    const int deleted = connection_.use(statement).bind(run).run();
    if (deleted == 0) {
        Query query = connection_.use(around);
        stretch.learn(run, query.bind(run));
    }
    return static_cast<std::uint64_t>(deleted);
}

}  // namespace belay::sqlite
