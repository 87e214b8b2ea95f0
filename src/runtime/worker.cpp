#include "runtime/driver.hpp"
#include <belay/worker.hpp>

#include <mutex>
#include <optional>
#include <utility>

namespace belay {

namespace {

/// One leads a commit while the other takes the next turns.
constexpr std::uint32_t kDriverThreads = 2;

/// Beyond the grace period: until what was given back is committed.
constexpr Millis kTimeToGiveBack{15'000};

}  // namespace

struct Worker::Parts {
    Parts(Store& store,
          const Registry& registry,
          const RuntimeOptions& options,
          const ExecutorOptions& executor_options)
        : grace(options.policy().grace),
          executor(ExecutorOptions(executor_options).after([this] {
              driver->drive([this] { executor.share(); });
          })),
          driver(std::make_unique<runtime::Driver>(store, registry, executor, options)) {
        driver->start(kDriverThreads);
    }

    Millis grace;
    // Outlives the driver: it is the driver that begins activities. What ends after the driver is
    // gone finds nobody to tell.
    ThreadExecutor executor;
    std::unique_ptr<runtime::Driver> driver;
    std::mutex stopping;
    std::optional<StopReport> report;
};

Worker::Worker(Store& store,
               const Registry& registry,
               const RuntimeOptions& options,
               const ExecutorOptions& executor)
    : parts_(std::make_unique<Parts>(store, registry, options, executor)) {}

Worker::~Worker() { (void)stop(); }

StopReport Worker::stop() {
    const std::lock_guard lock(parts_->stopping);
    if (!parts_->report) {
        StopReport report;
        report.given_back = parts_->driver->stop(parts_->grace + kTimeToGiveBack);
        // Whatever can end has ended; what is left had its grace.
        report.abandoned = parts_->executor.shut_down(Millis(0));
        parts_->report = std::move(report);
    }
    return *parts_->report;
}

Store& Worker::store() noexcept { return parts_->driver->store(); }

RuntimeCounts Worker::counts() const { return parts_->driver->counts(); }

}  // namespace belay
