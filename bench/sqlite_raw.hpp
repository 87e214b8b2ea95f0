// What the engine on SQLite is measured against: its rows, written by bare statements.
#pragma once

#include "workloads.hpp"
#include <belay/store/sqlite.hpp>

#include <cstdint>
#include <memory>

namespace belay::bench {

/// The rows that a workload comes to when every commit is fused, no more and no less, on the tables
/// of raw_schema.sql and with our settings; one thread, 100 instances a commit for each stage, rows
/// of 200 bytes. No guard, no claim, no engine. On a file of its own.
class RawRows {
public:
    /// The workload must outlive it.
    RawRows(const Workload& workload, Synchronous synchronous);
    RawRows(const RawRows&) = delete;
    RawRows& operator=(const RawRows&) = delete;
    ~RawRows();

    /// Takes so many more instances through. Gives how many that are in a second.
    [[nodiscard]] double per_second(std::uint32_t instances);

private:
    class Parts;
    std::unique_ptr<Parts> parts_;
};

/// The yardstick of latency: commits of one row, nothing else, on a file of its own.
class BareCommits {
public:
    explicit BareCommits(Synchronous synchronous);
    BareCommits(const BareCommits&) = delete;
    BareCommits& operator=(const BareCommits&) = delete;
    ~BareCommits();

    /// Milliseconds that one took.
    [[nodiscard]] double commit_ms();

private:
    class Parts;
    std::unique_ptr<Parts> parts_;
};

}  // namespace belay::bench
