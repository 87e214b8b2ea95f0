// What every active part of a runtime shares.
#pragma once

#include "base/id_source.hpp"
#include <belay/limits.hpp>
#include <belay/registry.hpp>
#include <belay/runtime_counts.hpp>
#include <belay/store/store.hpp>
#include <belay/time.hpp>

#include <cstdint>
#include <functional>
#include <string>

namespace belay::runtime {

/// Injected: nothing below reads a clock, draws a number or reaches a store but through this.
struct Services {
    Store& store;
    Clock& clock;
    IdSource& ids;
    const Registry& registry;
    Limits limits;
    Policy policy;
    std::string worker;
    RuntimeCounts counters{};
    std::function<void(const std::string&)> log = [](const std::string&) {};
};

/// A delay that doubles with every try, up to a limit.
[[nodiscard]] inline Millis backoff(Millis first, Millis most, std::uint32_t tries) {
    Millis delay = first;
    for (std::uint32_t i = 0; i < tries && delay < most; ++i) delay *= 2;
    return delay < most ? delay : most;
}

}  // namespace belay::runtime
