// A store in memory, for tests, the simulator and programs that need no durability.
#pragma once

#include <belay/store/store.hpp>

#include <memory>

namespace belay {

/// Answers before the call returns, on the calling thread; any thread may call. `clock.wall()` is
/// the store's "now", and the clock must outlive the store. Nothing survives the store.
[[nodiscard]] std::unique_ptr<Store> make_memory_store(Clock& clock,
                                                       StoreOptions options = StoreOptions());

}  // namespace belay
