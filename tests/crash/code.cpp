#include "crash/code.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <stdexcept>
#include <thread>

namespace belay::crash {

namespace {

inline constexpr Activity<std::int64_t(std::int64_t, std::int64_t)> Add{"Add"};
inline constexpr Activity<std::int64_t(std::int64_t)> Seven{"Seven"};
inline constexpr Activity<void()> Wait{"Wait"};
inline constexpr Activity<void(std::string)> Undo{"Undo"};

Orchestration<std::int64_t> sum(OrchestrationContext ctx, std::int64_t n) {
    std::int64_t value = 0;
    for (int i = 0; i < 2; ++i) value = co_await ctx.call(Add, value, n);
    std::vector<Call<std::int64_t>> calls;
    for (int i = 0; i < 3; ++i) calls.push_back(ctx.call(Add, std::int64_t{0}, n));
    const std::vector<std::int64_t> parts = co_await ctx.join(std::move(calls));
    for (const std::int64_t part : parts) value += part;
    co_await ctx.timer(std::chrono::milliseconds(20));
    co_return co_await ctx.call(Add, value, std::int64_t{10});
}

Orchestration<void> endless(OrchestrationContext ctx) {
    ctx.on_rollback(Undo, ctx.instance_id());
    co_await ctx.call(Wait);
}

Orchestration<std::int64_t> newer(OrchestrationContext ctx, std::int64_t n) {
    co_return co_await ctx.call(Seven, n);
}

class Effects {
public:
    explicit Effects(const std::string& path)
        : file_(::open(path.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0644)) {
        if (file_ < 0) throw std::runtime_error("cannot open " + path);
    }
    /// One write of a short line to a file opened for appending: whole, or not at all. While the
    /// disk is full, it waits: that is no failure of the activity.
    void note(const ActivityContext& ctx) const {
        const std::string line = ctx.instance_id() + " " + ctx.name() + " " +
                                 ctx.idempotency_key() + " " + std::to_string(ctx.attempt()) + "\n";
        while (::write(file_, line.data(), line.size()) != static_cast<ssize_t>(line.size())) {
            if (errno != ENOSPC) throw std::runtime_error("the effect could not be written");
            std::this_thread::sleep_for(std::chrono::milliseconds(5));
        }
    }

private:
    int file_;
};

void wait_for_stop(ActivityContext& ctx) {
    while (!ctx.stop_requested()) std::this_thread::sleep_for(std::chrono::milliseconds(2));
    throw std::runtime_error("stopped");
}

}  // namespace

Registry code_of(int version, const std::string& effects_path) {
    const auto effects = std::make_shared<Effects>(effects_path);
    Registry registry;
    registry.add(Sum, sum);
    registry.add(Endless, endless);
    registry.add(Add, [effects](ActivityContext& ctx, std::int64_t value, std::int64_t more) {
        effects->note(ctx);
        return value + more;
    });
    registry.add(Wait, wait_for_stop);
    registry.add(Undo, [effects](ActivityContext& ctx, const std::string&) { effects->note(ctx); });
    if (version > 1) {
        registry.add(Newer, newer);
        registry.add(Seven, [effects](ActivityContext& ctx, std::int64_t n) {
            effects->note(ctx);
            return 7 * n;
        });
    }
    return registry;
}

}  // namespace belay::crash
