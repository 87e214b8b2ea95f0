#include "figures.hpp"
#include "measure.hpp"
#include "replay/execution.hpp"
#include "turns.hpp"
#include "workloads.hpp"
#include <belay/codec.hpp>

#include <coroutine>
#include <exception>
#include <utility>
#include <vector>

namespace belay::bench {

namespace {

constexpr std::int64_t kAwaits = 1'000'000;

/// The smallest lazy coroutine with a result: a frame, and two jumps.
class Bare {
public:
    struct promise_type {
        struct Final {
            [[nodiscard]] bool await_ready() const noexcept { return false; }
            std::coroutine_handle<> await_suspend(
                std::coroutine_handle<promise_type> self) const noexcept {
                return self.promise().next;
            }
            void await_resume() const noexcept {}
        };

        Bare get_return_object() {
            return Bare(std::coroutine_handle<promise_type>::from_promise(*this));
        }
        std::suspend_always initial_suspend() const noexcept { return {}; }
        Final final_suspend() const noexcept { return {}; }
        void return_value(std::int64_t result) noexcept { value = result; }
        [[noreturn]] void unhandled_exception() const noexcept { std::terminate(); }

        std::coroutine_handle<> next = std::noop_coroutine();
        std::int64_t value = 0;
    };

    explicit Bare(std::coroutine_handle<promise_type> handle) noexcept : handle_(handle) {}
    Bare(const Bare&) = delete;
    Bare& operator=(const Bare&) = delete;
    ~Bare() { handle_.destroy(); }

    [[nodiscard]] bool await_ready() const noexcept { return false; }
    std::coroutine_handle<> await_suspend(std::coroutine_handle<> next) const noexcept {
        handle_.promise().next = next;
        return handle_;
    }
    [[nodiscard]] std::int64_t await_resume() const noexcept { return handle_.promise().value; }

    std::int64_t run() const {
        handle_.resume();
        return handle_.promise().value;
    }

private:
    std::coroutine_handle<promise_type> handle_;
};

[[gnu::noinline]] Bare bare_successor(std::int64_t value) { co_return value + 1; }

Bare bare_loop(std::int64_t times) {
    std::int64_t value = 0;
    for (std::int64_t i = 0; i < times; ++i) value = co_await bare_successor(value);
    co_return value;
}

double bare_awaits_per_second() {
    const Instant begin = SteadyClock::now();
    const std::int64_t done = bare_loop(kAwaits).run();
    const double seconds = seconds_between(begin, SteadyClock::now());
    require(done == kAwaits, "a bare coroutine was lost");
    return static_cast<double>(kAwaits) / seconds;
}

double awaits_per_second(const Registry& registry) {
    replay::Execution execution(
        registry.orchestration(HelperLoop.name())->handler,
        replay::Identity{{"default", "awaiting"}, 1, std::string(HelperLoop.name()), "1"},
        Limits());
    const Payload input = detail::encode_arguments<std::int64_t>(kAwaits);
    const Instant begin = SteadyClock::now();
    execution.begin_turn(from_unix_ms(1'800'000'000'000), input);
    const double seconds = seconds_between(begin, SteadyClock::now());
    require(execution.outcome() && execution.outcome()->status == Status::completed,
            "the helpers did not come to an end");
    return static_cast<double>(kAwaits) / seconds;
}

}  // namespace

Figure measure_await(std::size_t slices) {
    const Registry registry = orchestrations();
    const Turns turns =
        take_turns(slices, [&] { return awaits_per_second(registry); }, bare_awaits_per_second);
    return Figure{"engine.await",
                  estimate(turns.subject),
                  "awaits/s",
                  median(turns.yardstick),
                  Figure::Limit::best};
}

}  // namespace belay::bench
