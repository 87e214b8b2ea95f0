// A progress bar, fed by the heartbeats of an activity that copies rows. The connection of the
// first worker hangs half way; it is stopped, and a second one goes on at the row it had got to.
//
// On a terminal the bar is drawn in place; elsewhere there is a line for each fifth.
#include "embedded.hpp"
#include <belay/orchestration.hpp>

#include <unistd.h>

#include <cstdio>
#include <optional>
#include <stdexcept>
#include <string>
#include <thread>

namespace {

using namespace std::chrono_literals;

inline constexpr belay::Activity<int(int)> CopyRows{"CopyRows"};
inline constexpr belay::Definition<int(int)> CopyTable{"CopyTable"};

belay::Orchestration<int> copy_table(belay::OrchestrationContext ctx, int rows) {
    co_return co_await ctx.call(CopyRows, rows);
}

// ---- The activity -------------------------------------------------------------------------------

/// Copies rows over a connection that hangs after so many, and says how many this attempt copied.
class Copier {
public:
    explicit Copier(int hangs_after) : hangs_after_(hangs_after) {}

    int operator()(belay::ActivityContext& ctx, int rows) const {
        const int begin = ctx.last_heartbeat<int>().value_or(0);  // By an attempt before this one.
        for (int row = begin; row < rows; ++row) {
            copy_one(ctx, row);
            ctx.heartbeat(row + 1);  // As often as is convenient: what is written is the latest.
        }
        return rows - begin;
    }

private:
    void copy_one(belay::ActivityContext& ctx, int row) const {
        do {
            if (ctx.stop_requested()) throw belay::Stopped(ctx.stop_reason());
            std::this_thread::sleep_for(1ms);
        } while (row >= hangs_after_);
    }

    int hangs_after_;
};

belay::Registry code(const Copier& copier) {
    belay::Registry registry;
    registry.add(CopyTable, copy_table);
    registry.add(CopyRows, copier);
    return registry;
}

// ---- The bar ------------------------------------------------------------------------------------

class Bar {
public:
    explicit Bar(int all) : all_(all) {}

    /// Shows how much is done. `done` is never less than before.
    void show(int done) {
        if (terminal_) {
            draw(done);
        } else {
            for (; fifths_ < done * 5 / all_; ++fifths_) {
                examples::say(std::to_string((fifths_ + 1) * 20) + " %");
            }
        }
    }
    /// A line of its own, with the bar left above it.
    void say(const std::string& line) const {
        if (terminal_) std::printf("\n");
        examples::say(line);
    }

private:
    void draw(int done) const {
        constexpr int kWidth = 40;
        const int filled = done * kWidth / all_;
        std::string bar(static_cast<std::size_t>(filled), '#');
        bar.resize(kWidth, '.');
        std::printf("\r[%s] %3d %%", bar.c_str(), done * 100 / all_);
        std::fflush(stdout);
    }

    int all_;
    bool terminal_ = isatty(STDOUT_FILENO) == 1;
    int fifths_ = 0;
};

// ---- The watcher --------------------------------------------------------------------------------

/// Returns the last heartbeat of the activity of a run. Returns none before its first, and after
/// its end.
std::optional<int> progress(belay::Client& client, const belay::InstanceName& name) {
    const auto run = client.describe(name).or_throw();
    for (const belay::Awaited& awaited : run.awaits) {
        if (awaited.progress) return belay::Codec<int>::decode(*awaited.progress);
    }
    return std::nullopt;
}

void copy_with_a_bar() {
    constexpr int kRows = 1000;
    constexpr int kHangsAfter = 600;
    const belay::Registry hanging = code(Copier(kHangsAfter));
    const belay::Registry fine = code(Copier(kRows));
    belay::Policy policy;
    policy.heartbeat_interval = 50ms;  // So that the bar moves smoothly. The default: a second.
    const auto options = belay::RuntimeOptions().policy(policy);

    const auto store = belay::make_memory_store(belay::system_clock());
    belay::Client client(*store);
    const belay::InstanceName name{"default", "customers"};
    client.start(CopyTable, belay::StartOptions().id(name.id), kRows).or_throw();

    Bar bar(kRows);
    {
        belay::Worker first(*store, hanging, options);
        for (int done = 0; done < kHangsAfter; std::this_thread::sleep_for(10ms)) {
            done = progress(client, name).value_or(done);
            bar.show(done);
        }
        bar.say("it hangs; the worker is stopped, and another one goes on");
    }
    belay::Worker second(*store, fine, options);
    for (;;) {
        const auto ended = client.wait(CopyTable, name, 10ms);
        if (ended) {
            bar.show(kRows);
            bar.say(std::to_string(ended->value()) + " rows were left to it");
            return;
        }
        if (ended.error().code() != belay::Errc::still_running) {
            throw std::runtime_error(ended.error().describe());
        }
        if (const auto done = progress(client, name)) bar.show(*done);
    }
}

}  // namespace

int main() { return examples::run(copy_with_a_bar); }
