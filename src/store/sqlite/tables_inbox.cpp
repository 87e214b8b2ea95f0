// Messages and timers.
#include "store/sqlite/tables.hpp"

#include <algorithm>

namespace belay::sqlite {

namespace {

template <class To>
void set_message(Query<NoColumns, To>& query, RunKey run, const NewMessage& message) {
    query.set(To::run, run)
        .set(To::kind, message.kind)
        .set(To::execution, message.execution)
        .set(To::command, message.command)
        .set(To::name, message.name)
        .set(To::codec, message.payload.codec)
        .set(To::flags, message.payload.flags)
        .set(To::bytes, Blob{message.payload.bytes});
}

}  // namespace

void Tables::insert_message(Run& run,
                            MessageNo number,
                            Timestamp sent_at,
                            const NewMessage& message) {
    Query query = connection_.use(Sql::message_insert);
    set_message(query, run.ref.key, message);
    using To = parameters::message_insert;
    query.set(To::number, number).set(To::at, sent_at).set(To::ready_from, now()).run();
}

void Tables::insert_timed(Run& run,
                          MessageNo number,
                          Timestamp due_at,
                          const NewMessage& message,
                          std::optional<CommandNo> timer) {
    Query query = connection_.use(Sql::timer_insert);
    set_message(query, run.ref.key, message);
    using To = parameters::timer_insert;
    query.set(To::number, number)
        .set(To::at, due_at)
        .set(To::timer_execution, timer ? std::optional(run.execution) : std::nullopt)
        .set(To::timer_command, timer)
        .run();
}

store::TakenOut Tables::erase_waiting(Run& run, MessageNo number) {
    const RunKey key = run.ref.key;
    if (connection_.use(Sql::message_delete).bind(key, number).run() == 1) {
        return store::TakenOut::message;
    }
    const int timers = connection_.use(Sql::timer_delete).bind(key, number).run();
    return timers == 0 ? store::TakenOut::nothing : store::TakenOut::timed;
}

void Tables::erase_timers(Run& run) {
    connection_.use(Sql::timer_clear_set).bind(run.ref.key).run();
}

std::uint64_t Tables::erase_inbox(Run& run) {
    int removed = connection_.use(Sql::message_clear).bind(run.ref.key).run();
    removed += connection_.use(Sql::timer_clear).bind(run.ref.key).run();
    return static_cast<std::uint64_t>(removed);
}

std::optional<Timestamp> Tables::inbox_ready_from(const Run& run) {
    std::optional<Timestamp> first;
    for (const auto statement : {Sql::message_first, Sql::timer_first}) {
        Query query = connection_.use(statement);
        query.bind(run.ref.key);
        using Row = columns::message_first;
        if (!query.step() || query.null(Row::earliest)) continue;
        const Timestamp found = query.time(Row::earliest);
        first = first ? std::min(*first, found) : found;
    }
    return first;
}

std::optional<MessageNo> Tables::find_timer(const Run& run,
                                            ExecutionNo execution,
                                            CommandNo command) {
    Query query = connection_.use(Sql::timer_find);
    query.bind(run.ref.key, execution, command);
    if (!query.step()) return std::nullopt;
    return query.number(columns::timer_find::number);
}

std::vector<Message> Tables::ready_messages(const Run& run, std::optional<std::uint32_t> most) {
    std::vector<Message> messages;
    const std::int64_t limit = most ? std::int64_t{*most} : -1;
    using Row = columns::message_ready;
    const auto read_all = [&](Query<Row>& query) {
        while (query.step()) {
            messages.push_back(
                Message{query.number(Row::number), query.time(Row::at), read_message(query)});
        }
    };
    Query plain = connection_.use(Sql::message_ready);
    read_all(plain.bind(run.ref.key, limit));
    Query timed = connection_.use(Sql::timer_ready);
    read_all(timed.bind(run.ref.key, limit, now()));
    return messages;
}

std::uint64_t Tables::count_messages(const Run& run) {
    if (!run.inbox_at) return 0;
    std::uint64_t count = 0;
    for (const auto statement : {Sql::message_count_sent, Sql::timer_count_sent}) {
        Query query = connection_.use(statement);
        query.bind(run.ref.key);
        if (query.step()) count += query.number(columns::message_count_sent::count);
    }
    return count;
}

std::optional<Letter> Tables::find_letter(std::uint64_t id) {
    Query query = connection_.use(Sql::dead_letter_find);
    query.bind(id);
    if (!query.step()) return std::nullopt;
    using Row = columns::dead_letter_find;
    return Letter{query.run_ref(Row::run, Row::shard), read_message(query)};
}

void Tables::erase_letter(std::uint64_t id) {
    connection_.use(Sql::dead_letter_remove).bind(id).run();
}

std::uint64_t Tables::erase_letters_to(const Run& run) {
    return delete_rare(
        run.ref.key, no_dead_letters_, Sql::dead_letter_delete, Sql::dead_letter_around);
}

void Tables::insert_letter(RunRef run, const NewMessage& message, const std::string& reason) {
    no_dead_letters_.forget();
    Query query = connection_.use(Sql::dead_letter_insert);
    set_message(query, run.key, message);
    using To = parameters::dead_letter_insert;
    query.set(To::shard, run.shard).set(To::reason, reason).set(To::at, now()).run();
}

}  // namespace belay::sqlite
