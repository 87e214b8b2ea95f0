// EXPECT: a lambda with captures or a member of an object with data: pass what it needs

#include <belay/orchestration.hpp>

class Service {
public:
    belay::Orchestration<int> code(belay::OrchestrationContext) const { co_return 1; }

private:
#ifndef BELAY_CONTROL
    int data_ = 0;
#endif
};
