#include "store/sqlite/reads.hpp"

#include "store/sqlite/reader.hpp"

#include <limits>

namespace belay::sqlite {

namespace {

/// Counts due timers and delayed messages.
std::uint64_t count_due(Connection& connection, RunKey run, Timestamp now) {
    Query query = connection.use(Sql::timer_count_ready);
    query.bind(run, now);
    return query.step() ? query.number(columns::timer_count_ready::count) : 0;
}

InstanceInfo info_of(Connection& connection, Tables& tables, const Run& run, Timestamp now) {
    RunAbout about = tables.about(run);
    InstanceInfo info;
    info.run = run.ref;
    info.name = run.name;
    info.definition = std::move(about.definition);
    info.version = std::move(about.version);
    info.status = run.status;
    info.execution = run.execution;
    info.position = run.position;
    info.input = std::move(about.input);
    info.outcome = std::move(about.outcome);
    info.cancel = run.cancel;
    info.cancel_deadline = run.cancel_deadline;
    info.parent = run.parent;
    info.owner = std::move(about.owner);
    info.started_by = std::move(about.started_by);
    info.headers = std::move(about.headers);
    info.labels = read_labels(connection, run.ref.key);
    info.created_at = run.created_at;
    info.started_at = run.started_at;
    info.ended_at = run.ended_at;
    info.event_count = run.event_count;
    info.history_bytes = run.history_bytes;
    info.custom_status = std::move(about.custom_status);
    info.custom_status_version = run.custom_status_version;
    info.held = run.held;
    info.held_detail = std::move(about.held_detail);
    info.held_kind = about.held_kind;
    info.attempts = run.attempts;
    info.unregistered = run.unregistered;
    info.code_missing_since = run.code_missing_since;
    info.overruns = run.overruns;
    info.locked = run.locked(now);
    if (run.inbox_at) {
        info.ready_messages = run.plain_messages + count_due(connection, run.ref.key, now);
    }
    info.settled = run.settled;
    info.document = about.document;
    info.document_number = about.document_number;
    info.on_fail = run.on_fail;
    info.on_fail_of = about.on_fail_of;
    info.key = std::move(about.key);
    info.priority = run.priority;
    info.expires_at = run.begin_by;
    info.deadline = run.end_by;
    info.concurrency_key = run.concurrency_key;
    info.in_line = run.place_in_line.has_value();
    info.nothing_to_clean_up = run.nothing_to_clean_up && !run.ended();
    return info;
}

ReadInstance::Answer instance_of(Connection& connection,
                                 Tables& tables,
                                 const ReadInstance& request,
                                 Timestamp now) {
    const Run* run = request.run ? tables.find_run(*request.run) : tables.find_run(request.name);
    if (run == nullptr) return std::nullopt;
    return info_of(connection, tables, *run, now);
}

ActivityInfo read_activity(const Query<columns::activity_list>& query, Timestamp now) {
    using Row = columns::activity_list;
    ActivityInfo info;
    info.activity = read_ref(query);
    info.name = query.text(Row::name);
    info.queue = query.text(Row::queue);
    info.attempt = query.small(Row::attempt);
    info.unregistered = query.small(Row::unregistered);
    info.shielded = query.flag(Row::shielded);
    const bool has_token = !query.null(Row::holder);
    if (has_token) info.token = read_token(query);
    info.worker = query.text(Row::worker);
    info.visible_at = query.time(Row::visible_at);
    info.leased_until = query.time(Row::leased_until);
    info.leased = has_token && info.leased_until > now;
    if (!query.null(Row::progress_at)) {
        info.progress_at = query.time(Row::progress_at);
        info.progress = query.payload(Row::codec, Row::flags, Row::bytes);
    }
    info.session = query.text(Row::session);
    return info;
}

}  // namespace

ReadInstance::Answer read(Connection& connection, const ReadInstance& request, Timestamp now) {
    Reader reader(connection, now);
    return instance_of(connection, reader.tables, request, now);
}

// All of one transaction: the tables keep what they have learned from one instance to the next.
ReadInstances::Answer read(Connection& connection, const ReadInstances& request, Timestamp now) {
    ReadInstances::Answer found;
    found.reserve(request.instances.size());
    Reader reader(connection, now);
    for (const ReadInstance& one : request.instances) {
        found.push_back(instance_of(connection, reader.tables, one, now));
    }
    return found;
}

ReadHistory::Answer read(Connection& connection, const ReadHistory& request, Timestamp now) {
    ReadHistory::Answer rows;
    if (Reader(connection, now).tables.find_run(request.run) == nullptr) return rows;
    constexpr EventNo kLast = std::numeric_limits<std::int64_t>::max() / 2;
    Query query = connection.use(Sql::history_read);
    query.bind(request.run.key, request.execution, std::min(request.after, kLast));
    for (std::uint64_t events = 0; events < request.max_events && query.step();) {
        using Row = columns::history_read;
        RecordedRow recorded;
        recorded.first_event = query.number(Row::first_event);
        recorded.row.count = query.small(Row::count);
        recorded.row.format = static_cast<std::uint16_t>(query.integer(Row::format));
        recorded.row.bytes = query.text(Row::bytes);
        events += recorded.row.count;
        rows.push_back(std::move(recorded));
    }
    return rows;
}

ListExecutions::Answer read(Connection& connection, const ListExecutions& request, Timestamp now) {
    ListExecutions::Answer executions;
    Reader reader(connection, now);
    const Run* run = reader.tables.find_run(request.run);
    if (run == nullptr) return executions;
    Query query = connection.use(Sql::execution_list);
    query.bind(request.run.key);
    using Row = columns::execution_list;
    while (query.step()) {
        executions.push_back(ExecutionInfo{query.small(Row::execution),
                                           Status::continued_as_new,
                                           query.number(Row::events),
                                           query.time(Row::started_at),
                                           query.time(Row::ended_at)});
    }
    executions.push_back(ExecutionInfo{
        run->execution, run->status, run->position, run->execution_at, run->ended_at});
    return executions;
}

ListChildren::Answer read(Connection& connection, const ListChildren& request, Timestamp now) {
    ListChildren::Answer children;
    Reader reader(connection, now);
    const Run* run = reader.tables.find_run(request.run);
    if (run == nullptr) return children;
    for (const RunKey child : reader.tables.children_of(*run)) {
        children.push_back(reader.tables.run_of(child).brief());
    }
    return children;
}

KeyValues::Answer read(Connection& connection, const KeyValues& request, Timestamp now) {
    KeyValues::Answer values;
    if (Reader(connection, now).tables.find_run(request.run) == nullptr) return values;
    Query query = connection.use(Sql::key_value_list);
    query.bind(request.run.key);
    using Row = columns::key_value_list;
    while (query.step()) {
        values.emplace(query.text(Row::key), query.payload(Row::codec, Row::flags, Row::bytes));
    }
    return values;
}

ListDeadLetters::Answer read(Connection& connection, const ListDeadLetters& request, Timestamp) {
    ListDeadLetters::Answer letters;
    constexpr std::uint64_t kLast = std::numeric_limits<std::int64_t>::max();
    Query query = connection.use(Sql::dead_letter_list);
    query.bind(std::min(request.after, kLast), request.max);
    using Row = columns::dead_letter_list;
    while (query.step()) {
        DeadLetter letter;
        letter.id = query.number(Row::letter);
        letter.run = query.run_ref(Row::run, Row::shard);
        letter.message = read_message(query);
        letter.reason = query.text(Row::reason);
        letter.at = query.time(Row::at);
        if (!query.null(Row::space)) {
            letter.instance = InstanceName{query.text(Row::space), query.text(Row::id)};
        }
        letters.push_back(std::move(letter));
    }
    return letters;
}

ListActivities::Answer read(Connection& connection, const ListActivities& request, Timestamp now) {
    ListActivities::Answer activities;
    Query query = connection.use(request.run ? Sql::activity_list_of_run : Sql::activity_list);
    if (request.run) query.bind(request.run->key);
    while (query.step()) {
        ActivityInfo info = read_activity(query, now);
        if (!request.run || info.activity.run == *request.run)
            activities.push_back(std::move(info));
    }
    return activities;
}

CheckLeases::Answer read(Connection& connection, const CheckLeases& request, Timestamp now) {
    CheckLeases::Answer holding;
    Reader reader(connection, now);
    for (const auto& [ref, token] : request.leases) {
        const Activity* activity = reader.tables.find_activity(ref);
        if (activity != nullptr && activity->token == token) holding.push_back(token);
    }
    return holding;
}

}  // namespace belay::sqlite
