// Whether a queue with limits has room for another activity: for all stores.
#pragma once

#include "store/rules/records.hpp"
#include <belay/queue_limits.hpp>
#include <belay/store/claim.hpp>

#include <cstdint>
#include <map>
#include <string>

namespace belay::store {

/// A queue as it is used at one moment. Filled with every use that may still count, one by one or
/// by what they come to, then asked.
class QueueRoom {
public:
    QueueRoom(const QueueLimits& limits, Timestamp now) : limits_(limits), now_(now) {}

    /// An attempt was begun then, and runs until `until` unless it ends before.
    void add(const std::string& key, Timestamp begun_at, Timestamp until);

    // The same in parts, by who can count. Of a rate only what was begun after `not_counted_from`
    // it, the first of it at `first`. Of a key only if `counts_starts_of` it.
    void add_running(const std::string& key, Timestamp until);
    void add_started(std::uint64_t count, Timestamp first);
    void add_started_of(const std::string& key, std::uint64_t count, Timestamp first);

    /// Whether it matters how many of a key have begun.
    [[nodiscard]] bool counts_starts_of(const std::string& key) const {
        return limits_.started_per_key && !key.empty();
    }
    /// Nothing can begin, whatever its key.
    [[nodiscard]] bool full() const;
    [[nodiscard]] bool has(const std::string& key) const;
    /// How long until time alone may make room; none: it cannot.
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

/// Whether anything is limited of each key.
[[nodiscard]] inline bool limits_keys(const QueueLimits& limits) {
    return limits.running_per_key || limits.started_per_key;
}
/// A rate does not count any more what was begun then or before.
[[nodiscard]] Timestamp not_counted_from(const StartRate& rate, Timestamp now);
/// No rate does.
[[nodiscard]] Timestamp not_counted_from(const QueueLimits& limits, Timestamp now);

}  // namespace belay::store
