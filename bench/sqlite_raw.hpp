// What the engine on SQLite is measured against: its rows, written by bare statements.
#pragma once

#include "workloads.hpp"
#include <belay/store/sqlite.hpp>

#include <cstdint>
#include <memory>

namespace belay::bench {

/// The rows that a workload comes to when every commit is fused, no more and no less, on our tables
/// and with our settings; one thread, 100 instances a commit for each stage, rows of 200 bytes. No
/// guard, no claim, no engine. Gives the seconds it took.
[[nodiscard]] double run_sqlite_raw(const Workload& workload,
                                    std::uint32_t instances,
                                    Synchronous synchronous);

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
