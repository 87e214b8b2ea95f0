// Which code processes have in a world where it is being changed, and who they are.
#pragma once

#include "simulation/eras.hpp"
#include "simulation/history_model.hpp"
#include "simulation/rng.hpp"
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

    /// Of the next process that comes up in the storm.
    [[nodiscard]] Era next();
    /// Which everyone has in the end. It makes every history that was ever made, but for those of
    /// broken code.
    [[nodiscard]] Era last() const noexcept { return last_; }
    /// What becomes of runs whose code and history disagree.
    [[nodiscard]] OnMismatch on_mismatch() const noexcept { return on_mismatch_; }

private:
    Rng rng_;
    Era other_ = Era::with_patches;
    Era last_ = Era::with_patches;
    unsigned other_percent_ = 0;
    OnMismatch on_mismatch_ = OnMismatch::hold;
};

/// Who had code of which time. A worker that nobody noted has the usual one.
class CodeBook {
public:
    void note(const std::string& worker, Era era);

    /// Whether some process can have made this history.
    [[nodiscard]] bool explains(const HistoryModel& history) const;
    /// Whether code that this worker has, or had before, does not make it. (What a process sent is
    /// now and then applied when another has taken its place.)
    [[nodiscard]] bool may_disagree(const std::string& worker, const HistoryModel& history) const;

private:
    std::map<std::string, std::set<Era>> of_;
    std::set<Era> all_;
};

}  // namespace belay::sim
