#include "cli/flow/flow_worker.hpp"

#include "flow/flow_code.hpp"
#include <belay/schedules.hpp>

#include <unistd.h>

#include <utility>

namespace belay::cli {

namespace {

/// Engine events that people should know of. The failures of steps are kept with their runs, and
/// the death of another worker is the reason why this command was given.
EngineEventSink warnings_to(std::shared_ptr<OutputFeed> feed) {
    return [feed = std::move(feed)](const EngineEvent& event) {
        if (event.level < LogLevel::warning || event.code == EngineCode::worker_died) return;
        feed->warn(event.advice.empty() ? event.what : event.what + "; " + event.advice);
    };
}

RuntimeOptions runtime_options(const FlowWorkerOptions& options,
                               Clock& clock,
                               std::shared_ptr<OutputFeed> feed) {
    RuntimeOptions runtime;
    runtime.worker(options.name + ", pid " + std::to_string(::getpid()));
    runtime.any_queue(true).clock(clock).events(warnings_to(std::move(feed)));
    if (options.workers) runtime.activity_slots(*options.workers);
    return runtime;
}

}  // namespace

FlowWorker::FlowWorker(Context& context,
                       const FlowWorkerOptions& options,
                       std::shared_ptr<Bell> bell)
    : feed_(std::make_shared<OutputFeed>(std::move(bell))) {
    flow::StepOptions steps;
    steps.directory(options.directory).programs(options.programs);
    steps.output_log(
        [feed = feed_](const flow::StepAttempt& attempt) { return feed->log_of(attempt); });
    flow::add_flow_code(registry_, steps);
    if (options.schedules) add_schedules(registry_);
    ExecutorOptions executor;
    if (options.workers) executor.programs(*options.workers).threads(*options.workers);
    worker_.emplace(context.store(),
                    registry_,
                    runtime_options(options, context.terminal().clock, feed_),
                    executor);
}

}  // namespace belay::cli
