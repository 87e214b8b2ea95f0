#include "runtime/driver.hpp"
#include <belay/detail/mutex.hpp>
#include <belay/registry.hpp>
#include <belay/thread_executor.hpp>
#include <belay/worker.hpp>

#include <optional>
#include <utility>

namespace belay {

namespace {

/// The time beyond the grace period in which returned work is committed.
constexpr Millis kTimeToGiveBack{15'000};

/// A worker that says nothing leaves people without a clue.
RuntimeOptions with_events(const RuntimeOptions& options) {
    return options.has_events() ? options : RuntimeOptions(options).events(lines_on_stderr());
}

}  // namespace

struct Worker::Impl final : runtime::DriverGuest {
    Impl(Store& store,
         const Registry& registry,
         const RuntimeOptions& options,
         const ExecutorOptions& executor_options)
        : grace(options.policy().grace),
          executor(ExecutorOptions(executor_options).after_done([this] { driver->drive(*this); })),
          driver(std::make_unique<runtime::Driver>(store, registry, executor, options)) {
        driver->start();
    }

    void about_to_block() override { executor.wake_another(); }
    [[nodiscard]] runtime::TurnThreads::Leave leave() override {
        return [leave = executor.leaving()](runtime::TurnThreads::Replace /*replace*/) {
            leave();
            return true;
        };
    }

    Millis grace;
    // Outlives the driver, because the driver begins activities. An activity that ends after the
    // driver is gone has nobody to tell.
    ThreadExecutor executor;
    std::unique_ptr<runtime::Driver> driver;
    detail::Mutex stopping;
    std::optional<StopReport> report BELAY_GUARDED_BY(stopping);
};

Worker::Worker(Store& store,
               const Registry& registry,
               const RuntimeOptions& options,
               const ExecutorOptions& executor)
    : impl_(std::make_unique<Impl>(store, registry, with_events(options), executor)) {}

Worker::~Worker() { (void)stop(); }

StopReport Worker::stop() {
    const detail::MutexLock lock(impl_->stopping);
    if (!impl_->report) {
        StopReport report;
        report.given_back = impl_->driver->stop(impl_->grace + kTimeToGiveBack);
        // All that can end has ended; the rest had its grace.
        report.abandoned = impl_->executor.shut_down(Millis(0));
        for (std::string& turn : impl_->driver->abandoned()) {
            report.abandoned.push_back(std::move(turn));
        }
        impl_->report = std::move(report);
    }
    return *impl_->report;
}

Store& Worker::store() noexcept { return impl_->driver->store(); }

RuntimeCounts Worker::counts() const { return impl_->driver->counts(); }

}  // namespace belay
