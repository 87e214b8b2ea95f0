// EXPECT: a coroutine's parameters must be values: a const or rvalue reference may be bound

#include <belay/async.hpp>

struct Service {
    int value = 0;
};

#ifdef BELAY_CONTROL
belay::Async<int> code(const Service& service) { co_return service.value; }
#else
belay::Async<int> code(const std::string& text) { co_return static_cast<int>(text.size()); }
#endif
