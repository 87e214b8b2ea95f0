// An order is paid and shipped although the process that handles it dies half way. Another order is
// canceled in the middle, and its steps are undone.
//
// Everything runs on the memory store and a clock that this program turns by hand, so nothing
// waits.
#include <belay/client.hpp>
#include <belay/executor.hpp>
#include <belay/orchestration.hpp>
#include <belay/registry.hpp>
#include <belay/runtime.hpp>
#include <belay/store/memory.hpp>

#include <cstdio>
#include <memory>
#include <stdexcept>
#include <string>

namespace {

using namespace std::chrono_literals;

// ---- The steps: name and signature of each, once ------------------------------------------------

inline constexpr belay::Activity<std::string(std::string)> Reserve{"Reserve"};
inline constexpr belay::Activity<void(std::string)> Release{"Release"};
inline constexpr belay::Activity<std::string(std::string, int)> Charge{"Charge"};
inline constexpr belay::Activity<std::string(std::string)> Ship{"Ship"};
inline constexpr belay::Definition<std::string(std::string, int)> Checkout{"Checkout"};

belay::Orchestration<std::string> checkout(belay::OrchestrationContext ctx,
                                           std::string order,
                                           int cents) {
    {
        const auto shield = ctx.shield();  // A cancel waits until it is known what to undo.
        const std::string hold = co_await ctx.call(Reserve, order);
        ctx.on_rollback(Release, hold);  // Runs if this order fails or is canceled from here on.
    }

    const auto paid = co_await ctx.select(ctx.call(Charge, order, cents), ctx.timer(30min));
    if (paid.index() == 1) throw std::runtime_error("the payment took too long");

    co_await ctx.timer(24h);  // The warehouse packs.
    const std::string parcel = co_await ctx.call(Ship, order);
    co_return std::get<0>(paid) + ", " + parcel;
}

belay::Registry all_the_code() {
    belay::Registry registry;
    registry.add(Checkout, checkout);
    registry.add(Reserve, [](const std::string& order) {
        std::printf("    Reserve  goods for %s\n", order.c_str());
        return "hold for " + order;
    });
    registry.add(Release, [](const std::string& hold) {
        std::printf("    Release  %s (compensation)\n", hold.c_str());
    });
    registry.add(Charge, [](const std::string& order, int cents) {
        std::printf("    Charge   %d.%02d for %s\n", cents / 100, cents % 100, order.c_str());
        return std::string("paid");
    });
    registry.add(Ship, [](const std::string& order) {
        std::printf("    Ship     %s\n", order.c_str());
        return std::string("parcel 1Z-") + order;
    });
    return registry;
}

// ---- Around it ----------------------------------------------------------------------------------

class HandClock final : public belay::Clock {
public:
    belay::Timestamp wall() override { return belay::from_unix_ms(1'800'000'000'000) + passed_; }
    belay::Millis monotonic() override { return passed_; }
    void advance(belay::Millis by) { passed_ += by; }

private:
    belay::Millis passed_{1};
};

void show(belay::Client& client, const char* id) {
    const auto info = client.inspect({"default", id});
    if (!info) return;
    std::printf("  %s: %s, %llu events recorded\n",
                id,
                std::string(to_string(info->status)).c_str(),
                static_cast<unsigned long long>(info->event_count));
}

/// Fails the example when something is not as it should be.
void expect(bool fine, const char* what) {
    if (!fine) throw std::runtime_error(std::string("unexpected: ") + what);
}

void run_example() {
    HandClock clock;
    const std::unique_ptr<belay::Store> store = belay::make_memory_store(clock);
    const belay::Registry registry = all_the_code();
    belay::InlineExecutor executor;
    belay::Client client(*store, clock);

    std::printf("Starting two orders.\n");
    for (const char* id : {"order-7", "order-8"}) {
        const auto started =
            client.start(Checkout, belay::StartOptions().id(id), std::string(id), 4200);
        expect(started.ok() && started->created, "the order was not started");
    }

    std::printf("Process A takes them on, until both wait for the warehouse.\n");
    auto process_a = std::make_unique<belay::Runtime>(
        *store, registry, executor, belay::RuntimeOptions().worker("A").clock(clock));
    process_a->run_until_idle();
    show(client, "order-7");
    show(client, "order-8");

    std::printf("Process A dies. All it had in memory is gone.\n");
    process_a.reset();

    std::printf("Somebody cancels order-8.\n");
    const auto canceled = client.cancel({"default", "order-8"},
                                        belay::CancelOptions().by("bob").reason("wrong size"));
    expect(canceled.ok() && canceled->changed, "the cancel was not accepted");

    // A cancel waits for its cleanup until a deadline (Policy::cancel_deadline, 10 minutes).
    std::printf("A minute later process B starts, replays what was recorded, and goes on.\n");
    clock.advance(1min);
    belay::Runtime process_b(
        *store, registry, executor, belay::RuntimeOptions().worker("B").clock(clock));
    process_b.run_until_idle();
    std::printf("The warehouse has packed.\n");
    clock.advance(24h);
    process_b.run_until_idle();
    show(client, "order-7");
    show(client, "order-8");

    const auto seven = client.outcome({"default", "order-7"});
    const auto eight = client.outcome({"default", "order-8"});
    expect(seven.ok() && seven->status == belay::Status::completed, "order-7 did not complete");
    expect(eight.ok() && eight->status == belay::Status::canceled, "order-8 was not canceled");
    std::printf("order-7 completed: %s\n", seven->output.bytes.c_str());
    std::printf("order-8 canceled by %s: %s; cleanup %s\n",
                eight->cancel.by.c_str(),
                eight->cancel.reason.c_str(),
                std::string(to_string(eight->cleanup)).c_str());
    expect(eight->cleanup == belay::Cleanup::done, "order-8 was not undone");
    expect(process_b.counts().cold_replays == 2, "nothing was replayed");
}

}  // namespace

int main() {
    try {
        run_example();
    } catch (const std::exception& problem) {
        std::fprintf(stderr, "%s\n", problem.what());
        return 1;
    }
    return 0;
}
