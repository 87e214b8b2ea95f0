// Turns that take virtual time, or never end.
#pragma once

#include "simulation/world/clocks.hpp"
#include "simulation/world/report.hpp"
#include <belay/turn_executor.hpp>

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace belay::sim {

/// The behaviour of one turn. Decided when it begins.
struct TurnPlan {
    std::optional<Millis> takes{Millis(0)};  ///< None: it never ends.
};

/// Takes the turns of one process. A turn that takes no time is taken at once. The code of another
/// one runs when its time is over, as if it had computed until then.
class SimTurns final : public TurnExecutor {
public:
    using Planner = std::function<TurnPlan(const TurnTask&)>;

    SimTurns(const VirtualTime& time, Trace& trace, std::string who)
        : time_(time), trace_(trace), who_(std::move(who)) {}

    /// Without a planner no turn takes time.
    void plan_with(Planner planner) { planner_ = std::move(planner); }

    void begin(std::shared_ptr<TurnTask> task) override;
    void gave_up(const std::shared_ptr<TurnTask>& task) override;

    /// Ends one that is due; false if there is none.
    bool end_one();
    [[nodiscard]] std::optional<Millis> next_due() const;
    /// Those that have not ended, given up or not.
    [[nodiscard]] std::size_t under_way() const noexcept { return turns_.size(); }
    /// The process died: turns vanish where they stand.
    void kill_all() { turns_.clear(); }

private:
    struct Slow {
        std::shared_ptr<TurnTask> task;
        std::optional<Millis> ends_at;
    };

    const VirtualTime& time_;
    Trace& trace_;
    std::string who_;
    Planner planner_;
    std::vector<Slow> turns_;
};

}  // namespace belay::sim
