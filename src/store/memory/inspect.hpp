// Inspection of a memory store, for tests and the simulator.
#pragma once

#include "store/memory/tables.hpp"
#include <belay/store/store.hpp>

#include <functional>
#include <string>
#include <vector>

namespace belay {

/// Checks all rows and indexes against each other. Returns the contradictions, or nothing if all is
/// well. Linear in the size of the store. `store` must be a memory store.
[[nodiscard]] std::vector<std::string> check_memory_store(Store& store);

namespace memory {

[[nodiscard]] std::vector<std::string> find_problems(const Tables& tables);
/// Calls `use` with the tables, under the store's lock: to plant a problem.
void with_tables(Store& store, const std::function<void(Tables&)>& use);

}  // namespace memory

}  // namespace belay
