#include "flow_group.hpp"

#include "children.hpp"
#include "engine_slices.hpp"
#include "flow/flow_code.hpp"
#include "flow/flow_start.hpp"
#include "measure.hpp"
#include "sqlite_raw.hpp"
#include "sqlite_run.hpp"
#include "turns.hpp"
#include "workloads.hpp"
#include <belay/activity.hpp>

#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

namespace belay::bench {

namespace {

constexpr const char* kTaskRate = "flow.task.500";
constexpr const char* kChainRate = "flow.chain.500";
constexpr const char* kMap = "flow.map.10000";
constexpr const char* kMapMemory = "flow.map.100000.memory";
constexpr const char* kExec = "flow.exec.10";

constexpr std::uint32_t kInFlight = 500;
constexpr std::uint32_t kSteps = 10;
constexpr std::uint32_t kFewItems = 1'000;
constexpr std::uint32_t kManyItems = 10'000;
constexpr std::uint32_t kMostItems = 100'000;
constexpr const char* kProgram = "/bin/true";

inline constexpr belay::Activity<Payload(Payload)> Work{"Work"};

Registry flow_code() {
    Registry registry;
    flow::add_flow_code(registry);
    registry.add(Work, [](const Payload& input) { return input; });
    return registry;
}

Job job_of_flow(const std::string& text) {
    const auto bundle = flow::read_bundle(
        text, [](std::string_view) -> std::optional<std::string> { return std::nullopt; });
    require(bundle.has_value(), "the flow has mistakes");
    return Job{bundle->main,
               Payload(PayloadCodec::json, "{}"),
               flow::start_options(*bundle, std::string())};
}

/// Some steps, one after the other. `what`: "activity: Work".
Job job_in_sequence(std::uint32_t steps, const std::string& what) {
    std::string text = "belay: 1\nname: sequence\nsteps:\n";
    for (std::uint32_t i = 0; i < steps; ++i) {
        text.append("  - id: s").append(std::to_string(i)).append("\n    ").append(what);
        if (i > 0) text.append("\n    needs: [s").append(std::to_string(i - 1)).append("]");
        text.append("\n");
    }
    return job_of_flow(text);
}

Job job_of_map(std::uint32_t items) {
    std::string text = "belay: 1\nname: map\nsteps:\n  - id: each\n    map: lists.range(";
    text.append(std::to_string(items));
    text.append(")\n    window: 100\n    activity: Work\noutput: 1\n");
    return job_of_flow(text);
}

/// A flow of so many steps by a worker, in turns with an orchestration that does the same.
void measure_rate(Report& report,
                  const char* name,
                  std::uint32_t steps,
                  const Workload& as_code,
                  double least_ratio) {
    if (!report.wants(name, Kind::throughput)) return;
    Rate rate;
    rate.name = name;
    rate.least_ratio = least_ratio;
    const Job job = job_in_sequence(steps, "activity: Work");
    const std::uint32_t instances = as_code.instances;
    EngineSlices flows(
        flow_code(), Synchronous::full, EngineLoad{job, instances, kInFlight, false});
    std::optional<EngineSlices> code;
    Slice yardstick;
    if (report.plan().wants_yardstick()) {
        code.emplace(code_without_effects(),
                     Synchronous::full,
                     EngineLoad{job_of(as_code.definition, 1), instances, kInFlight, false});
        yardstick = [&code] { return code->next(); };
    }
    const Turns turns =
        take_turns(report.plan().slices(), [&flows] { return flows.next(); }, yardstick);
    flows.tell(rate);
    rate.per_second = median(turns.subject);
    rate.raw_per_second = median(turns.yardstick);
    rate.ratio = turns.ratio;
    report.add(rate);
}

/// As many items in maps of a thousand as in one of ten thousand, in turns.
Figure map_of_many(std::size_t slices) {
    constexpr std::size_t kMostSlices = 5;  // Each takes seconds.
    constexpr std::uint32_t kTimes = kManyItems / kFewItems;
    const Job many = job_of_map(kManyItems);
    const Job few = job_of_map(kFewItems);
    SqliteWorker worker(flow_code(), Synchronous::full);
    (void)worker.run(many, 1, 1);
    const Turns turns = take_turns(
        std::min(slices, kMostSlices),
        [&] { return worker.run(many, 1, 1).seconds; },
        [&] { return worker.run(few, kTimes, 1).seconds / kTimes; });
    return Figure{kMap, turns.ratio, "maps of 1,000", 12};
}

/// The most memory of a process that runs maps of so many items, kMostItems in all. So the file and
/// its cache grow alike, whatever the size of a map.
double memory_of_maps(std::uint32_t items) {
    Child child({kMapRole, std::to_string(items), std::to_string(kMostItems / items)});
    return std::stod(child.line());
}

/// Runs a program as a shell would, and reads its output to the end.
void run_bare_program() {
    std::array<int, 2> ends{};
    require(::pipe2(ends.data(), O_CLOEXEC) == 0, "no pipe can be made");
    posix_spawn_file_actions_t actions;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_adddup2(&actions, ends[1], STDOUT_FILENO);
    std::string name(kProgram);
    std::array<char*, 2> arguments{name.data(), nullptr};
    pid_t pid = -1;
    const int problem = ::posix_spawn(&pid, kProgram, &actions, nullptr, arguments.data(), environ);
    posix_spawn_file_actions_destroy(&actions);
    ::close(ends[1]);
    std::array<char, 64> output{};
    while (problem == 0 && ::read(ends[0], output.data(), output.size()) > 0) {
    }
    ::close(ends[0]);
    int status = 0;
    require(problem == 0 && ::waitpid(pid, &status, 0) == pid && status == 0,
            "a program could not be run");
}

/// Ten programs in sequence as a flow, in turns with the same programs and as many commits.
Figure exec_steps(std::size_t slices) {
    constexpr std::uint32_t kTimes = 20;
    std::string what = "exec: [";
    what.append(kProgram).append("]");
    const Job job = job_in_sequence(kSteps, what);
    SqliteWorker worker(flow_code(), Synchronous::full);
    BareCommits commits(Synchronous::full);
    const auto bare = [&commits] {
        const Instant begin = SteadyClock::now();
        for (std::uint32_t i = 0; i < kTimes; ++i) {
            (void)commits.commit_ms();
            for (std::uint32_t step = 0; step < kSteps; ++step) {
                run_bare_program();
                (void)commits.commit_ms();
            }
        }
        return seconds_between(begin, SteadyClock::now());
    };
    (void)worker.run(job, kTimes, 1);
    const Turns turns =
        take_turns(slices, [&] { return worker.run(job, kTimes, 1).seconds; }, bare);
    return Figure{kExec, turns.ratio, "times as long as bare", 1.5};
}

}  // namespace

void run_flow_maps(std::uint32_t items, std::uint32_t times) {
    SqliteWorker worker(flow_code(), Synchronous::full);
    (void)worker.run(job_of_map(items), times, 1);
}

void run_flow_group(Report& report) {
    measure_rate(report, kTaskRate, 1, kWorkloads[0], 0.8);
    measure_rate(report, kChainRate, kSteps, kWorkloads[2], 0.6);
    const std::size_t slices = report.plan().slices();
    if (report.wants(kMap)) report.add(map_of_many(slices));
    if (report.wants(kMapMemory)) {
        const double ratio = memory_of_maps(kMostItems) / memory_of_maps(kFewItems);
        report.add(Figure{kMapMemory, exactly(ratio), "times that of 1,000", 1.5});
    }
    if (report.wants(kExec)) report.add(exec_steps(slices));
}

}  // namespace belay::bench
