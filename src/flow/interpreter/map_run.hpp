// A map under way: which items are left, and how those that have ended did so.
#pragma once

#include "flow/interpreter/ends.hpp"
#include "flow/interpreter/gate.hpp"
#include "flow/interpreter/values.hpp"

#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace belay::flow {

class MapRun {
public:
    /// `from`: the number of the first item. `may_fail`: the number of items that may fail; not
    /// set: all. `keeps_results`: false if nothing uses them.
    MapRun(expr::List items,
           std::uint64_t from,
           std::optional<std::uint64_t> may_fail,
           bool keeps_results);

    /// Bounds what `as_chunk` returns, in bytes: `take` gives no item whose result may not fit if
    /// it is as large as the largest one yet. While sizes are unknown, one item is under way; each
    /// end lets one more begin.
    void bound_results(std::size_t bytes) noexcept { most_bytes_ = bytes; }

    /// Returns the number of the next item; none if there are no more, the map has failed, or there
    /// is no room for another result.
    [[nodiscard]] std::optional<std::uint64_t> take() noexcept;
    /// True if `take` may give an item after the next end.
    [[nodiscard]] bool may_go_on() const noexcept;
    /// Opens when it is worth to try `take` again. Each gate is for one runner.
    [[nodiscard]] AtGate next_turn();
    [[nodiscard]] const expr::Value& item(std::uint64_t number) const {
        return items_[static_cast<std::size_t>(number - from_)];
    }
    [[nodiscard]] std::uint64_t size() const noexcept { return items_.size(); }

    /// Records the end of an item. A failure names its place.
    void put(std::uint64_t number, const StepEnd& end);
    /// Records the ends of the items of a child, from its output. Returns their number, which is
    /// less than the child was given if their results would not have fit its output.
    std::uint64_t put_chunk(const expr::Value& output);

    /// Opens when too many items have failed.
    [[nodiscard]] AtGate failure_gate() const { return AtGate(failed_gate_); }
    [[nodiscard]] bool has_failed() const noexcept { return failure_.has_value(); }
    /// Returns how many further items may fail; none: all.
    [[nodiscard]] std::optional<std::uint64_t> may_still_fail() const noexcept;

    /// Returns the end of the whole map.
    [[nodiscard]] StepEnd end() const;
    /// Returns the output of a child, for `put_chunk` of its parent.
    [[nodiscard]] expr::Value as_chunk() const;

private:
    [[nodiscard]] bool has_items() const noexcept { return !has_failed() && next_ < items_.size(); }
    /// Returns how many items may begin now.
    [[nodiscard]] std::uint64_t room() const noexcept;
    void wake_runners();
    void count_bytes(const expr::Value& value);
    [[nodiscard]] expr::List results() const;
    [[nodiscard]] Fields counts() const;

    expr::List items_;
    std::uint64_t from_;
    std::optional<std::uint64_t> may_fail_;
    bool keeps_results_;
    std::optional<std::size_t> most_bytes_;
    std::size_t bytes_ = 0;        ///< Of the results, as JSON. Counted if they are bounded.
    std::size_t largest_ = 0;      ///< Of one result.
    std::uint64_t under_way_ = 0;  ///< Items that were taken and have not ended.
    std::uint64_t next_ = 0;
    std::deque<std::shared_ptr<Gate>> idle_;  ///< Of the runners that wait for room.
    std::uint64_t completed_ = 0;
    std::uint64_t skipped_ = 0;
    std::vector<std::optional<expr::Value>> results_;  ///< By item.
    expr::List of_chunks_;                             ///< The results of children, in order.
    std::vector<std::pair<std::uint64_t, expr::Value>> failed_;
    std::optional<Failure> failure_;
    std::shared_ptr<Gate> failed_gate_ = std::make_shared<Gate>();
};

}  // namespace belay::flow
