// Live executions kept between turns.
#pragma once

#include "replay/execution.hpp"
#include <belay/ids.hpp>
#include <belay/store/claim.hpp>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <list>
#include <memory>
#include <unordered_map>
#include <utility>

namespace belay::runtime {

/// A run between two turns here.
struct Resident {
    std::unique_ptr<replay::Execution> execution;
    /// As the last claim told of it, without input, messages and lock. The next turn needs it if it
    /// is taken without a claim.
    ClaimedInstance about;
    /// Turns without a claim were refused here lately, because others were at work on the run too.
    /// Each refusal costs a replay, so as many turns are claimed first, twice as many each time.
    std::uint32_t claims_first = 0;
    std::uint32_t refusals = 0;
    /// Turns without a claim that ran past their limit, since the last that was committed: the
    /// store has not counted them.
    std::uint32_t overruns = 0;
};

/// A bounded cache, least recently used out first. Anything may be dropped at any time: it can be
/// made again from history.
class Residents {
public:
    /// Executions that are of no more use are given to `drop`.
    using Drop = std::function<void(std::unique_ptr<replay::Execution>)>;

    Residents(std::size_t most, Drop drop) : most_(most), drop_(std::move(drop)) {}

    /// Null if it is not here. Valid until the next call of anything else.
    [[nodiscard]] const Resident* find(RunKey run) const {
        const auto at = index_.find(run);
        return at == index_.end() ? nullptr : &at->second->second;
    }
    /// Takes it out: the caller owns it, and puts it back only once its turn was committed. It has
    /// no execution if it was not here.
    [[nodiscard]] Resident take(RunKey run) {
        const auto at = index_.find(run);
        if (at == index_.end()) return Resident();
        Resident resident = std::move(at->second->second);
        order_.erase(at->second);
        index_.erase(at);
        return resident;
    }
    void put(RunKey run, Resident resident) {
        forget(run);
        order_.emplace_front(run, std::move(resident));
        index_[run] = order_.begin();
        while (order_.size() > most_) evict_oldest();
    }
    void forget(RunKey run) { drop_(take(run).execution); }
    bool evict_oldest() {
        if (order_.empty()) return false;
        forget(order_.back().first);
        return true;
    }

private:
    using Order = std::list<std::pair<RunKey, Resident>>;
    std::size_t most_;
    Drop drop_;
    Order order_;
    std::unordered_map<RunKey, Order::iterator> index_;
};

}  // namespace belay::runtime
