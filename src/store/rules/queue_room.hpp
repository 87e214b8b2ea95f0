// The room that a queue with limits has for another activity: for all stores.
#pragma once

#include "store/rules/records.hpp"
#include <belay/queue_limits.hpp>
#include <belay/store/claim.hpp>

#include <cstdint>
#include <map>
#include <string>

namespace belay::store {

/// A queue as it is used at one moment. The caller first adds every use that may still count, one
/// by one or as sums, and then asks.
class QueueRoom {
public:
    QueueRoom(const QueueLimits& limits, Timestamp now) : limits_(limits), now_(now) {}

    /// Adds an attempt that began at `begun_at` and runs until `until`, unless it ends earlier.
    void add(const std::string& key, Timestamp begun_at, Timestamp until);

    // The same in parts, for a caller that can count. For a rate, count only what began after
    // `not_counted_from` it; `first` is when the first of these began. For a key, only if
    // `counts_starts_of` it.
    void add_running(const std::string& key, Timestamp until);
    void add_started(std::uint64_t count, Timestamp first);
    void add_started_of(const std::string& key, std::uint64_t count, Timestamp first);

    /// True if the number of attempts that a key has begun matters.
    [[nodiscard]] bool counts_starts_of(const std::string& key) const {
        return limits_.started_per_key && !key.empty();
    }
    /// True if nothing can begin, whatever its key.
    [[nodiscard]] bool full() const;
    [[nodiscard]] bool has(const std::string& key) const;
    /// Returns how long until time alone may make room. Returns none if it cannot.
    [[nodiscard]] ReadyIn ready_in() const { return ready_in_; }

private:
    struct Counts {
        std::uint64_t running = 0;
        std::uint64_t started = 0;
    };

    [[nodiscard]] bool is_recent(Timestamp begun_at, const std::optional<StartRate>& rate) const;
    void wake_at(Timestamp at);

    QueueLimits limits_;
    Timestamp now_;
    Counts all_;
    std::map<std::string, Counts> keys_;
    ReadyIn ready_in_;
};

/// True if a limit applies to each key.
[[nodiscard]] inline bool limits_keys(const QueueLimits& limits) {
    return limits.running_per_key || limits.started_per_key;
}
/// Returns the time up to which the rate no longer counts what began then.
[[nodiscard]] Timestamp not_counted_from(const StartRate& rate, Timestamp now);
/// The same for all rates of the limits.
[[nodiscard]] Timestamp not_counted_from(const QueueLimits& limits, Timestamp now);

}  // namespace belay::store
