// belay-cli-doomed-worker FILE MARKS: a worker of the suite `cli` that is to die, or to lose its
// files, until SIGTERM. Its leases last for an hour, so whatever goes on after its death was taken
// over. MARKS is a file into which its program writes.
#include <belay/activity.hpp>
#include <belay/orchestration.hpp>
#include <belay/program.hpp>
#include <belay/registry.hpp>
#include <belay/store/sqlite.hpp>
#include <belay/worker.hpp>

#include <atomic>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <string>

namespace {

using namespace std::chrono_literals;

inline constexpr belay::Activity<std::string(std::string)> Hello{"Hello"};
inline constexpr belay::Activity<std::string(std::string)> Leave{"Leave"};
inline constexpr belay::Definition<std::string(std::string)> Greet{"Greet"};
inline constexpr belay::Definition<std::string()> Leaves{"Leaves"};
inline constexpr belay::Definition<void()> Spins{"Spins"};

/// Writes a line "SHELL CHILD" of process numbers into the file $0. The first attempt waits for its
/// child, which never ends. Each further one prints those of earlier lines that still run: any
/// state of a process but zombie and dead.
constexpr const char* kLeaveAChild = R"sh(
for old in $(cat "$0" 2>/dev/null); do
    state=$(sed 's/.*) //' "/proc/$old/stat" 2>/dev/null | cut -c1)
    case "$state" in ''|Z|X) ;; *) printf '%s runs. ' "$old" ;; esac
done
if [ -s "$0" ]; then echo "$$ $$" >>"$0"; printf done; exit; fi
sleep 1000 & echo "$$ $!" >>"$0"
wait
)sh";

void say(const char* line) {
    std::printf("%s\n", line);
    std::fflush(stdout);
}

belay::Orchestration<std::string> greet(belay::OrchestrationContext ctx, std::string name) {
    co_return co_await ctx.call(Hello, name);
}

belay::Orchestration<std::string> leaves(belay::OrchestrationContext ctx) {
    co_return co_await ctx.call(Leave, std::string());
}

/// A turn without an end.
belay::Orchestration<void> spins(belay::OrchestrationContext ctx) {
    say("Spins began");
    static std::atomic<bool> spin{true};
    while (spin) {
    }
    co_await ctx.timer(1h);
}

}  // namespace

int main(int argc, char** argv) {
    if (argc != 3) {
        std::fprintf(stderr, "usage: belay-cli-doomed-worker FILE MARKS\n");
        return 2;
    }
    sigset_t signals;
    sigemptyset(&signals);
    sigaddset(&signals, SIGTERM);
    pthread_sigmask(SIG_BLOCK, &signals, nullptr);  // Before there are threads: all inherit it.
    auto store = belay::make_sqlite_store(argv[1]);
    if (!store) {
        std::fprintf(stderr, "%s\n", store.error().describe().c_str());
        return 1;
    }
    const std::string marks = argv[2];
    belay::Registry registry;
    registry.add(Greet, greet);
    registry.add(Leaves, leaves);
    registry.add(Spins, spins);
    registry.add(Hello, [](const std::string& name) { return "hello " + name; });
    registry.add(Leave, [marks](const std::string& /*nothing*/) {
        return belay::Program("sh", "-c", kLeaveAChild, marks);
    });
    belay::Policy policy;
    policy.activity_lease = 1h;
    policy.turn_lease = 1h;
    policy.grace = 200ms;
    say("ready");
    belay::Worker worker(**store, registry, belay::RuntimeOptions().policy(policy));
    int signal = 0;
    sigwait(&signals, &signal);
    worker.stop();
    return 0;
}
