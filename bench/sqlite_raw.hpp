// The yardstick of the engine on SQLite: its rows, written by bare statements.
#pragma once

#include "workloads.hpp"
#include <belay/store/sqlite.hpp>

#include <cstdint>
#include <memory>

namespace belay::bench {

/// Writes exactly the rows of a workload whose commits are all fused. It uses the tables of
/// raw_schema.sql and our settings, on a file of its own: one thread, 100 instances a commit for
/// each stage, rows of 200 bytes. No guard, no claim, no engine.
class RawRows {
public:
    /// The workload must outlive it.
    RawRows(const Workload& workload, Synchronous synchronous);
    RawRows(const RawRows&) = delete;
    RawRows& operator=(const RawRows&) = delete;
    ~RawRows();

    /// Takes so many more instances through. Returns the instances per second.
    [[nodiscard]] double per_second(std::uint32_t instances);

private:
    class Impl;
    std::unique_ptr<Impl> impl_;
};

/// The yardstick of latency: commits of one row, nothing else, on a file of its own.
class BareCommits {
public:
    explicit BareCommits(Synchronous synchronous);
    BareCommits(const BareCommits&) = delete;
    BareCommits& operator=(const BareCommits&) = delete;
    ~BareCommits();

    /// Returns the milliseconds of one commit.
    [[nodiscard]] double commit_ms();

private:
    class Impl;
    std::unique_ptr<Impl> impl_;
};

}  // namespace belay::bench
