// The faults of a simulation, and their counts.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

namespace belay::sim {

enum class Fault : std::uint8_t {
    process_death,        ///< Destroyed without warning; restarted later.
    death_before_answer,  ///< ... while something it wrote was applied and not yet answered.
    packet_after_death,   ///< A request of it was applied after its death.
    packet_lost,          ///< A request of it was never applied.
    shutdown,             ///< A process was asked to stop, and another took its place.
    deploy_without_code,  ///< A process came up that lacks some of the code.
    deploy_without_key,   ///< ... that cannot read all that is encrypted.
    pause,                ///< A process stood still for longer than its leases.
    suspend,              ///< The same, and its monotonic clock stood still too.
    lease_takeover,       ///< An expired lease was taken by somebody else.
    clock_jump,           ///< The store's clock jumped ahead.
    clock_set_back,       ///< The store's clock jumped back.
    clock_skew,           ///< A process's wall clock is wrong.
    retryable_error,
    unknown_applied,  ///< "Outcome unknown", and it had been applied.
    unknown_lost,     ///< "Outcome unknown", and it had not.
    delayed_call,
    reordered_call,
    late_notice,
    dropped_notice,
    doubled_notice,
    false_stop_notice,  ///< A notice about leases that stand.
    slow_activity,      ///< Takes longer than a lease.
    hanging_activity,   ///< Ends only when it is asked to stop.
    stop_ignored,       ///< Does not end when it is asked to.
    failing_activity,
    slow_turn,     ///< Takes longer than its lock lasts, and less than its limit.
    endless_turn,  ///< Never ends.
    eviction,
    death_noticed,       ///< At once: what the process held is taken over.
    death_noticed_late,  ///< After a while, or when the leases are over anyway.
    death_unnoticed,     ///< Never: the leases end.
    dead_taken_over,     ///< A lease of a dead process was taken back.
    // Faults of the disk: only where the store is in a file.
    power_loss,   ///< Everyone dies, and unsynced writes are lost, kept or torn.
    users_crash,  ///< Everyone who has the file open dies; no write is lost.
    read_error,
    write_error,
    sync_error,  ///< ... after which those writes are never on the disk.
    disk_full,
    count
};

inline constexpr std::size_t kFaultKinds = static_cast<std::size_t>(Fault::count);

/// The place of the true store of a simulation.
enum class StoreKind : std::uint8_t { memory, sqlite };

/// True if it can happen there.
[[nodiscard]] constexpr bool possible(Fault fault, StoreKind store) {
    return store == StoreKind::sqlite || fault < Fault::power_loss;
}

[[nodiscard]] constexpr std::string_view to_string(Fault fault) {
    constexpr std::array<std::string_view, kFaultKinds> kNames = {
        "process death",
        "death between applied and answered",
        "packet applied after its sender died",
        "packet lost with its sender",
        "shutdown and replacement",
        "deploy without code",
        "deploy without the new key",
        "pause longer than a lease",
        "suspension with a standing clock",
        "lease taken over after expiry",
        "jump of the store's clock",
        "store's clock set back",
        "skewed process clock",
        "retryable error",
        "unknown outcome, applied",
        "unknown outcome, not applied",
        "delayed call",
        "reordered call",
        "late notification",
        "dropped notification",
        "doubled notification",
        "false notification of a stop",
        "slow activity",
        "hanging activity",
        "activity that ignores the stop",
        "failing activity",
        "slow turn",
        "turn that never ends",
        "eviction",
        "death noticed at once",
        "death noticed late",
        "death never noticed",
        "lease taken back from the dead",
        "loss of power",
        "crash of all who have the file open",
        "failed read",
        "failed write",
        "failed sync",
        "full disk",
    };
    return kNames[static_cast<std::size_t>(fault)];
}

class FaultCounts {
public:
    void add(Fault fault, std::uint64_t count = 1) {
        counts_[static_cast<std::size_t>(fault)] += count;
    }
    void add(const FaultCounts& other) {
        for (std::size_t i = 0; i < kFaultKinds; ++i) counts_[i] += other.counts_[i];
    }
    [[nodiscard]] std::uint64_t of(Fault fault) const {
        return counts_[static_cast<std::size_t>(fault)];
    }
    [[nodiscard]] std::uint64_t total() const {
        std::uint64_t sum = 0;
        for (const std::uint64_t count : counts_) sum += count;
        return sum;
    }
    bool operator==(const FaultCounts&) const = default;

private:
    std::array<std::uint64_t, kFaultKinds> counts_{};
};

}  // namespace belay::sim
