// EXPECT: a coroutine does nothing until it is awaited: write co_await
// FLAGS: -Werror=unused-result

#include <belay/async.hpp>

belay::Async<void> helper() { co_return; }

belay::Async<void> code() {
#ifdef BELAY_CONTROL
    co_await helper();
#else
    helper();
    co_return;
#endif
}
