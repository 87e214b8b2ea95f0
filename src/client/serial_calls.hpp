// A sequence of calls, each made when the one before it was answered.
#pragma once

#include <atomic>
#include <cstdint>

namespace belay::client {

/// Calls `step` once for each `advance`, never twice at a time and never inside itself. A store may
/// answer before the call that asked returns, and a thousand answers must not be a thousand calls
/// deep. Each step asks for one thing whose answer calls `advance`. A step that asks for nothing is
/// the last.
class SerialCalls {
public:
    template <class Step>
    void advance(Step step) {
        // A thread that finds steps under way leaves the next one to them.
        if (waiting_.fetch_add(1) > 0) return;
        do {
            step();
        } while (waiting_.fetch_sub(1) > 1);
    }

private:
    std::atomic<std::uint32_t> waiting_{0};
};

}  // namespace belay::client
