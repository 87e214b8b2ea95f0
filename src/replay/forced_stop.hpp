// Ends code that does not honour a limit by itself.
//
//   state     event                                                 next
//   running   it is refused more than Limits::cancel_throws times   stopped
//   running   a message comes that its buffer has no room for       stopped
//   running   its history is longer than it may be                  stopped
//   stopped   any                                                   stopped, for the first reason
//
// A refusal is an exception: Canceled, LimitExceeded or std::invalid_argument. Code that catches it
// and asks again would never end its turn.
#pragma once

#include <belay/limits.hpp>

#include <cstdint>
#include <string>

namespace belay::replay {

class ForcedStop {
public:
    explicit ForcedStop(const Limits& limits) noexcept : limits_(limits) {}

    void count_refusal();
    void stop_for_messages();
    void stop_for_history();

    [[nodiscard]] bool is_set() const noexcept { return !why_.empty(); }
    [[nodiscard]] const std::string& why() const noexcept { return why_; }

private:
    const Limits& limits_;
    std::uint32_t refusals_ = 0;
    std::string why_;  // Empty: the code runs.
};

}  // namespace belay::replay
