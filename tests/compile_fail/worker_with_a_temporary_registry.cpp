// EXPECT: (deleted function|deleted constructor)

#include <belay/registry.hpp>
#include <belay/worker.hpp>

belay::Registry code() { return {}; }

void run(belay::Store& store) {
#ifdef BELAY_CONTROL
    const belay::Registry registry = code();
    const belay::Worker worker(store, registry);
#else
    const belay::Worker worker(store, code());
#endif
}
