#pragma once

#include <belay/registry.hpp>

namespace shop {

/// Registers the orchestrations of the shop.
void add_orchestrations(belay::Registry& registry);

}  // namespace shop
