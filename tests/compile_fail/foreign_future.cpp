// EXPECT: only durable work can be awaited.*Put other asynchronous work into an activity
// COMPILERS: gcc

#include <belay/orchestration.hpp>

/// As other libraries have it.
class TheirFuture {
public:
    bool await_ready() const { return true; }
    void await_suspend(std::coroutine_handle<>) const {}
    int await_resume() const { return 7; }
};

inline constexpr belay::Activity<int(int)> Act{"Act"};

belay::Orchestration<void> code(belay::OrchestrationContext ctx) {
#ifdef BELAY_CONTROL
    co_await ctx.call(Act, 7);
#else
    co_await TheirFuture();
#endif
}
