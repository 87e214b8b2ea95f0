// Activities that take virtual time and end as a script says.
#pragma once

#include "simulation/process/effects.hpp"
#include "simulation/world/clocks.hpp"
#include "simulation/world/report.hpp"
#include <belay/executor.hpp>
#include <belay/registry.hpp>

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace belay::sim {

enum class Ending : std::uint8_t {
    result,
    failure,        ///< Throws OperationFailed.
    exception,      ///< Throws a std::exception.
    odd_exception,  ///< Throws something else.
    declined,       ///< Throws an ApplicationError of the type kDeclined.
    final_error,    ///< Throws one that says of itself that it is final.
};

/// Some retry policies take this type to be final.
inline constexpr const char* kDeclined = "Declined";

/// The behaviour of one handler. Decided when it begins.
struct HandlerPlan {
    std::optional<Millis> takes;        ///< None: it hangs until it is asked to stop.
    std::optional<Millis> stops_after;  ///< None: it ignores being asked.
    bool waits = false;                 ///< It hangs because there is no room for it yet.
    Ending ending = Ending::result;
};

/// One handler under way.
struct Handler {
    std::uint64_t serial = 0;
    std::shared_ptr<ActivityTask> task;
    ActivityExecutor::Done done;
    HandlerPlan plan;
    std::optional<Millis> ends_at;
    bool asked_to_stop = false;
    bool abandoned = false;
};

/// The executor of one process. Handlers end when the scheduler says so, at or after `ends_at`.
class SimExecutor final : public ActivityExecutor {
public:
    using Planner = std::function<HandlerPlan(const ActivityTask&)>;
    using StopWatch = std::function<void(const ActivityTask&, StopReason)>;

    SimExecutor(const VirtualTime& time, Trace& trace, Effects& effects, std::string who)
        : time_(time), trace_(trace), effects_(effects), who_(std::move(who)) {}

    /// Without a planner every handler is due at once and succeeds.
    void plan_with(Planner planner) { planner_ = std::move(planner); }
    /// Called for each handler that is told to stop.
    void watch_stops(StopWatch watch) { stop_watch_ = std::move(watch); }

    void begin(std::shared_ptr<ActivityTask> task, Done done) override;
    void request_stop(const std::shared_ptr<ActivityTask>& task, StopReason reason) override;
    [[nodiscard]] bool abort(const std::shared_ptr<ActivityTask>& task) override;
    [[nodiscard]] bool withdraw(const std::shared_ptr<ActivityTask>& task) override;

    [[nodiscard]] const std::vector<std::unique_ptr<Handler>>& handlers() const noexcept {
        return handlers_;
    }
    [[nodiscard]] bool is_due(const Handler& handler) const {
        return handler.ends_at && *handler.ends_at <= time_.now();
    }
    [[nodiscard]] std::optional<Millis> next_due() const;
    /// Runs the handler's function and reports its result.
    void end(Handler& handler);
    /// The process died: handlers vanish where they stand.
    void kill_all() { handlers_.clear(); }
    /// Handlers that hang end now.
    void release_hanging();

private:
    [[nodiscard]] Handler* find(const std::shared_ptr<ActivityTask>& task);

    const VirtualTime& time_;
    Trace& trace_;
    Effects& effects_;
    std::string who_;
    Planner planner_;
    StopWatch stop_watch_;
    std::uint64_t last_serial_ = 0;
    std::vector<std::unique_ptr<Handler>> handlers_;
};

/// The function of every simulated activity. It ends as the plan of its handler says.
[[nodiscard]] std::string simulated_work(ActivityContext& context, const std::string& input);

}  // namespace belay::sim
