// Makes a transition of the decisions of an execution.
#pragma once

#include "base/id_source.hpp"
#include "replay/execution.hpp"
#include <belay/limits.hpp>
#include <belay/registry.hpp>
#include <belay/store/store.hpp>

namespace belay::runtime {

/// The Turn that records `events` (what `execution` did since `claim`; encoded, `row`) and carries
/// out its decisions. A command that was scheduled and let go of in the same turn is in history
/// only, and so is a timer that has fired in it: neither reaches a queue.
[[nodiscard]] Turn build_turn(const ClaimedInstance& claim,
                              const replay::Execution& execution,
                              const std::vector<model::Event>& events,
                              HistoryRow row,
                              const Registry& registry,
                              const Policy& policy,
                              IdSource& ids);

}  // namespace belay::runtime
