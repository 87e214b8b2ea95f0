// EXPECT: a coroutine's parameters must own their data: write std::string, not std::string_view

#include <belay/async.hpp>

#ifdef BELAY_CONTROL
belay::Async<int> code(std::string text) { co_return static_cast<int>(text.size()); }
#else
belay::Async<int> code(std::string_view text) { co_return static_cast<int>(text.size()); }
#endif
