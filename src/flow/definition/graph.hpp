// The order of steps: who runs before whom, and who surely does.
#pragma once

#include "flow/definition/draft.hpp"

#include <cstddef>
#include <vector>

namespace belay::flow {

/// The order of the steps of one list.
class Graph {
public:
    /// `steps`: with the positions of the steps that they need.
    explicit Graph(const std::vector<Step>& steps);

    /// The steps, each behind those it needs. Shorter than the list if there is a cycle.
    [[nodiscard]] const std::vector<std::size_t>& order() const noexcept { return order_; }
    /// The cycles, none with a step of another one. Each step of a cycle waits for the next.
    [[nodiscard]] const std::vector<std::vector<std::size_t>>& cycles() const noexcept {
        return cycles_;
    }
    /// False if the step is in a cycle, or waits for one.
    [[nodiscard]] bool is_sorted(std::size_t step) const { return sorted_[step]; }

    /// True if `earlier` has ended, in whatever way, once `step` begins.
    [[nodiscard]] bool ended(std::size_t earlier, std::size_t step) const {
        return ended_[step][earlier];
    }
    /// True if `earlier` has completed once `step` begins.
    [[nodiscard]] bool completed(std::size_t earlier, std::size_t step) const {
        return needed_[step][earlier] || (ended_[step][earlier] && sure_[earlier]);
    }
    /// True if the step completes in every run that reaches its regular end. Its failure fails the
    /// run, and nothing skips it.
    [[nodiscard]] bool sure(std::size_t step) const { return sure_[step]; }

private:
    std::vector<std::size_t> order_;
    std::vector<std::vector<std::size_t>> cycles_;
    std::vector<bool> sorted_;
    std::vector<std::vector<bool>> ended_;
    std::vector<std::vector<bool>> needed_;  ///< By `needs` alone.
    std::vector<bool> sure_;
};

/// Finds the positions of the steps in `needs` and `after`, and sets them. Reports unknown ones,
/// and ids that are there twice.
void resolve_steps(Reading& in, Draft& draft);

/// Reports cycles, and steps that can never run.
void check_graph(Reading& in, const Draft& draft, Part part, const Graph& graph);

}  // namespace belay::flow
