// Additions to a run's inbox, and removals from it.
#pragma once

#include "store/rules/rows.hpp"

namespace belay::store {

/// Appends behind all earlier messages, whatever the clock says.
void add_message(Rows& rows, Run& run, const NewMessage& message);
/// Received when it is due: the timer of this command, or a delayed message if there is none.
void add_timed(Rows& rows,
               Run& run,
               Timestamp due_at,
               const NewMessage& message,
               std::optional<CommandNo> timer);
/// Removes an entry from a run's inbox. Does nothing if it is not there.
void remove_waiting(Rows& rows, Run& run, MessageNo number);
void clear_timers(Rows& rows, Run& run);
/// Empties the inbox. Returns the number of its messages and timers.
std::uint64_t clear_inbox(Rows& rows, Run& run);
[[nodiscard]] std::optional<MessageNo> find_timer(Rows& rows,
                                                  const Run& run,
                                                  ExecutionNo execution,
                                                  CommandNo command);
/// Returns messages and due timers in the order in which they are received: the first `max`, and
/// all that were accepted before a cancel.
[[nodiscard]] std::vector<Message> first_messages(Rows& rows, const Run& run, std::uint32_t max);

}  // namespace belay::store
