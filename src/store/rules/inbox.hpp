// Additions to a run's inbox, and what is taken out of it.
#pragma once

#include "store/rules/rows.hpp"

namespace belay::store {

/// Behind all that came before it, whatever the clock says.
void add_message(Rows& rows, Run& run, const NewMessage& message);
/// Received when it is due: a timer of this command, or without one a delayed message.
void add_timed(Rows& rows,
               Run& run,
               Timestamp due_at,
               const NewMessage& message,
               std::optional<CommandNo> timer);
/// Takes an entry out of a run's inbox; nothing when it is not there.
void remove_waiting(Rows& rows, Run& run, MessageNo number);
void clear_timers(Rows& rows, Run& run);
/// Empties the inbox and says how many messages and timers there were.
std::uint64_t clear_inbox(Rows& rows, Run& run);
[[nodiscard]] std::optional<MessageNo> find_timer(Rows& rows,
                                                  const Run& run,
                                                  ExecutionNo execution,
                                                  CommandNo command);
/// Messages and due timers, in the order they are received: the first `max`, and all that were
/// accepted before a cancel.
[[nodiscard]] std::vector<Message> first_messages(Rows& rows, const Run& run, std::uint32_t max);

}  // namespace belay::store
