// A runtime on threads of its own: what a program that does the work has.
#pragma once

#include <belay/registry.hpp>
#include <belay/runtime.hpp>
#include <belay/thread_executor.hpp>

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace belay {

/// What a worker left behind when it stopped.
struct StopReport {
    /// False: the store did not answer in time, and what was held is left to its leases.
    bool given_back = true;
    /// Activities that did not stop and cannot be ended, turns that did not end, and destructors in
    /// orchestrations that did not return, by name: their threads run on until they return, and
    /// their results are refused.
    std::vector<std::string> abandoned;
};

/// Takes turns and runs activities, from its construction until `stop`.
///
///     auto store = belay::make_sqlite_store("orders.db").value();
///     belay::Worker worker(*store, registry);
///     belay::Client client(worker.store());
///
/// Store and registry must outlive it. Several workers may share a store, in one process or many.
class Worker {
public:
    /// Options out of range: throws std::invalid_argument that names the setting.
    Worker(Store& store,
           const Registry& registry,
           const RuntimeOptions& options = RuntimeOptions(),
           const ExecutorOptions& executor = ExecutorOptions());
    /// A registry that is gone before the worker is.
    Worker(Store& store,
           const Registry&& registry,
           const RuntimeOptions& options = RuntimeOptions(),
           const ExecutorOptions& executor = ExecutorOptions()) = delete;
    Worker(const Worker&) = delete;
    Worker& operator=(const Worker&) = delete;
    /// As `stop`.
    ~Worker();

    /// Claims nothing more, asks what runs to stop and gives it back: it will be run again, here or
    /// elsewhere, from the attempt it is at. Nothing is canceled. Waits for activities and for
    /// turns up to the grace period of the policy, and again so long until the executions it kept
    /// in memory are destroyed; then it has no thread, no lease and no child
    /// process any more but what the report says. Any thread but its own; once, later calls give
    /// the same report.
    StopReport stop();

    /// The store as clients of this process should use it: what they start is committed together
    /// with its first turn. Valid as long as the worker, also when it has stopped: a Client on it
    /// must not outlive the worker.
    [[nodiscard]] Store& store() noexcept;

    /// Any thread.
    [[nodiscard]] RuntimeCounts counts() const;

private:
    struct Parts;
    std::unique_ptr<Parts> parts_;
};

}  // namespace belay
