#include "replay/turn_scope.hpp"

#include <utility>

namespace belay::replay {

namespace {

constinit thread_local const Identity* running_here = nullptr;

}  // namespace

const Identity* TurnScope::current() noexcept { return running_here; }

const Identity* TurnScope::enter(const Identity* identity) noexcept {
    return std::exchange(running_here, identity);
}

}  // namespace belay::replay
