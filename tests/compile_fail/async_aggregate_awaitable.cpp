// EXPECT: destroy this aggregate awaitable twice: give it a name in a statement of its own
// COMPILERS: gcc

#include <belay/async.hpp>

struct Foreign {
    std::string state;
    bool await_ready() const { return true; }
    void await_suspend(std::coroutine_handle<>) const {}
    void await_resume() const {}
};

belay::Async<void> code() {
#ifdef BELAY_CONTROL
    Foreign foreign{"state"};
    co_await foreign;
#else
    co_await Foreign{"state"};
#endif
}
