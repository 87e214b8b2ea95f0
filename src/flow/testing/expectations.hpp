// Compares the end of a case with what it expects.
#pragma once

#include "flow/interpreter/picture.hpp"
#include "flow/testing/case_run.hpp"
#include "flow/testing/scripted.hpp"
#include <belay/client.hpp>

#include <map>
#include <string>
#include <vector>

namespace belay::flow {

/// Returns the answer to an approval: true and false stand for a yes and a no, a map has the fields
/// of an answer. Nobody and no role are named unless the map does.
[[nodiscard]] Payload approval_payload(const expr::Value& value);

/// All arguments must outlive it.
class Expectations {
public:
    Expectations(const ExpectedEnd& expected,
                 const StepPaths& paths,
                 const ScriptedFlows& flows,
                 Client& client)
        : expected_(expected), paths_(paths), flows_(flows), client_(client) {}

    /// `root`: the run of the case.
    [[nodiscard]] std::vector<CaseDifference> differences(const InstanceInfo& root);

private:
    void add(base::Place place, std::string text) {
        differences_.push_back({place, std::move(text)});
    }
    void compare_end(const InstanceInfo& root);
    void compare_failure(const Outcome& outcome);
    void compare_step(const ExpectedStep& expected);
    void compare_progress(const ExpectedStep& expected, const Progress& progress);
    /// Returns null if there is no such run.
    [[nodiscard]] const FlowPicture* picture_of_run(const FoundStep& step);
    [[nodiscard]] std::string open_steps();

    const ExpectedEnd& expected_;
    const StepPaths& paths_;
    const ScriptedFlows& flows_;
    Client& client_;
    std::map<std::string, FlowPicture> pictures_;
    std::vector<CaseDifference> differences_;
};

}  // namespace belay::flow
