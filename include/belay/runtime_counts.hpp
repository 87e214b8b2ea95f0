// What a runtime counts.
#pragma once

#include <belay/engine_event.hpp>

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>

namespace belay {

/// Counts up. May be read, which is what copying does, while another thread counts.
class Count {
public:
    Count() = default;
    /// Reads it.
    Count(const Count& other) noexcept : value_(other) {}
    /// Reads the other one.
    Count& operator=(const Count& other) noexcept {
        value_.store(other, std::memory_order_relaxed);
        return *this;
    }
    ~Count() = default;

    /// The conversion is meant: a count is a number.
    operator std::uint64_t() const noexcept { return value_.load(std::memory_order_relaxed); }
    /// Counts one.
    Count& operator++() noexcept { return *this += 1; }
    /// Counts so many.
    Count& operator+=(std::uint64_t more) noexcept {
        value_.fetch_add(more, std::memory_order_relaxed);
        return *this;
    }

private:
    std::atomic<std::uint64_t> value_{0};
};

/// What a runtime has done so far.
struct RuntimeCounts {
    Count turns_committed;
    Count turns_refused;
    Count cold_replays;
    Count resident_turns;
    Count fused_turns;  ///< Committed together with the start or the activities that caused them.
    Count overruns;     ///< Turns that ran past their limit and were given up.
    Count held;
    Count poisoned;
    /// Runs put off, activities marked, and both given back, for want of their code.
    Count unregistered;
    Count unreadable;  ///< Given back, or kept, for want of a key or a coder.
    Count activities_begun;
    Count handed_over;  ///< Of those, begun without a claim: a turn here scheduled them.
    Count activities_completed;
    Count completions_refused;
    Count stops_requested;
    Count timeouts;  ///< Of those, because an activity took too long or fell silent.
    Count abandoned;
    Count renewals;
    Count leases_lost;
    Count taken_over;  ///< Leases of dead processes that were taken back here.
    /// Everything that was reported, by code, also what a sink was spared.
    std::array<Count, kEngineCodes> events;

    /// The number of events of this code.
    [[nodiscard]] std::uint64_t events_of(EngineCode code) const noexcept {
        return events[static_cast<std::size_t>(code)];
    }
};

}  // namespace belay
