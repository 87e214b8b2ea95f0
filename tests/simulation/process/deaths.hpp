// The processes that are known to be dead.
#pragma once

#include "simulation/world/clocks.hpp"
#include "simulation/world/faults.hpp"
#include "simulation/world/rng.hpp"
#include <belay/store/query.hpp>

#include <cstdint>
#include <map>
#include <set>

namespace belay::sim {

/// A store's knowledge of the processes on its machine. Each death is noticed at once, late, or
/// never, as on another machine; a chance of its own decides that. A process that only stands still
/// is never taken for dead.
class Deaths {
public:
    Deaths(Rng rng, const VirtualTime& time, FaultCounts& faults)
        : rng_(rng), time_(time), faults_(faults) {}

    /// A holder of leases has died. `lease`: their duration.
    void note(std::uint64_t holder, Millis lease) {
        const std::size_t kind = rng_.below(100);
        Millis at = time_.now();
        if (kind < 50) {
            faults_.add(Fault::death_noticed);
        } else if (kind < 75) {
            faults_.add(Fault::death_noticed_late);
            at += Millis(rng_.between(1, 2 * lease.count()));
        } else {
            faults_.add(Fault::death_unnoticed);
            at = Millis::max();
        }
        note_at(holder, at);
    }
    /// The same, noticed then.
    void note_at(std::uint64_t holder, Millis at) { noticed_at_[holder] = at; }
    /// The answer to a process that asks.
    [[nodiscard]] ReadDeadHolders::Answer known() const {
        ReadDeadHolders::Answer answer;
        answer.others = 1;
        for (const auto& [holder, at] : noticed_at_) {
            if (at <= time_.now() && !released_.contains(holder)) answer.dead.push_back(holder);
        }
        return answer;
    }
    [[nodiscard]] bool is_known(std::uint64_t holder) const {
        const auto found = noticed_at_.find(holder);
        return found != noticed_at_.end() && found->second <= time_.now();
    }
    /// So many leases were taken back; `all`: it is not told of any more.
    void note_released(std::uint64_t holder, std::uint64_t leases, bool all) {
        faults_.add(Fault::dead_taken_over, leases);
        if (all) released_.insert(holder);
    }

private:
    Rng rng_;
    const VirtualTime& time_;
    FaultCounts& faults_;
    std::map<std::uint64_t, Millis> noticed_at_;
    std::set<std::uint64_t> released_;
};

}  // namespace belay::sim
