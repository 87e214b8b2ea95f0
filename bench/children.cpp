#include "children.hpp"

#include "flow_group.hpp"
#include "holding.hpp"
#include "measure.hpp"
#include "other_load.hpp"
#include "sqlite_run.hpp"
#include "takeover.hpp"

#include <fcntl.h>
#include <sys/resource.h>
#include <unistd.h>

#include <array>
#include <fstream>
#include <thread>

namespace belay::bench {

namespace {

constexpr std::uint32_t kWaiting = 100'000;
/// The time until the work that the last commits leave is done: the log is written back.
constexpr auto kSettle = std::chrono::seconds(2);
constexpr auto kIdle = std::chrono::seconds(10);

/// For the shell.
std::string quoted(const std::string& word) {
    require(word.find('\'') == std::string::npos, "a quote in " + word);
    return "'" + word + "'";
}

/// A line of /proc/self/status, in MiB.
double memory_mib(const std::string& line_name) {
    std::ifstream status("/proc/self/status");
    for (std::string line; std::getline(status, line);) {
        if (line.starts_with(line_name)) return std::stod(line.substr(line_name.size())) / 1024;
    }
    throw std::runtime_error("the kernel does not say how much memory is used");
}

/// Has a worker hold as many activities as it finds on a file, and says when each is told to stop.
int hold(const std::string& path, std::uint32_t count) {
    auto store = make_sqlite_store(path);
    if (!store) throw std::runtime_error(store.error().describe());
    Holding holding;
    const Registry registry = holding.code();
    Worker worker(**store,
                  registry,
                  RuntimeOptions().activity_slots(count),
                  ExecutorOptions().threads(count));
    holding.wait_until_running(count);
    std::puts("up");
    std::fflush(stdout);
    for (std::uint32_t i = 0; i < count; ++i) {
        const Holding::Stop stop = holding.next_stop();
        std::printf("%lld %lld\n",
                    static_cast<long long>(stop.input),
                    static_cast<long long>(stop.at.time_since_epoch().count()));
        std::fflush(stdout);
    }
    return 0;
}

int have_many_wait() {
    SqliteWorker worker(code_without_effects(), Synchronous::full);
    worker.start_all(Waiting, 0, kWaiting, 500);
    const double memory = memory_mib("VmRSS:");
    std::this_thread::sleep_for(kSettle);
    const double before = cpu_seconds(RUSAGE_SELF);
    std::this_thread::sleep_for(kIdle);
    const double share =
        (cpu_seconds(RUSAGE_SELF) - before) / std::chrono::duration<double>(kIdle).count();
    std::printf("%f\n%f\n", memory, share * 100);
    return 0;
}

int take_through() {
    SqliteWorker worker(code_without_effects(), Synchronous::full);
    (void)worker.run(Single, 1, 20'000, 500);
    std::printf("%f\n", memory_mib("VmHWM:"));
    return 0;
}

}  // namespace

std::string own_program() {
    std::array<char, 4'096> path{};
    const ssize_t length = ::readlink("/proc/self/exe", path.data(), path.size() - 1);
    require(length > 0, "the program does not find itself");
    return path.data();
}

Child::Child(const std::vector<std::string>& arguments, const std::string& program) {
    std::string command = "exec " + quoted(program);
    for (const std::string& word : arguments) command += " " + quoted(word);
    output_ = ::popen(command.c_str(), "re");  // NOLINT(cert-env33-c)
    require(output_ != nullptr, "no process can be made");
}

Child::~Child() { ::pclose(output_); }

std::string Child::line() {
    std::optional<std::string> line = next_line();
    require(line.has_value(), "a process of the benchmark ended early");
    return std::move(*line);
}

std::optional<std::string> Child::next_line() {
    std::array<char, 256> text{};
    if (std::fgets(text.data(), text.size(), output_) == nullptr) return std::nullopt;
    return text.data();
}

int run_child(const std::vector<std::string>& arguments) {
    if (arguments.empty()) return -1;
    if (arguments[0] == kHoldRole && arguments.size() == 3) {
        return hold(arguments[1], static_cast<std::uint32_t>(std::stoul(arguments[2])));
    }
    if (arguments[0] == kDoomedRole && arguments.size() == 3) {
        hold_until_killed(arguments[1], static_cast<std::uint32_t>(std::stoul(arguments[2])));
    }
    if (arguments[0] == kSuccessorRole && arguments.size() == 3) {
        succeed_until_killed(arguments[1], static_cast<std::uint32_t>(std::stoul(arguments[2])));
    }
    if (arguments[0] == kWaitingRole && arguments.size() == 1) return have_many_wait();
    if (arguments[0] == kBusyRole && arguments.size() == 1) return take_through();
    if (arguments[0] == kMapRole && arguments.size() == 3) {
        run_flow_maps(static_cast<std::uint32_t>(std::stoul(arguments[1])),
                      static_cast<std::uint32_t>(std::stoul(arguments[2])));
        std::printf("%f\n", memory_mib("VmHWM:"));
        return 0;
    }
    return -1;
}

}  // namespace belay::bench
