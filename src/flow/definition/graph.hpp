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
    /// The steps of one cycle, each needed by the one before it; empty if there is none.
    [[nodiscard]] const std::vector<std::size_t>& cycle() const noexcept { return cycle_; }

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
    void sort(const std::vector<Step>& steps);
    void find_cycle(const std::vector<Step>& steps);

    std::vector<std::size_t> order_;
    std::vector<std::size_t> cycle_;
    std::vector<std::vector<bool>> ended_;
    std::vector<std::vector<bool>> needed_;  ///< By `needs` alone.
    std::vector<bool> sure_;
};

/// Finds the positions of the steps in `needs` and `after`, and sets them. Reports unknown ones,
/// and ids that are there twice.
void resolve_steps(Reading& in, Draft& draft);

/// Reports a cycle, and steps that can never run.
void check_graph(Reading& in, const Draft& draft, Part part, const Graph& graph);

}  // namespace belay::flow
