// Takes back at once what dead processes of this machine held.
#pragma once

#include "runtime/inbox.hpp"
#include "runtime/services.hpp"

#include <cstdint>
#include <deque>
#include <optional>

namespace belay::runtime {

/// Asks the store for holders that are dead, first when it is made and then again and again, and
/// releases their leases. Any process does it for all; two that do the same do no harm.
class Takeover {
public:
    explicit Takeover(Services& services)
        : services_(services), due_at_(services.clock.monotonic()) {}

    /// Does one thing; false when there is nothing to do now.
    bool step();
    [[nodiscard]] std::optional<Millis> next_due() const {
        return in_flight_ ? std::nullopt : std::optional(due_at_);
    }

private:
    void look();
    void release(std::uint64_t holder);
    void on_look(const Result<ReadDeadHolders::Answer>& result);
    void on_release(const Result<std::vector<Answer>>& result);
    void wait(Millis delay) { due_at_ = services_.clock.monotonic() + delay; }

    Services& services_;
    Mailbox mailbox_;
    bool in_flight_ = false;
    /// Another process was seen, alive or dead. One that left may come again and die between two
    /// looks, so they stay frequent.
    bool accompanied_ = false;
    Millis due_at_;
    std::deque<std::uint64_t> dead_;  ///< Not released yet.
    std::uint64_t released_ = 0;      ///< Leases of the first of them.
};

}  // namespace belay::runtime
