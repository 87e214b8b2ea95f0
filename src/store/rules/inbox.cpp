#include "store/rules/inbox.hpp"

#include <algorithm>
#include <tuple>

namespace belay::store {

namespace {

void arrive(Run& run, Timestamp ready_from) {
    run.inbox_at = run.inbox_at ? std::min(*run.inbox_at, ready_from) : ready_from;
}

}  // namespace

void add_message(Rows& rows, Run& run, const NewMessage& message) {
    BELAY_ASSERT(!run.ended());
    run.last_sent = std::max(run.last_sent, rows.now());
    ++run.plain_messages;
    rows.insert_message(run, run.next_message++, run.last_sent, message);
    arrive(run, rows.now());
    rows.touch(run);
}

void add_timed(Rows& rows,
               Run& run,
               Timestamp due_at,
               const NewMessage& message,
               std::optional<CommandNo> timer) {
    BELAY_ASSERT(!run.ended());
    rows.insert_timed(run, run.next_message++, due_at, message, timer);
    arrive(run, due_at);
    rows.touch(run);
}

void remove_waiting(Rows& rows, Run& run, MessageNo number) {
    if (!run.inbox_at) return;
    switch (rows.erase_waiting(run, number)) {
        case TakenOut::nothing: return;
        case TakenOut::message: --run.plain_messages; break;
        case TakenOut::timed: break;
    }
    run.inbox_stale = true;
    rows.touch(run);
}

void clear_timers(Rows& rows, Run& run) {
    if (!run.inbox_at) return;
    rows.erase_timers(run);
    run.inbox_stale = true;
    rows.touch(run);
}

std::uint64_t clear_inbox(Rows& rows, Run& run) {
    if (!run.inbox_at) return 0;
    const std::uint64_t removed = rows.erase_inbox(run);
    run.inbox_at.reset();
    run.inbox_stale = false;
    run.plain_messages = 0;
    rows.touch(run);
    return removed;
}

std::optional<MessageNo> find_timer(Rows& rows,
                                    const Run& run,
                                    ExecutionNo execution,
                                    CommandNo command) {
    if (!run.inbox_at) return std::nullopt;
    return rows.find_timer(run, execution, command);
}

std::vector<Message> first_messages(Rows& rows, const Run& run, std::uint32_t max) {
    if (!run.has_ready_message(rows.now())) return {};
    // A message accepted before a cancel is never left for the turn after it.
    std::vector<Message> messages =
        rows.ready_messages(run, run.cancel ? std::nullopt : std::optional(max));
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

}  // namespace belay::store
