// Messages and timers.
#include "store/sqlite/read_run.hpp"
#include "store/sqlite/tables.hpp"

#include <tuple>

namespace belay::sqlite {

namespace {

void bind_message(
    Query& query, RunKey run, MessageNo number, Timestamp at, const NewMessage& message) {
    query.bind(run,
               number,
               at,
               message.kind,
               message.execution,
               message.command,
               message.name,
               message.payload);
}

void arrive(Run& run, Timestamp ready_from) {
    run.inbox_at = run.inbox_at ? std::min(*run.inbox_at, ready_from) : ready_from;
}

}  // namespace

void Tables::add_message(Run& run, const NewMessage& message) {
    BELAY_ASSERT(!run.ended());
    // Behind all that came before it, whatever the clock says.
    run.last_sent = std::max(run.last_sent, now_);
    ++run.plain_messages;
    Query query = connection_.use(Sql::message_insert);
    bind_message(query, run.ref.key, run.next_message++, run.last_sent, message);
    query.bind(now_).run();
    arrive(run, now_);
    touch(run);
}

void Tables::add_timed(Run& run,
                       Timestamp due_at,
                       const NewMessage& message,
                       std::optional<CommandNo> timer) {
    BELAY_ASSERT(!run.ended());
    Query query = connection_.use(Sql::timer_insert);
    bind_message(query, run.ref.key, run.next_message++, due_at, message);
    query.bind(timer ? std::optional(run.execution) : std::nullopt, timer).run();
    arrive(run, due_at);
    touch(run);
}

void Tables::remove_waiting(Run& run, MessageNo number) {
    if (!run.inbox_at) return;
    const RunKey key = run.ref.key;
    if (connection_.use(Sql::message_delete).bind(key, number).run() == 1) {
        --run.plain_messages;
    } else if (connection_.use(Sql::timer_delete).bind(key, number).run() == 0) {
        return;
    }
    run.inbox_stale = true;
    touch(run);
}

void Tables::clear_timers(Run& run) {
    if (!run.inbox_at) return;
    connection_.use(Sql::timer_clear_set).bind(run.ref.key).run();
    run.inbox_stale = true;
    touch(run);
}

std::uint64_t Tables::clear_inbox(Run& run) {
    if (!run.inbox_at) return 0;
    int removed = connection_.use(Sql::message_clear).bind(run.ref.key).run();
    removed += connection_.use(Sql::timer_clear).bind(run.ref.key).run();
    run.inbox_at.reset();
    run.inbox_stale = false;
    run.plain_messages = 0;
    touch(run);
    return static_cast<std::uint64_t>(removed);
}

void Tables::refresh_inbox(Run& run) {
    if (!run.inbox_stale) return;
    run.inbox_stale = false;
    run.inbox_at.reset();
    for (const Sql statement : {Sql::message_first, Sql::timer_first}) {
        Query query = connection_.use(statement);
        query.bind(run.ref.key);
        if (query.step() && !query.null(0)) arrive(run, query.time(0));
    }
}

std::optional<MessageNo> Tables::find_timer(const Run& run,
                                            ExecutionNo execution,
                                            CommandNo command) {
    if (!run.inbox_at) return std::nullopt;
    Query query = connection_.use(Sql::timer_find);
    query.bind(run.ref.key, execution, command);
    if (!query.step()) return std::nullopt;
    return query.number(0);
}

std::vector<Message> Tables::ready_messages(const Run& run, std::uint32_t max) {
    std::vector<Message> messages;
    if (!run.has_ready_message(now_)) return messages;
    // What was accepted before a cancel is never left for the turn after it.
    const std::int64_t limit = run.cancel ? -1 : std::int64_t(max);
    for (const Sql statement : {Sql::message_ready, Sql::timer_ready}) {
        Query query = connection_.use(statement);
        query.bind(run.ref.key, limit);
        if (statement == Sql::timer_ready) query.bind(now_);
        while (query.step()) {
            messages.push_back(Message{query.number(0), query.time(1), read_message(query, 2)});
        }
    }
    std::sort(messages.begin(), messages.end(), [](const Message& a, const Message& b) {
        return std::tie(a.sent_at, a.id) < std::tie(b.sent_at, b.id);
    });
    std::size_t seen = 0;
    std::erase_if(messages, [&](const Message& message) {
        const bool before_cancel = run.cancel && message.id < run.cancel->sequence;
        return seen++ >= max && !before_cancel;
    });
    return messages;
}

std::uint64_t Tables::count_messages(const Run& run) {
    if (!run.inbox_at) return 0;
    std::uint64_t count = 0;
    for (const Sql statement : {Sql::message_count_sent, Sql::timer_count_sent}) {
        Query query = connection_.use(statement);
        query.bind(run.ref.key);
        if (query.step()) count += query.number(0);
    }
    return count;
}

std::optional<Letter> Tables::find_letter(std::uint64_t id) {
    Query query = connection_.use(Sql::dead_letter_find);
    query.bind(id);
    if (!query.step()) return std::nullopt;
    return Letter{read_run(query, 0), read_message(query, 2)};
}

void Tables::remove_letter(std::uint64_t id) {
    connection_.use(Sql::dead_letter_remove).bind(id).run();
}

std::uint64_t Tables::delete_dead_letters(const Run& run) {
    return delete_rare(
        run.ref.key, no_dead_letters_, Sql::dead_letter_delete, Sql::dead_letter_around);
}

void Tables::add_dead_letter(RunRef run, const NewMessage& message) {
    const std::string reason = "there is no run " + to_string(run);
    no_dead_letters_.forget();
    connection_.use(Sql::dead_letter_insert)
        .bind(run.key,
              run.shard,
              message.kind,
              message.execution,
              message.command,
              message.name,
              message.payload,
              reason,
              now_)
        .run();
}

}  // namespace belay::sqlite
