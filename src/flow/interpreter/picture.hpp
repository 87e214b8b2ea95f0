// The state of every step and item of a run, drawn from its recorded history.
#pragma once

#include "flow/definition/definition.hpp"
#include "flow/interpreter/observer.hpp"
#include "model/event.hpp"
#include <belay/finding.hpp>
#include <belay/limits.hpp>
#include <belay/status.hpp>

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace belay::flow {

/// The state of a step, or of an item of a map.
enum class StepStatus : std::uint8_t {
    pending,    ///< Steps before it have not ended.
    queued,     ///< Its activity is in line; see `add_awaits`.
    started,    ///< Its activity or child runs.
    waiting,    ///< It waits for time, an event, a person, or its next attempt.
    canceling,  ///< Canceled, and its handler or child has not been seen to end: `add_stopping`.
    completed,
    failed,
    skipped,
    canceled,  ///< The run ended before it did, or somebody canceled it.
};

[[nodiscard]] std::string_view to_string(StepStatus status) noexcept;

/// True for the last four.
[[nodiscard]] constexpr bool has_ended(StepStatus status) noexcept {
    return status >= StepStatus::completed;
}

/// What a step waits for.
struct StepWait {
    enum class What : std::uint8_t { time, event, approval, retry };

    What what = What::time;
    std::string event{};               ///< event, approval: the name under which it is raised.
    std::string prompt{};              ///< approval
    std::optional<Timestamp> until{};  ///< When the time is over.
};

/// The state of a step, or of an item.
struct Progress {
    StepStatus status = StepStatus::pending;
    std::optional<Timestamp> began_at{};
    std::optional<Timestamp> ended_at{};
    std::optional<Timestamp> canceled_at{};  ///< canceling, canceled: when it was.
    std::uint32_t attempts = 0;              ///< Of its activity or child, begun so far.
    CommandNo command = 0;            ///< Of the current attempt, canceled or not; 0: none is open.
    std::string child{};              ///< The id of its child run.
    std::string worker{};             ///< started, canceling: set by `add_awaits`, `add_stopping`.
    std::optional<StepWait> waits{};  ///< waiting
    std::optional<Failure> failure{};  ///< failed, canceled alone; waiting for a retry: the last.
    std::string reason{};              ///< skipped, canceled: why, for people.
    expr::Value output{};              ///< completed
    expr::Value more{};                ///< A map that has completed: StepEnd::more.
    std::string from{};                ///< The run whose result was kept; empty: this one's own.
};

struct ItemPicture : Progress {
    std::uint64_t item = 0;
    expr::Value element{};
};

/// A child that runs items of a map.
struct ChunkPicture {
    std::string child{};  ///< Its id.
    std::uint64_t from = 0;
    std::uint64_t count = 0;
};

struct StepPicture : Progress {
    std::string id;
    std::string kind;                      ///< "exec"
    std::optional<std::uint64_t> count{};  ///< A map that has begun: the number of its items.
    std::vector<ItemPicture> items{};      ///< By number. Empty if children run them.
    std::vector<ChunkPicture> chunks{};
};

struct ListPicture {
    ListName name = ListName::steps;
    std::optional<Timestamp> began_at{};
    std::optional<Timestamp> ended_at{};
    std::vector<StepPicture> steps{};
};

struct FlowPicture {
    std::string run;  ///< The id.
    Status status = Status::pending;
    std::vector<ListPicture> lists{};  ///< Without those that have no steps.
    std::string ended_by{};            ///< The step that ended the flow early ...
    std::string ended_why{};           ///< ... and its `end_flow`, as it was written.
};

/// A run, as far as it was recorded.
struct RecordedRun {
    InstanceName name{};
    std::string version{};
    Headers headers{};
    ExecutionNo execution = 1;
    std::vector<model::Event> events{};
    Status status = Status::pending;
    std::optional<Outcome> outcome{};
    std::optional<Timestamp> ended_at{};
};

/// Replays the history of a run with the interpreter. Returns `nondeterminism` if it is no run of
/// this definition.
[[nodiscard]] Result<FlowPicture> picture_of(std::shared_ptr<const Definition> definition,
                                             const RecordedRun& run,
                                             const Limits& limits = Limits());

/// The same for the text of Client::export_instance.
[[nodiscard]] Result<FlowPicture> picture_of(std::shared_ptr<const Definition> definition,
                                             std::string_view exported,
                                             const Limits& limits = Limits());

/// The same with the definition that the run itself has. Returns `not_found` if it has none.
[[nodiscard]] Result<FlowPicture> picture_of(std::string_view exported,
                                             const Limits& limits = Limits());

/// Returns the definition in the document of a run: see write_bundle. Returns `not_found` if none
/// has this name.
[[nodiscard]] Result<std::shared_ptr<const Definition>> definition_in(const Payload& document,
                                                                      const std::string& name);

/// Adds what only the queues know: which activities have been begun, and by whom. `awaits` is that
/// of InstanceDescription.
void add_awaits(FlowPicture& picture, const std::vector<Awaited>& awaits);

/// Makes canceling what is canceled and has a handler, or a child, that has not been seen to end.
/// `stopping` is that of InstanceDescription; `child_stops` tells of the id of a child.
void add_stopping(FlowPicture& picture,
                  const std::vector<StoppingInfo>& stopping,
                  const std::function<bool(const std::string&)>& child_stops);

/// Adds the items that a child has run to the picture of its parent.
void add_chunk(FlowPicture& picture, const FlowPicture& child);

/// Returns the first step of this id; null if there is none.
[[nodiscard]] const StepPicture* find_step(const FlowPicture& picture,
                                           std::string_view id) noexcept;

}  // namespace belay::flow
