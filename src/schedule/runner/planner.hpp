// The decisions of a schedule: one step each time it wakes.
#pragma once

#include "schedule/runner/change.hpp"
#include "schedule/runner/runs.hpp"
#include "schedule/runner/state.hpp"
#include "schedule/timing.hpp"
#include <belay/schedules.hpp>

#include <algorithm>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace belay::schedule {

/// The result of a step.
struct Step {
    State state{};
    std::optional<Timestamp> wake{};    ///< The next step; none: when a message comes.
    std::optional<std::string> spec{};  ///< Replaces the description that is kept.
    bool ended = false;                 ///< There is no tick left.
    bool fresh = false;                 ///< Times count from now on: begin a new execution.
};

/// Takes one step from a recorded state. The time is recorded as well, so a repeat of the step asks
/// for the same runs.
class Planner {
public:
    Planner(std::string name, std::string_view spec, Runs& runs, Timestamp now);

    [[nodiscard]] Step step(State state, const std::vector<Payload>& messages);

private:
    void read(std::string_view spec);

    // Runs.
    void follow();
    void start(const RunRequest& request);
    void forget_old_runs();
    [[nodiscard]] std::size_t under_way() const;
    void pause_for(std::string why);

    // Ticks.
    struct DueTick {
        Timestamp tick{};
        Timestamp since{};  ///< When it could start, given its jitter and that of those before it.
    };
    [[nodiscard]] bool is_fresh(const DueTick& one) const;
    [[nodiscard]] bool is_on_time(const DueTick& one) const;
    /// True if there is a tick in line for which this is true.
    template <class Condition>
    [[nodiscard]] bool waits(Condition condition) const {
        return std::ranges::any_of(state_.waiting, condition);
    }
    [[nodiscard]] bool only_backfills_run() const;
    [[nodiscard]] Timestamp fire_time(Timestamp tick) const;
    void fire_due();
    void miss(Timestamp tick);
    void fire_last(const DueTick& one);
    void fire(Timestamp tick, ScheduleCause cause);
    void cancel_for(Timestamp tick, ScheduleCause cause);

    // Ticks that wait.
    void wait_in_line(Timestamp tick, ScheduleCause cause);
    void expand_backfills();
    [[nodiscard]] std::vector<WaitingTick>::iterator first_eligible();
    void start_waiting();

    // Changes.
    void apply(const Change& change);
    void resume();
    void update(const Change& change);

    [[nodiscard]] std::optional<Timestamp> poll_time();
    [[nodiscard]] Step finish();

    std::string name_;
    Runs& runs_;
    Timestamp now_;
    ScheduleSpec spec_;
    std::optional<Timing> timing_;
    std::string problem_;
    Step out_;
    State& state_ = out_.state;
    std::size_t starts_ = 0;  ///< In this step.
    bool again_ = false;      ///< There is more to do now.
};

}  // namespace belay::schedule
