// Messages, timers and dead letters.
#include "store/memory/table_rows.hpp"

#include <algorithm>
#include <utility>

namespace belay::memory {

namespace {

Run& inbox_of(store::Run& run) { return static_cast<Run&>(run); }
const Run& inbox_of(const store::Run& run) { return static_cast<const Run&>(run); }

}  // namespace

void TableRows::insert_message(store::Run& run,
                               MessageNo number,
                               Timestamp sent_at,
                               const NewMessage& message) {
    add_waiting(inbox_of(run), number, sent_at, Waiting{message, {}, false, now()});
}

void TableRows::insert_timed(store::Run& run,
                             MessageNo number,
                             Timestamp due_at,
                             const NewMessage& message,
                             std::optional<CommandNo> timer) {
    std::optional<CommandRef> command;
    if (timer) command.emplace(run.execution, *timer);
    add_waiting(inbox_of(run), number, due_at, Waiting{message, command, true, due_at});
}

store::TakenOut TableRows::erase_waiting(store::Run& run, MessageNo number) {
    return remove_waiting(inbox_of(run), number);
}

void TableRows::erase_timers(store::Run& run) {
    Run& row = inbox_of(run);
    while (!row.timers.empty()) (void)remove_waiting(row, row.timers.begin()->second.second);
}

std::uint64_t TableRows::erase_inbox(store::Run& run) {
    Run& row = inbox_of(run);
    const std::uint64_t count = row.inbox.size();
    row.inbox.clear();
    row.inbox_times.clear();
    row.inbox_ready.clear();
    row.timers.clear();
    return count;
}

std::optional<Timestamp> TableRows::inbox_ready_from(const store::Run& run) {
    const auto& ready = inbox_of(run).inbox_ready;
    return ready.empty() ? std::nullopt : std::optional(ready.begin()->first);
}

std::optional<MessageNo> TableRows::find_timer(const store::Run& run,
                                               ExecutionNo execution,
                                               CommandNo command) {
    const auto& timers = inbox_of(run).timers;
    const auto timer = timers.find(CommandRef{execution, command});
    return timer == timers.end() ? std::nullopt : std::optional(timer->second.second);
}

std::vector<Message> TableRows::ready_messages(const store::Run& run,
                                               std::optional<std::uint32_t> most) {
    std::vector<Message> messages;
    for (const auto& [key, waiting] : inbox_of(run).inbox) {
        if (most && messages.size() == *most) break;
        if (waiting.timed && key.first > now()) continue;
        messages.push_back(Message{key.second, key.first, waiting.content});
    }
    return messages;
}

std::uint64_t TableRows::count_messages(const store::Run& run) {
    const auto& inbox = inbox_of(run).inbox;
    return static_cast<std::uint64_t>(
        std::count_if(inbox.begin(), inbox.end(), [](const auto& one) {
            return one.second.content.command == 0;
        }));
}

// ---- Dead letters ------------------------------------------------------------------------------

void TableRows::insert_letter(RunRef run, const NewMessage& message, const std::string& reason) {
    DeadLetter letter;
    letter.run = run;
    letter.message = message;
    letter.reason = reason;
    letter.at = now();
    add_dead_letter(tables_, std::move(letter));
}

std::optional<store::Letter> TableRows::find_letter(std::uint64_t id) {
    const auto found = tables_.dead_letters.find(id);
    if (found == tables_.dead_letters.end()) return std::nullopt;
    return store::Letter{found->second.run, found->second.message};
}

void TableRows::erase_letter(std::uint64_t id) { remove_dead_letter(tables_, id); }

std::uint64_t TableRows::erase_letters_to(const store::Run& run) {
    const auto letters = tables_.letters_to.find(run.ref);
    if (letters == tables_.letters_to.end()) return 0;
    const std::set<std::uint64_t> ids = letters->second;
    for (const std::uint64_t id : ids) remove_dead_letter(tables_, id);
    return ids.size();
}

}  // namespace belay::memory
