// EXPECT: nothing happens until it is awaited: write co_await
// FLAGS: -Werror=unused-result

#include <belay/async.hpp>

belay::Async<void> code(belay::ActivityContext& ctx) {
#ifdef BELAY_CONTROL
    co_await ctx.sleep(belay::Millis(7));
#else
    ctx.sleep(belay::Millis(7));
    co_return;
#endif
}
