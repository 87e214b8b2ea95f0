// EXPECT: awaiting uses it up: write co_await std::move

#include <belay/async.hpp>

belay::Async<int> helper() { co_return 1; }

belay::Async<int> code() {
    auto call = helper();
#ifdef BELAY_CONTROL
    co_return co_await std::move(call);
#else
    co_return co_await call;
#endif
}
