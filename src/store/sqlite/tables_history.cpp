// What belongs to a run beside its row: history, executions, key-values, and what it shows.
#include "model/encoding.hpp"
#include "store/sqlite/tables.hpp"

#include <algorithm>
#include <cstring>

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
    RunAbout about;
    about.definition = query.text(0);
    about.version = query.text(1);
    about.owner = query.text(2);
    about.started_by = query.text(3);
    about.headers = decode_headers(query.view(4));
    about.held_detail = query.text(5);
    about.input = query.payload(6);
    if (query.null(8)) {
        about.input.bytes = read_large(connection_, LargePlace{key, LargePart::input});
    }
    if (run.custom_version > 0) {
        about.custom_status = query.payload(9);
        about.custom_status->bytes =
            read_bytes(connection_, query, 11, LargePlace{key, LargePart::custom_status});
    }
    if (run.ended()) {
        about.outcome =
            decode_outcome(read_bytes(connection_, query, 12, LargePlace{key, LargePart::outcome}));
    }
    return about;
}

Digest Tables::digest_of(const Run& run) {
    Digest digest{};
    Query query = connection_.use(Sql::run_digest);
    query.bind(run.ref.key);
    if (query.step() && query.view(0).size() == digest.size()) {
        std::memcpy(digest.data(), query.view(0).data(), digest.size());
    }
    return digest;
}

void Tables::append_history(Run& run, const HistoryRow& history) {
    if (history.count == 0) return;
    connection_.use(Sql::history_insert)
        .bind(run.ref.key,
              run.execution,
              run.position + 1,
              history.count,
              history.format,
              Blob{history.bytes})
        .run();
    run.event_count += history.count;
    run.history_bytes += history.bytes.size();
    run.position += history.count;
}

void Tables::close_execution(const Run& run, Timestamp ended_at) {
    connection_.use(Sql::execution_insert)
        .bind(run.ref.key, run.execution, run.position, run.execution_at, ended_at)
        .run();
}

std::vector<Tables::OldExecution> Tables::prunable(const Run& run, const Prune& part) {
    std::vector<OldExecution> found;
    // The current one, which is not in the table, is the first of those that are kept.
    const std::uint32_t kept = std::max(part.keep_last.value_or(1), 1U) - 1;
    Query query = connection_.use(Sql::execution_prunable);
    query.bind(run.ref.key, kept, part.ended_before, part.max);
    std::uint64_t events = 0;
    while (events < part.max_events && query.step()) {
        found.push_back(OldExecution{query.small(0), query.number(1), query.number(2)});
        events += found.back().events;
    }
    return found;
}

void Tables::delete_execution(Run& run, const OldExecution& old) {
    BELAY_ASSERT(old.execution < run.execution);
    connection_.use(Sql::history_delete_execution).bind(run.ref.key, old.execution).run();
    connection_.use(Sql::execution_delete_one).bind(run.ref.key, old.execution).run();
    run.event_count -= old.events;
    run.history_bytes -= old.bytes;
    touch(run);
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

std::uint64_t Tables::delete_run(Run& run) {
    BELAY_ASSERT(!run.birth);
    const RunKey key = run.ref.key;
    // What its row says it has not needs no statement.
    int old = 0;
    if (run.execution > 1) old = connection_.use(Sql::execution_delete).bind(key).run();
    if (run.stopping > 0) connection_.use(Sql::stopping_delete_all).bind(key).run();
    if (run.code_missing_since) remove_put_off(key);
    delete_rare(key, no_large_, Sql::large_delete_all, Sql::large_around);
    delete_rare(key, no_key_values_, Sql::key_value_clear, Sql::key_value_around);
    for (const Sql statement : {Sql::history_delete, Sql::label_delete, Sql::run_delete}) {
        connection_.use(statement).bind(key).run();
    }
    std::erase(dirty_, &run);
    runs_[key] = nullptr;
    return static_cast<std::uint64_t>(old) + 1;
}

std::uint64_t Tables::delete_rare(RunKey run, Vacancy& vacancy, Sql statement, Sql around) {
    if (vacancy.covers(run)) return 0;
    const int deleted = connection_.use(statement).bind(run).run();
    if (deleted == 0) {
        Query query = connection_.use(around);
        vacancy.learn(run, query.bind(run));
    }
    return static_cast<std::uint64_t>(deleted);
}

}  // namespace belay::sqlite
