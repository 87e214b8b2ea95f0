// Steps that give results instead of doing their work.
#pragma once

#include "flow/testing/flow_case.hpp"
#include "flow/testing/step_paths.hpp"
#include <belay/executor.hpp>
#include <belay/registry.hpp>

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace belay::flow {

/// The id of the run of a case.
inline constexpr const char* kCaseRun = "test";

/// Returns a value of a test file as JSON.
[[nodiscard]] std::string json_text(const expr::Value& value);
[[nodiscard]] inline Payload json_payload(const expr::Value& value) {
    return Payload(PayloadCodec::json, json_text(value));
}

/// The results of a case, found by path.
class GivenResults {
public:
    /// Both must outlive it.
    GivenResults(const FlowCase& one, const Bundle& bundle) : case_(&one), paths_(bundle) {}

    /// Returns the result of the step or item with this path, else that of the step, else that of
    /// the path without any items, else that of "*". Null if there is none.
    [[nodiscard]] const GivenResult* find(const std::string& prefix,
                                          const std::string& step,
                                          std::optional<std::uint64_t> item) const;
    /// The same without "*".
    [[nodiscard]] const GivenResult* of_path(const std::string& path) const;
    [[nodiscard]] const StepPaths& paths() const noexcept { return paths_; }

private:
    [[nodiscard]] const GivenResult* exactly(const std::string& path) const;

    const FlowCase* case_;
    StepPaths paths_;
};

/// Returns the result of this attempt. `may_repeat`: the step repeats a failure like this one.
[[nodiscard]] ActivityResult result_of(const GivenResult& given,
                                       std::uint32_t attempt,
                                       bool may_repeat = true);

/// Ends activities with the results of a case, after the time that they say. Never runs code.
class ScriptedExecutor final : public ActivityExecutor {
public:
    ScriptedExecutor(const GivenResults& results, Clock& clock)
        : results_(results), clock_(clock) {}

    void begin(std::shared_ptr<ActivityTask> task, Done done) override;
    void request_stop(const std::shared_ptr<ActivityTask>& task, StopReason reason) override;
    [[nodiscard]] bool abort(const std::shared_ptr<ActivityTask>& task) override;

    /// Ends one that is due. Returns false if none is.
    bool step();
    /// Returns when the next one ends by itself, on the monotonic clock.
    [[nodiscard]] std::optional<Millis> next_due() const;
    /// The paths of steps that ran and have no result, each once.
    [[nodiscard]] const std::vector<std::string>& missing() const noexcept { return missing_; }

private:
    struct Pending {
        std::shared_ptr<ActivityTask> task;
        Done done;
        std::optional<Millis> until{};  ///< Not set: it ends when it is stopped.
        ActivityResult result;
    };

    [[nodiscard]] ActivityResult missing_result(const std::string& path);
    void finish(std::vector<Pending>::iterator at, ActivityResult result);

    const GivenResults& results_;
    Clock& clock_;
    std::vector<Pending> pending_;
    std::vector<std::string> missing_;
};

/// The definitions of a bundle, with activities that tell which step they are called by.
using ScriptedFlows = std::map<std::string, std::shared_ptr<const Definition>, std::less<>>;
[[nodiscard]] ScriptedFlows scripted(const Bundle& bundle);

/// Registers the flows, and their activities without code. `results` must outlive the registry.
void register_scripted(Registry& registry, const ScriptedFlows& flows, const GivenResults& results);

}  // namespace belay::flow
