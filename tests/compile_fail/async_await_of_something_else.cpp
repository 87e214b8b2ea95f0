// EXPECT: this cannot be awaited in an activity: await what its context offers

#include <belay/async.hpp>

belay::Async<void> code(belay::ActivityContext& ctx) {
#ifdef BELAY_CONTROL
    co_await ctx.sleep(belay::Millis(7));
#else
    co_await 7;
#endif
}
