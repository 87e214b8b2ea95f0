// Live executions kept between turns.
#pragma once

#include "replay/execution.hpp"
#include <belay/ids.hpp>

#include <cstddef>
#include <list>
#include <memory>
#include <unordered_map>
#include <utility>

namespace belay::runtime {

/// A bounded cache, least recently used out first. Anything may be dropped at any time: it can be
/// made again from history.
class Residents {
public:
    explicit Residents(std::size_t most) : most_(most) {}

    /// Takes it out: whoever has it owns it, and puts it back only once its turn was committed.
    [[nodiscard]] std::unique_ptr<replay::Execution> take(RunKey run) {
        const auto at = index_.find(run);
        if (at == index_.end()) return nullptr;
        std::unique_ptr<replay::Execution> execution = std::move(at->second->second);
        order_.erase(at->second);
        index_.erase(at);
        return execution;
    }
    void put(RunKey run, std::unique_ptr<replay::Execution> execution) {
        (void)take(run);
        order_.emplace_front(run, std::move(execution));
        index_[run] = order_.begin();
        while (order_.size() > most_) evict_oldest();
    }
    bool evict_oldest() {
        if (order_.empty()) return false;
        index_.erase(order_.back().first);
        order_.pop_back();
        return true;
    }

private:
    using Order = std::list<std::pair<RunKey, std::unique_ptr<replay::Execution>>>;
    std::size_t most_;
    Order order_;
    std::unordered_map<RunKey, Order::iterator> index_;
};

}  // namespace belay::runtime
