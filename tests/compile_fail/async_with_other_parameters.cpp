// EXPECT: does not fit the activity's handle: it must take the declared parameters

#include <belay/registry.hpp>

inline constexpr belay::Activity<int(std::string)> Act{"Act"};

#ifdef BELAY_CONTROL
belay::Async<int> code(std::string) { co_return 1; }
#else
belay::Async<int> code(std::string, int) { co_return 1; }
#endif

void use(belay::Registry& registry) { registry.add(Act, code); }
