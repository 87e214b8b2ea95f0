// Limits on how many activities of a queue run at once, and begin within a time.
#pragma once

#include <belay/error.hpp>
#include <belay/time.hpp>

#include <cstdint>
#include <optional>
#include <string>

namespace belay {

/// At most `count` within any `per`.
struct StartRate {
    std::uint32_t count = 0;
    Millis per{0};
    bool operator==(const StartRate&) const = default;
};

/// Limits over all workers on a store. A field that is not set does not limit. 0 lets nothing
/// begin, until more is set.
///
/// Every attempt counts that was begun and not given back untouched. It runs until it has ended or
/// its lease has; a canceled one until it was seen to end or can be running no more. An attempt
/// that is canceled after its lease expired counts again. A beginning that no rate counts any more
/// is forgotten when the next activity of the queue begins. A longer rate that is set later does
/// not count it.
struct QueueLimits {
    std::optional<std::uint32_t> running{};
    /// Running activities of each fairness key. Activities without one are not counted.
    std::optional<std::uint32_t> running_per_key{};
    std::optional<StartRate> started{};
    std::optional<StartRate> started_per_key{};

    /// True if nothing is limited.
    [[nodiscard]] bool empty() const noexcept { return *this == QueueLimits(); }
    bool operator==(const QueueLimits&) const = default;
};

/// Returns `invalid_argument` if nothing is set, or for a rate per no time.
[[nodiscard]] Result<void> check_queue_limits(const QueueLimits& limits);

/// Limits as a store keeps them, with their author and time.
struct StoredQueueLimits {
    std::string queue;  ///< Empty: the default queue.
    QueueLimits limits;
    Timestamp set_at{};
    std::string by;
};

}  // namespace belay
