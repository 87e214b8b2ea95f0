// EXPECT: no belay::Codec for this message's type: specialise belay::Codec<T>

#include <belay/client.hpp>

struct Plain {};

void send(belay::Client& client, const belay::InstanceName& name) {
#ifdef BELAY_CONTROL
    (void)client.raise(name, "event", 7);
#else
    (void)client.raise(name, "event", Plain());
#endif
}
