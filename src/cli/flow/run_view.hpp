// A run of a flow, as people look at it: plain data, made from the picture of a run.
#pragma once

#include "cli/json.hpp"
#include "graph/graph.hpp"
#include <belay/status.hpp>
#include <belay/time.hpp>

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace belay::cli {

/// The thing that a step waits for.
struct WaitView {
    enum class What : std::uint8_t { time, event, approval, retry };

    What what = What::time;
    std::string event{};               ///< The name under which it is raised.
    std::string prompt{};              ///< approval
    std::string answer{};              ///< The command that answers it.
    std::optional<Timestamp> until{};  ///< The end of the wait.

    friend bool operator==(const WaitView&, const WaitView&) = default;
};

/// The state of a step, or of an item of a map.
struct WorkView {
    graph::State state = graph::State::pending;
    std::uint32_t attempt = 0;   ///< The number of attempts that were begun.
    std::uint32_t attempts = 1;  ///< The most that there may be.
    std::optional<Timestamp> began_at{};
    std::optional<Timestamp> ended_at{};
    std::optional<Timestamp> canceled_at{};  ///< canceling, canceled: when it was.
    std::optional<WaitView> waits{};
    std::string worker{};  ///< started, canceling: the worker that has it.
    std::string why{};     ///< The last failure, or why it was skipped or canceled.
    std::string line{};    ///< The last line that its program wrote.

    friend bool operator==(const WorkView&, const WorkView&) = default;
};

struct ItemView : WorkView {
    std::uint64_t item = 0;

    friend bool operator==(const ItemView&, const ItemView&) = default;
};

struct StepView : WorkView {
    std::string id;
    std::string kind;
    std::string child{};                  ///< The id of the run that it started.
    std::optional<graph::Items> count{};  ///< A map that has begun.
    std::vector<ItemView> items{};        ///< A map: those that are known one by one.
};

/// A list of steps: those of the flow, or of `on_fail`, `on_cancel` and `finally`.
struct ListView {
    std::string name;
    std::vector<StepView> steps{};
    std::vector<graph::Edge> edges{};
};

struct RunView {
    std::string id;
    std::string flow;
    Status status = Status::pending;
    bool settled = false;  ///< None of its programs runs any more.
    bool held = false;
    std::string held_why{};
    Timestamp created_at{};
    std::optional<Timestamp> ended_at{};
    std::vector<ListView> lists{};
    std::string ended_by{};   ///< The step that ended the flow early ...
    std::string ended_why{};  ///< ... and its `end_flow`.
};

/// Returns "ended early by 'check': steps.check.output == 0"; empty if it did not.
[[nodiscard]] std::string early_end_text(std::string_view step, std::string_view why);
/// Writes the members "ended_by" and "ended_why", if the flow ended early.
void write_early_end(JsonWriter& out, std::string_view step, std::string_view why);
/// Writes the members of a step or item: its times, worker, attempts, and what it waits for.
void write_work(JsonWriter& out, const WorkView& work);

/// Returns "12:03:04" in the time zone of this machine; with the day if it is not that of `now`.
[[nodiscard]] std::string clock_time(Timestamp at);
[[nodiscard]] std::string clock_time(Timestamp at, Timestamp now);
/// Returns a duration that changes once a second: "7s", "1m12s".
[[nodiscard]] std::string whole_seconds(Millis time);
/// Returns the time that is left: at least "1s".
[[nodiscard]] std::string seconds_left(Millis time);

/// Returns "attempt 2 of 3"; empty for the only one, or before any.
[[nodiscard]] std::string attempt_text(const WorkView& work);
/// Returns "until 12:30:00"; empty if there is no end.
[[nodiscard]] std::string until_text(const WaitView& wait, Timestamp now);

/// Returns the number of steps of a list that have ended.
[[nodiscard]] std::size_t ended_steps(const ListView& list) noexcept;
[[nodiscard]] bool has_ended(graph::State state) noexcept;
/// True if there is something to see: a list that nothing has begun is left out of live views.
[[nodiscard]] bool has_begun(const ListView& list) noexcept;

}  // namespace belay::cli
