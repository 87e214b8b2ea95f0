#include "simulation/deploys.hpp"

#include <algorithm>

namespace belay::sim {

Deploys::Deploys(Rng rng) : rng_(rng) {
    const std::size_t kind = rng_.below(100);
    if (kind < 65) return;
    other_percent_ = static_cast<unsigned>(rng_.between(40, 80));
    if (kind < 79) {
        other_ = Era::before_patches;
    } else if (kind < 86) {
        last_ = Era::patches_retired;
    } else if (kind < 91) {
        other_ = Era::patches_retired;
        last_ = Era::patches_removed;
    } else {
        other_ = Era::broken;
        other_percent_ = 35;
    }
    if (rng_.percent(25)) on_mismatch_ = OnMismatch::fail;
}

Era Deploys::next() { return rng_.percent(other_percent_) ? other_ : last_; }

void CodeBook::note(const std::string& worker, Era era) {
    of_[worker].insert(era);
    all_.insert(era);
}

bool CodeBook::explains(const HistoryModel& history) const {
    if (all_.empty()) return history.fits(Era::with_patches);
    return std::any_of(all_.begin(), all_.end(), [&](Era era) { return history.fits(era); });
}

bool CodeBook::may_disagree(const std::string& worker, const HistoryModel& history) const {
    const auto found = of_.find(worker);
    if (found == of_.end()) return !history.fits(Era::with_patches);
    const std::set<Era>& eras = found->second;
    return std::any_of(eras.begin(), eras.end(), [&](Era era) { return !history.fits(era); });
}

}  // namespace belay::sim
