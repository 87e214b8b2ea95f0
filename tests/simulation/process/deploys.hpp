// The code of processes in a world where it is being changed.
#pragma once

#include "simulation/checks/history_model.hpp"
#include "simulation/process/code_age.hpp"
#include "simulation/world/rng.hpp"
#include <belay/limits.hpp>

#include <map>
#include <set>
#include <string>

namespace belay::sim {

/// Draws the code that processes come up with. In most worlds it is all of one time; in some a
/// patch is being deployed, retired or removed, old and new processes side by side; in some others
/// a few processes have code that is broken.
class Deploys {
public:
    explicit Deploys(Rng rng);

    /// The code of the next process that comes up in the fault phase.
    [[nodiscard]] CodeAge next();
    /// The code that everyone has in the end. It makes every history that was ever made, but for
    /// those of broken code.
    [[nodiscard]] CodeAge last() const noexcept { return last_; }
    /// The reaction to runs whose code and history disagree.
    [[nodiscard]] OnMismatch on_mismatch() const noexcept { return on_mismatch_; }

private:
    Rng rng_;
    CodeAge other_ = CodeAge::with_patches;
    CodeAge last_ = CodeAge::with_patches;
    unsigned other_percent_ = 0;
    OnMismatch on_mismatch_ = OnMismatch::hold;
};

/// The code that each worker had. A worker that nobody noted has the usual one.
class CodeBook {
public:
    void note(const std::string& worker, CodeAge age);

    /// True if some process can have made this history.
    [[nodiscard]] bool explains(const HistoryModel& history) const;
    /// True if code that this worker has, or had before, does not make it. (Now and then a request
    /// of a process is applied when another has taken its place.)
    [[nodiscard]] bool may_disagree(const std::string& worker, const HistoryModel& history) const;

private:
    std::map<std::string, std::set<CodeAge>> of_;
    std::set<CodeAge> all_;
};

}  // namespace belay::sim
