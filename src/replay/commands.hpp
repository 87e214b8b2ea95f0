// The commands of one execution, by number.
//
//   state    event                                       next     recorded
//   none     the code schedules it                       open     the command
//   open     it completes or fails                       closed
//   open     the code drops it                           closed   CommandCanceled
//   open     the run is canceled, and it is unshielded   closed   CommandCanceled
//   closed   an answer comes late                        closed   nothing
//
// The scheduler makes these transitions. A retried operation is several commands in turn: see
// attempts.hpp. A wait is also known to the inbox.
#pragma once

#include <belay/detail/engine.hpp>
#include <belay/ids.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

namespace belay::replay {

class Commands {
public:
    enum class State : std::uint8_t { none, open, closed };

    /// The number that the next command gets.
    [[nodiscard]] CommandNo next() const noexcept {
        return static_cast<CommandNo>(operations_.size() + 1);
    }
    CommandNo add(const std::shared_ptr<detail::Operation>& operation, detail::OperationKind kind);
    /// The command must be open.
    void close(CommandNo command) noexcept;

    [[nodiscard]] State state_of(CommandNo command) const noexcept {
        if (command == 0 || command > operations_.size()) return State::none;
        return operations_[command - 1] ? State::open : State::closed;
    }
    [[nodiscard]] bool is_open(CommandNo command) const noexcept {
        return state_of(command) == State::open;
    }
    /// True if it is open and of a kind that completes by an answer.
    [[nodiscard]] bool can_complete(CommandNo command) const noexcept;
    /// True if it is open and of a kind that fails by an answer.
    [[nodiscard]] bool can_fail(CommandNo command) const noexcept;
    /// The kind of a command, open or closed.
    [[nodiscard]] std::optional<detail::OperationKind> kind_of(CommandNo command) const noexcept;
    /// The operation of an open command. A copy keeps it alive when the command is closed.
    [[nodiscard]] const std::shared_ptr<detail::Operation>& operation(
        CommandNo command) const noexcept {
        return operations_[command - 1];
    }
    [[nodiscard]] std::size_t open_count() const noexcept { return open_count_; }

    /// Marks a child with ParentClose::abandon: it goes on when the code drops it.
    void set_abandoned(CommandNo command) { abandoned_.push_back(command); }
    /// Removes the mark: the child is canceled all the same, because another attempt takes its
    /// place.
    void clear_abandoned(CommandNo command) { std::erase(abandoned_, command); }
    [[nodiscard]] bool is_abandoned(CommandNo command) const noexcept {
        return std::binary_search(abandoned_.begin(), abandoned_.end(), command);
    }

    /// Called when the code is gone: nobody awaits an operation any more.
    void forget_waiters() noexcept;
    /// Called when the execution is gone: futures that still stand for an operation do nothing.
    void detach_all() noexcept;

private:
    // Command n is at n - 1. Only operations of open commands are kept. Kinds are kept for all.
    std::vector<std::shared_ptr<detail::Operation>> operations_;
    std::vector<detail::OperationKind> kinds_;
    std::vector<CommandNo> abandoned_;  // In order.
    std::size_t open_count_ = 0;
};

}  // namespace belay::replay
