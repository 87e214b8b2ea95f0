// Orders in a SQLite file. The process that handles one is killed half way and another one goes on;
// a second order is canceled in the middle of an activity, and what it had done is undone.
//
//     belay-example-orders             all of that, in a temporary file
//     belay-example-orders FILE        the same in a file that is kept
//     belay-example-orders work FILE   only a worker, until it is asked to stop
#include <belay/belay.hpp>

#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <memory>
#include <stdexcept>
#include <string>
#include <thread>

namespace {

using namespace std::chrono_literals;

// ---- The steps: name and signature of each, once ------------------------------------------------

inline constexpr belay::Activity<std::string(std::string)> Reserve{"Reserve"};
inline constexpr belay::Activity<void(std::string)> Release{"Release"};
inline constexpr belay::Activity<std::string(std::string, int)> Charge{"Charge"};
inline constexpr belay::Activity<void(std::string)> Refund{"Refund"};
inline constexpr belay::Activity<void(std::string, int)> Pack{"Pack"};
inline constexpr belay::Activity<std::string(std::string)> Ship{"Ship"};
inline constexpr belay::Definition<std::string(std::string, int, int)> Checkout{"Checkout"};

belay::Orchestration<std::string> checkout(belay::OrchestrationContext ctx,
                                           std::string order,
                                           int cents,
                                           int packing_seconds) {
    {
        const auto shield = ctx.shield();  // A cancel waits until it is known what to undo.
        const std::string hold = co_await ctx.call(Reserve, order);
        ctx.on_rollback(Release, hold);  // Runs if this order fails or is canceled from here on.
        const std::string payment = co_await ctx.call(Charge, order, cents);
        ctx.on_rollback(Refund, payment);
    }

    ctx.set_custom_status(std::string("packing"));
    const auto packed = co_await ctx.select(ctx.call(Pack, order, packing_seconds), ctx.timer(8h));
    if (packed.index() == 1) throw std::runtime_error("nobody has packed it all day");

    const std::string parcel = co_await ctx.call(Ship, order);
    co_return "paid, " + parcel;
}

void say(const std::string& line) {
    std::printf("%s\n", line.c_str());
    std::fflush(stdout);
}

/// An activity that takes long, and ends early when it is asked to.
void pack(belay::ActivityContext& ctx, const std::string& order, int seconds) {
    say("    Pack     " + order + ", attempt " + std::to_string(ctx.attempt()));
    ctx.heartbeat("the box is open");                    // Shown by `belay show`.
    ctx.output().out("took a box for " + order + "\n");  // Shown by `belay logs`.
    const auto done = std::chrono::steady_clock::now() + std::chrono::seconds(seconds);
    while (std::chrono::steady_clock::now() < done) {
        if (ctx.stop_requested()) {
            say("    Pack     " + order + " stops: " + std::string(to_string(ctx.stop_reason())));
            throw belay::Stopped(ctx.stop_reason());
        }
        std::this_thread::sleep_for(10ms);
    }
}

belay::Registry all_the_code() {
    belay::Registry registry;
    registry.add(Checkout, checkout);
    registry.add(Reserve, [](const std::string& order) {
        say("    Reserve  goods for " + order);
        return "hold for " + order;
    });
    registry.add(Release,
                 [](const std::string& hold) { say("    Release  " + hold + " (compensation)"); });
    registry.add(Charge, [](const std::string& order, int cents) {
        say("    Charge   " + std::to_string(cents / 100) + " for " + order);
        return std::to_string(cents / 100) + " for " + order;
    });
    registry.add(Refund, [](const std::string& payment) {
        say("    Refund   " + payment + " (compensation)");
    });
    registry.add(Pack, pack);
    registry.add(Ship, [](const std::string& order) {
        say("    Ship     " + order);
        return "parcel 1Z-" + order;
    });
    return registry;
}

// ---- A worker -----------------------------------------------------------------------------------

std::unique_ptr<belay::Store> open_store(const std::string& file) {
    return belay::make_sqlite_store(file).or_throw();
}

/// Works until SIGTERM.
void work(const std::string& file) {
    sigset_t signals;
    sigemptyset(&signals);
    sigaddset(&signals, SIGTERM);
    pthread_sigmask(SIG_BLOCK, &signals, nullptr);  // Before there are threads: all inherit it.

    const std::unique_ptr<belay::Store> store = open_store(file);
    const belay::Registry registry = all_the_code();
    belay::Worker worker(
        *store, registry, belay::RuntimeOptions().worker("pid " + std::to_string(getpid())));
    int signal = 0;
    sigwait(&signals, &signal);
    worker.stop();
}

/// A worker in a process of its own.
class WorkerProcess {
public:
    WorkerProcess(const char* program, const std::string& file) : pid_(fork()) {
        if (pid_ < 0) throw std::runtime_error("no process can be made");
        if (pid_ > 0) return;
        execl(program, program, "work", file.c_str(), nullptr);
        _exit(127);
    }
    WorkerProcess(const WorkerProcess&) = delete;
    WorkerProcess& operator=(const WorkerProcess&) = delete;
    ~WorkerProcess() { end(SIGTERM); }

    void end(int signal) {
        if (pid_ <= 0) return;
        ::kill(pid_, signal);
        ::waitpid(pid_, nullptr, 0);
        pid_ = -1;
    }
    [[nodiscard]] std::string name() const { return "worker " + std::to_string(pid_); }

private:
    pid_t pid_;
};

// ---- The story ----------------------------------------------------------------------------------

/// Fails the example when something is not as it should be.
void expect(bool fine, const char* what) {
    if (!fine) throw std::runtime_error(std::string("unexpected: ") + what);
}

belay::Run<std::string> start(belay::Client& client, const std::string& id, int packing_seconds) {
    const auto options = belay::StartOptions().id(id);
    auto run = client.start(Checkout, options, id, 4200, packing_seconds).or_throw();
    expect(run->created, "the order was there before");
    return run;
}

void wait_until_packing(belay::Client& client, const belay::Run<std::string>& run) {
    const auto info = client.wait_for_status(run, 0, 60s).or_throw();
    expect(info.custom_status.has_value(), "nobody packs");
    std::this_thread::sleep_for(200ms);  // Until a worker is well at it.
}

void tell_story(const char* program, const std::string& file) {
    const std::unique_ptr<belay::Store> store = open_store(file);
    belay::Client client(*store);

    auto seven = start(client, "order-7", 1);
    {
        WorkerProcess first(program, file);
        say("A " + first.name() + " takes order-7 on.");
        wait_until_packing(client, seven);
        say("kill -9: the " + first.name() + " dies in the middle of packing.");
        first.end(SIGKILL);
    }

    WorkerProcess second(program, file);
    say("A " + second.name() + " goes on at once where the other one was.");
    say("order-7 completed: " + seven.result(60s));

    say("order-8 will be packed for an hour; bob cancels it.");
    auto eight = start(client, "order-8", 3600);
    wait_until_packing(client, eight);
    eight.cancel(belay::CancelOptions().by("bob").reason("wrong size")).or_throw();
    // Until no activity of it is still running anywhere.
    const belay::Outcome outcome = eight.wait_until_settled(60s).or_throw().outcome();
    expect(outcome.status == belay::Status::canceled, "order-8 was not canceled");
    expect(outcome.cleanup == belay::Cleanup::done, "order-8 was not undone");
    say("order-8 canceled by " + outcome.cancel.by + ": " + outcome.cancel.reason + "; cleanup " +
        std::string(to_string(outcome.cleanup)));
}

}  // namespace

int main(int argc, char** argv) {
    try {
        if (argc == 3 && std::string(argv[1]) == "work") {
            work(argv[2]);
            return 0;
        }
        if (argc == 2) {
            tell_story("/proc/self/exe", argv[1]);
            return 0;
        }
        std::string directory =
            (std::filesystem::temp_directory_path() / "belay-orders-XXXXXX").string();
        expect(mkdtemp(directory.data()) != nullptr, "no temporary directory");
        tell_story("/proc/self/exe", directory + "/orders.db");
        std::filesystem::remove_all(directory);
    } catch (const std::exception& problem) {
        std::fprintf(stderr, "%s\n", problem.what());
        return 1;
    }
    return 0;
}
