// EXPECT: this coroutine does not fit the activity's handle: it must return belay::Async<Result>

#include <belay/registry.hpp>

inline constexpr belay::Activity<int(std::string)> Act{"Act"};

#ifdef BELAY_CONTROL
belay::Async<int> code(belay::ActivityContext&, std::string) { co_return 1; }
#else
belay::Async<std::string> code(belay::ActivityContext&, std::string text) { co_return text; }
#endif

void use(belay::Registry& registry) { registry.add(Act, code); }
