// EXPECT: does not fit the parameter that the handle declares: pass a value of its type

#include <belay/client.hpp>
#include <belay/flow.hpp>

void code(belay::Client& client, const belay::Flow<int(int)>& flow) {
#ifdef BELAY_CONTROL
    (void)client.start(flow, 7);
#else
    (void)client.start(flow, "7");
#endif
}
