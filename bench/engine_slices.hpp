// The engine's side of a measurement: a worker on a file of its own, and its results.
#pragma once

#include "report.hpp"
#include "sqlite_run.hpp"

#include <cstdint>
#include <utility>
#include <vector>

namespace belay::bench {

/// What a worker takes through in one slice.
struct EngineLoad {
    Job job;
    std::uint32_t instances = 0;
    std::uint32_t in_flight = 1;
    bool messages = false;  ///< Each instance is sent a message of kQueue.
};

class EngineSlices {
public:
    EngineSlices(Registry registry, Synchronous synchronous, EngineLoad load)
        : load_(std::move(load)), worker_(std::move(registry), synchronous) {
        worker_.send_messages(load_.messages);
        // Makes the threads, and lets the worker learn the time of the activities.
        (void)worker_.run(load_.job, load_.instances, load_.in_flight);
    }

    /// Instances per second.
    [[nodiscard]] double next() {
        const WorkerRun run = worker_.run(load_.job, load_.instances, load_.in_flight);
        p50_.push_back(quantile(run.latencies_ms, 0.5));
        p99_.push_back(quantile(run.latencies_ms, 0.99));
        rows_.push_back(static_cast<double>(run.counts.rows) / load_.instances);
        commits_.push_back(static_cast<double>(run.counts.commits) / load_.instances);
        return load_.instances / run.seconds;
    }
    void tell(Rate& rate) const {
        rate.p50_ms = median(p50_);
        rate.p99_ms = median(p99_);
        rate.rows = median(rows_);
        rate.commits = median(commits_);
    }

private:
    EngineLoad load_;
    SqliteWorker worker_;
    std::vector<double> p50_;
    std::vector<double> p99_;
    std::vector<double> rows_;
    std::vector<double> commits_;
};

}  // namespace belay::bench
