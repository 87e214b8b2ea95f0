// Cancels of one step or item of a run that goes on. They come as events.
#pragma once

#include "flow/interpreter/graph_run.hpp"
#include <belay/orchestration.hpp>
#include <belay/payload.hpp>

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

namespace belay::flow {

/// The event that cancels a step or an item. A flow waits for it without a command, so a run that
/// never gets one records nothing.
inline constexpr std::string_view kCancelStepEvent = "belay.cancel-step";

/// A cancel of one step, or of one item of a map.
struct StepCancel {
    std::string step;
    std::optional<std::uint64_t> item{};
    std::string reason{};
    std::string by{};
};

/// The value of the event: `{"step": "dump", "item": 17, "reason": "too slow", "by": "ann"}`.
/// Throws OperationFailed for a text that is no UTF-8.
[[nodiscard]] Payload encode_cancel(const StepCancel& cancel);
/// Throws DecodeError, which says what is wrong.
[[nodiscard]] StepCancel decode_cancel(const Payload& payload);

/// Hands such events to the steps of a list. Never ends. Logs those that fit no step, and ignores
/// them.
[[nodiscard]] Orchestration<void> listen_for_cancels(OrchestrationContext ctx,
                                                     std::shared_ptr<GraphRun> graph);

}  // namespace belay::flow
