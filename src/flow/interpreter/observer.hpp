// Watches the interpreter, so that the state of a run can be drawn from its history.
#pragma once

#include "flow/interpreter/ends.hpp"
#include "flow/interpreter/plan.hpp"
#include <belay/ids.hpp>
#include <belay/time.hpp>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>

namespace belay::flow {

/// A step, or an item of a step that is a map.
class Spot {
public:
    Spot(ListName list_, std::size_t step_) noexcept : list(list_), step(step_) {}
    Spot(ListName list_, std::size_t step_, std::uint64_t item_) noexcept
        : list(list_), step(step_), item(item_) {}

    ListName list;
    std::size_t step;
    std::optional<std::uint64_t> item{};
};

/// A wait for time, an event or a person.
struct Wanted {
    enum class What : std::uint8_t { time, event, approval };

    What what = What::time;
    std::string name{};                ///< The name of the event.
    std::string prompt{};              ///< approval
    std::optional<Timestamp> until{};  ///< The end of a sleep, or the timeout.
};

/// The items of a map that run in a child.
struct Chunk {
    CommandNo command = 0;
    std::string child{};  ///< The name of the child under its parent.
    std::uint64_t from = 0;
    std::uint64_t count = 0;
};

struct KeptEnd;

/// Every function is called at the point of the run where it happens, with the time of that turn.
/// A step that never ends was canceled with its list.
class StepObserver {
public:
    StepObserver() = default;
    StepObserver(const StepObserver&) = delete;
    StepObserver& operator=(const StepObserver&) = delete;
    virtual ~StepObserver() = default;

    virtual void list_began(ListName list, Timestamp at) = 0;
    virtual void list_ended(ListName list, const ListEnd& end, Timestamp at) = 0;
    /// The step runs: those it begins after have ended, and its condition is true.
    virtual void began(const Spot& spot, Timestamp at) = 0;
    /// The step is a map over these elements, of which the first has the number `first`.
    virtual void has_items(const Spot& spot, std::uint64_t first, const expr::List& elements) = 0;
    /// An activity or a child was scheduled for it. Its retries follow.
    virtual void scheduled(const Spot& spot, CommandNo command) = 0;
    virtual void handed_over(const Spot& spot, const Chunk& chunk) = 0;
    virtual void waits(const Spot& spot, const Wanted& wanted) = 0;
    virtual void ended(const Spot& spot, const StepEnd& end, Timestamp at) = 0;
    /// The step or item did not run: its end is that of an earlier run.
    virtual void kept(const Spot& spot, const KeptEnd& end) = 0;
};

}  // namespace belay::flow
