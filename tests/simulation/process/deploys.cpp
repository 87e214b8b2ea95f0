#include "simulation/process/deploys.hpp"

#include <algorithm>

namespace belay::sim {

Deploys::Deploys(Rng rng) : rng_(rng) {
    const std::size_t kind = rng_.below(100);
    if (kind < 65) return;
    other_percent_ = static_cast<unsigned>(rng_.between(40, 80));
    if (kind < 79) {
        other_ = CodeAge::before_patches;
    } else if (kind < 86) {
        last_ = CodeAge::patches_retired;
    } else if (kind < 91) {
        other_ = CodeAge::patches_retired;
        last_ = CodeAge::patches_removed;
    } else {
        other_ = CodeAge::broken;
        other_percent_ = 35;
    }
    if (rng_.percent(25)) on_mismatch_ = OnMismatch::fail;
}

CodeAge Deploys::next() { return rng_.percent(other_percent_) ? other_ : last_; }

void CodeBook::note(const std::string& worker, CodeAge age) {
    of_[worker].insert(age);
    all_.insert(age);
}

bool CodeBook::explains(const HistoryModel& history) const {
    if (all_.empty()) return history.fits(CodeAge::with_patches);
    return std::any_of(all_.begin(), all_.end(), [&](CodeAge age) { return history.fits(age); });
}

bool CodeBook::may_disagree(const std::string& worker, const HistoryModel& history) const {
    const auto found = of_.find(worker);
    if (found == of_.end()) return !history.fits(CodeAge::with_patches);
    const std::set<CodeAge>& ages = found->second;
    return std::any_of(ages.begin(), ages.end(), [&](CodeAge age) { return !history.fits(age); });
}

}  // namespace belay::sim
