#include "sqlite_run.hpp"

#include <algorithm>
#include <string>
#include <utility>

namespace belay::bench {

Job job_of(const Run& definition, std::int64_t input) {
    return Job{std::string(definition.name()), detail::encode_arguments<std::int64_t>(input)};
}

void Ends::instance_ended(RunRef run) {
    const Instant now = SteadyClock::now();
    const std::lock_guard lock(mutex_);
    if (const auto start = starts_.find(run.key); start != starts_.end()) {
        ++ended_;
        latencies_ms_.push_back(seconds_between(start->second, now) * 1000);
        starts_.erase(start);
    } else {
        ends_.emplace(run.key, now);
    }
    changed_.notify_one();
}

void Ends::answered(const Result<StartResult>& result, Instant at) {
    const std::lock_guard lock(mutex_);
    ++answered_;
    if (!result) {
        problem_ = result.error().describe();
    } else {
        last_ = result->instance.name;
        const RunKey run = result->instance.run.key;
        if (const auto end = ends_.find(run); end != ends_.end()) {
            ++ended_;
            latencies_ms_.push_back(seconds_between(at, end->second) * 1000);
            ends_.erase(end);
        } else {
            starts_.emplace(run, at);
        }
    }
    changed_.notify_one();
}

std::uint32_t Ends::wait_until_open(std::uint32_t asked, std::uint32_t most) {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [&] { return asked - ended_ <= most || !problem_.empty(); });
    require(problem_.empty(), "an instance could not be started: " + problem_);
    return asked - ended_;
}

void Ends::wait_until_over(std::uint32_t asked) {
    (void)wait_until_open(asked, 0);
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [&] { return answered_ == asked; });
}

void Ends::wait_until_unanswered(std::uint32_t asked, std::uint32_t most) {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [&] { return asked - answered_ <= most; });
    require(problem_.empty(), "an instance could not be started: " + problem_);
}

std::vector<double> Ends::take_latencies_ms() {
    const std::lock_guard lock(mutex_);
    return std::move(latencies_ms_);
}

SqliteWorker::SqliteWorker(Registry registry,
                           Synchronous synchronous,
                           const ExecutorOptions& executor)
    : registry_(std::move(registry)),
      store_(file_.emplace().open(synchronous)),
      worker_(*store_, registry_, RuntimeOptions(), executor),
      client_(worker_.store()) {}

SqliteWorker::SqliteWorker(Registry registry, std::unique_ptr<Store> store)
    : registry_(std::move(registry)),
      store_(std::move(store)),
      worker_(*store_, registry_),
      client_(worker_.store()) {}

WorkerRun SqliteWorker::run(const Job& job,
                            std::uint32_t instances,
                            std::uint32_t in_flight,
                            const std::function<void()>& between) {
    const StoreCounts before = store_->counts();
    WorkerRun run = in_flight == 1 ? one_at_a_time(job, instances, between)
                                   : many_at_a_time(job, instances, in_flight);
    const StoreCounts after = store_->counts();
    run.counts = StoreCounts{
        after.rows - before.rows, after.commits - before.commits, after.durable - before.durable};
    // They all do the same, so one speaks for the others: a quick failure is not speed.
    const Result<Outcome> outcome = client_.outcome(last_);
    require(outcome.ok() && outcome->status == Status::completed, "an instance did not complete");
    return run;
}

/// As a program would that needs one result after the other.
WorkerRun SqliteWorker::one_at_a_time(const Job& job,
                                      std::uint32_t instances,
                                      const std::function<void()>& between) {
    WorkerRun run;
    Ends ends(*store_);
    for (std::uint32_t i = 1; i <= instances; ++i) {
        const Instant at = SteadyClock::now();
        ends.answered(client_.start(job.definition, job.input, job.options), at);
        ends.wait_until_over(i);
        const double seconds = seconds_between(at, SteadyClock::now());
        run.latencies_ms.push_back(seconds * 1000);
        run.seconds += seconds;
        if (between) between();
    }
    last_ = ends.last();
    return run;
}

void SqliteWorker::start_one(const Job& job, Ends& ends) {
    client_.start(job.definition,
                  job.input,
                  job.options,
                  [this, &ends, at = SteadyClock::now()](const Result<StartResult>& result) {
                      if (sends_ && result) send_one(result->instance.name);
                      ends.answered(result, at);
                  });
}

void SqliteWorker::send_one(const InstanceName& name) {
    client_.enqueue(name,
                    kQueue,
                    detail::encode_arguments<std::int64_t>(std::int64_t(1)),
                    std::string(),
                    [](const Result<InstanceBrief>& sent) {
                        require(sent.ok(), "a message could not be sent");
                    });
}

WorkerRun SqliteWorker::many_at_a_time(const Job& job,
                                       std::uint32_t instances,
                                       std::uint32_t in_flight) {
    Ends ends(*store_);
    const Instant begin = SteadyClock::now();
    for (std::uint32_t started = 0; started < instances;) {
        const std::uint32_t open = ends.wait_until_open(started, in_flight - 1);
        const std::uint32_t next = std::min(in_flight - open, instances - started);
        for (std::uint32_t i = 0; i < next; ++i, ++started) {
            start_one(job, ends);
        }
    }
    ends.wait_until_over(instances);
    WorkerRun run;
    run.seconds = seconds_between(begin, SteadyClock::now());
    run.latencies_ms = ends.take_latencies_ms();
    last_ = ends.last();
    return run;
}

void SqliteWorker::start_all(const Run& definition,
                             std::int64_t input,
                             std::uint32_t instances,
                             std::uint32_t in_flight) {
    const Job job = job_of(definition, input);
    Ends ends(*store_);
    for (std::uint32_t started = 0; started < instances; ++started) {
        ends.wait_until_unanswered(started, in_flight - 1);
        start_one(job, ends);
    }
    ends.wait_until_unanswered(instances, 0);
}

}  // namespace belay::bench
