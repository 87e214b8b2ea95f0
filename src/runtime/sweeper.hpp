// Housekeeping that any process does for all.
#pragma once

#include "runtime/inbox.hpp"
#include "runtime/services.hpp"

#include <optional>

namespace belay::runtime {

/// Now and then asks the store to end canceling runs past their deadline and to remove stopping
/// records, request ids and keys past their time. It needs nobody's code, so no state waits for
/// ever on a dead worker.
class Sweeper {
public:
    explicit Sweeper(Services& services)
        : services_(services), due_at_(services.clock.monotonic()) {}

    /// Does one thing; false when there is nothing to do now.
    bool step();
    [[nodiscard]] std::optional<Millis> next_due() const {
        return in_flight_ ? std::nullopt : std::optional(due_at_);
    }

private:
    void on_answer(const Result<std::vector<Answer>>& result);
    void fail(const Error& error);

    Services& services_;
    Mailbox mailbox_;
    bool in_flight_ = false;
    Millis due_at_;
};

}  // namespace belay::runtime
