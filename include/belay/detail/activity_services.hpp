// Services behind the client of an activity.
#pragma once

#include <belay/limits.hpp>
#include <belay/random.hpp>
#include <belay/time.hpp>

namespace belay {

class Store;

namespace detail {

/// The services that a Client needs, as the worker of an activity has them.
struct ActivityServices {
    Store& store;
    Clock& clock;
    Random& random;
    Limits limits;
    Policy policy;
};

}  // namespace detail

}  // namespace belay
