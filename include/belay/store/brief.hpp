// Short facts of instances and executions, and counts of removed rows.
#pragma once

#include <belay/ids.hpp>
#include <belay/message.hpp>
#include <belay/status.hpp>
#include <belay/time.hpp>

#include <cstdint>
#include <optional>

namespace belay {

/// The instance of an operation, as it is after it.
struct InstanceBrief {
    RunRef run;
    InstanceName name;
    Status status = Status::pending;
    bool deleted = false;  ///< Only its idempotency key is left.
};

/// The counts of rows that a deletion or a pruning removed.
struct DeleteCounts {
    std::uint64_t instances = 0;
    std::uint64_t executions = 0;
    std::uint64_t events = 0;
    std::uint64_t messages = 0;  ///< Messages (dead letters too), activities and timers.
    bool operator==(const DeleteCounts&) const = default;
};

/// One link of a continue-as-new chain.
struct ExecutionInfo {
    ExecutionNo execution = 1;
    Status status = Status::running;
    EventNo events = 0;
    Timestamp started_at{};
    std::optional<Timestamp> ended_at;
};

}  // namespace belay
