#pragma once

#include "services.hpp"
#include <belay/registry.hpp>

namespace shop {

/// Registers the activities of the shop. They use the services, which must outlive the workers.
void add_activities(belay::Registry& registry, Services& services);

}  // namespace shop
