// EXPECT: a coroutine's parameters must be values: a const or rvalue reference may be bound

#include <belay/async.hpp>

#ifdef BELAY_CONTROL
belay::Async<int> code(belay::ActivityContext&, std::string text) {
    co_return static_cast<int>(text.size());
}
#else
belay::Async<int> code(belay::ActivityContext&, const std::string& text) {
    co_return static_cast<int>(text.size());
}
#endif
