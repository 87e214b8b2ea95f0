// A runtime on threads of its own, for programs that run orchestrations and activities.
#pragma once

#include <belay/executor_options.hpp>
#include <belay/runtime_counts.hpp>
#include <belay/runtime_options.hpp>

#include <memory>
#include <string>
#include <vector>

namespace belay {

class Registry;
class Store;

/// The work that a worker left behind when it stopped.
struct StopReport {
    /// False: the store did not answer in time, and what was held is left to its leases.
    bool given_back = true;
    /// Names of activities that did not stop and cannot be ended, turns that did not end, and
    /// destructors in orchestrations that did not return. Their threads run on until they return,
    /// and their results are refused.
    std::vector<std::string> abandoned;
};

/// Takes turns and runs activities, from its construction until `stop`.
///
///     auto store = belay::make_sqlite_store("orders.db").or_throw();
///     belay::Worker worker(*store, registry);
///     belay::Client client(worker.store());
///
/// Store and registry must outlive it. Several workers may share a store, in one process or many.
class Worker {
public:
    /// Throws std::invalid_argument that names the setting if an option is out of range.
    Worker(Store& store,
           const Registry& registry,
           const RuntimeOptions& options = RuntimeOptions(),
           const ExecutorOptions& executor = ExecutorOptions());
    /// Deleted: a temporary registry would be gone before the worker.
    Worker(Store& store,
           const Registry&& registry,
           const RuntimeOptions& options = RuntimeOptions(),
           const ExecutorOptions& executor = ExecutorOptions()) = delete;
    Worker(const Worker&) = delete;
    Worker& operator=(const Worker&) = delete;
    /// Calls `stop`.
    ~Worker();

    /// Stops claiming, asks running work to stop, and gives it back. It is run again, here or
    /// elsewhere, from its current attempt. Nothing is canceled. Waits for activities and turns up
    /// to the grace period of the policy, and as long again until the executions in memory are
    /// destroyed. Afterwards it has no thread, no lease and no child process except those in the
    /// report. Any thread but its own. Later calls return the same report.
    StopReport stop();

    /// The store for clients of this process: a run that they start is committed together with its
    /// first turn. Valid as long as the worker, also when it has stopped. A Client on it must not
    /// outlive the worker.
    [[nodiscard]] Store& store() noexcept;

    /// Any thread.
    [[nodiscard]] RuntimeCounts counts() const;

private:
    struct Impl;
    std::unique_ptr<Impl> impl_;
};

}  // namespace belay
