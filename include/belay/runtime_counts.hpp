// Counts of a runtime.
#pragma once

#include <belay/engine_event.hpp>

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>

namespace belay {

/// A counter. May be read, which is what copying does, while another thread counts.
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

    /// The implicit conversion is intended: a count is a number.
    operator std::uint64_t() const noexcept { return value_.load(std::memory_order_relaxed); }
    /// Counts one.
    Count& operator++() noexcept { return *this += 1; }
    /// Counts `more`.
    Count& operator+=(std::uint64_t more) noexcept {
        value_.fetch_add(more, std::memory_order_relaxed);
        return *this;
    }

private:
    std::atomic<std::uint64_t> value_{0};
};

/// The work of a runtime so far.
struct RuntimeCounts {
    Count turns_committed;
    Count turns_refused;
    Count cold_replays;
    Count resident_turns;
    Count fused_turns;  ///< Committed together with the start or the activities that caused them.
    Count overruns;     ///< Turns that ran past their limit and were given up.
    Count held;
    Count poisoned;
    /// Runs put off, activities marked, and both given back, because their code was missing.
    Count unregistered;
    Count unreadable;  ///< Given back, or kept, because a key or a coder was missing.
    Count activities_begun;
    Count handed_over;  ///< The part of them begun without a claim: a turn here scheduled them.
    Count activities_completed;
    Count completions_refused;
    Count stops_requested;
    Count timeouts;  ///< The part of them because an activity took too long or sent no heartbeat.
    Count abandoned;
    Count renewals;
    Count leases_lost;
    Count taken_over;  ///< Leases of dead processes that were taken back here.
    /// All events by code, including those that were left out for a sink.
    std::array<Count, kEngineCodes> events;

    /// The number of events of this code.
    [[nodiscard]] std::uint64_t events_of(EngineCode code) const noexcept {
        return events[static_cast<std::size_t>(code)];
    }
};

}  // namespace belay
