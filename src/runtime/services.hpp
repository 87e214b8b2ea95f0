// The services that every active part of a runtime shares.
#pragma once

#include "base/id_source.hpp"
#include "runtime/engine_store.hpp"
#include "runtime/event_log.hpp"
#include "runtime/user_lines.hpp"
#include <belay/detail/activity_services.hpp>
#include <belay/limits.hpp>
#include <belay/registry.hpp>
#include <belay/runtime_counts.hpp>
#include <belay/time.hpp>

#include <algorithm>
#include <cstdint>
#include <memory>
#include <string>

namespace belay::runtime {

/// Injected: nothing below reads a clock, draws a number or reaches a store but through this.
struct Services {
    EngineStore store;
    Clock& clock;
    IdSource& ids;
    const Registry& registry;
    Limits limits;
    Policy policy;
    std::string worker;
    RuntimeCounts& counters;
    EventLog& events;
    UserLines& lines;
    /// For the clients of activities.
    std::shared_ptr<const detail::ActivityServices> for_activities{};

    /// The terms that every transition carries if it may stop something.
    [[nodiscard]] StopTerms stop_terms() const {
        return StopTerms{policy.grace, policy.cancel_deadline};
    }
};

/// The time of the next claim after one that was answered at `now`, if nothing is heard before.
[[nodiscard]] inline Millis next_poll(const Policy& policy, Millis now, const ReadyIn& ready_in) {
    return now + std::min(policy.poll_interval, ready_in.value_or(policy.poll_interval));
}

}  // namespace belay::runtime
