// The runtime of one process: claims work from a store and does it.
#pragma once

#include <belay/executor.hpp>
#include <belay/registry.hpp>
#include <belay/runtime_counts.hpp>
#include <belay/runtime_options.hpp>
#include <belay/store/store.hpp>
#include <belay/time.hpp>
#include <belay/turn_executor.hpp>

#include <memory>

namespace belay {

/// The deterministic core. It has no thread of its own: its owner calls `step`, which does one
/// small thing (send a claim, take a turn, handle an answer) and never blocks. All time, chance and
/// execution of activities is injected, so a simulator can drive many of them in one thread.
///
/// Store, registry and executor must outlive it, and the registry must be complete. Call `step`,
/// `shut_down` and the destructor from one thread at a time. The destructor acts like a crash that
/// nobody notices: leases stay until they expire.
class Runtime {
public:
    /// Throws std::invalid_argument that names the setting if an option is out of range.
    Runtime(Store& store,
            const Registry& registry,
            ActivityExecutor& executor,
            const RuntimeOptions& options = RuntimeOptions());
    /// Deleted: a temporary registry would be gone before the runtime.
    Runtime(Store& store,
            const Registry&& registry,
            ActivityExecutor& executor,
            const RuntimeOptions& options = RuntimeOptions()) = delete;
    Runtime(const Runtime&) = delete;
    Runtime& operator=(const Runtime&) = delete;
    ~Runtime();

    /// Does one thing. Returns false if there is nothing to do until an answer comes, a
    /// notification arrives, or `next_due`.
    bool step();
    /// Steps until there is nothing to do now.
    void run_until_idle();
    /// Returns the time at which there is something to do, on the injected monotonic clock, if
    /// nothing happens before.
    [[nodiscard]] Millis next_due() const;

    /// The store, for clients of this process. A run that is started through it is committed
    /// together with its first turn, which saves a commit and a claim. Everything else goes
    /// straight to the store. Any thread; answers to such starts come from `step`. Must not be used
    /// after the runtime is destroyed.
    [[nodiscard]] Store& store() noexcept;

    /// Stops claiming, asks running activities to stop, and gives back unfinished work with its
    /// last progress; then gives up its sessions. Go on stepping until `idle`.
    void shut_down();
    /// True if nothing is claimed, running or to be reported.
    [[nodiscard]] bool idle() const noexcept;

    /// Drops one resident execution, as memory pressure would. Returns false if there is none.
    bool evict_one();
    /// Any thread.
    [[nodiscard]] RuntimeCounts counts() const;

private:
    struct Impl;
    std::unique_ptr<Impl> impl_;
};

}  // namespace belay
