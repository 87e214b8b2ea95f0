// A map under way: which items are left, and how those that have ended did so.
#pragma once

#include "flow/interpreter/ends.hpp"
#include "flow/interpreter/gate.hpp"
#include "flow/interpreter/values.hpp"

#include <cstdint>
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

    /// Returns the number of the next item; none if there are no more, or the map has failed.
    [[nodiscard]] std::optional<std::uint64_t> take() noexcept;
    [[nodiscard]] const expr::Value& item(std::uint64_t number) const {
        return items_[static_cast<std::size_t>(number - from_)];
    }
    [[nodiscard]] std::uint64_t size() const noexcept { return items_.size(); }

    /// Records the end of an item. A failure names its place.
    void put(std::uint64_t number, const StepEnd& end);
    /// Records the ends of the items of a child, from its output.
    void put_chunk(const expr::Value& output);

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
    void count_failure(expr::Value variable);
    [[nodiscard]] expr::List results() const;
    [[nodiscard]] Fields counts() const;

    expr::List items_;
    std::uint64_t from_;
    std::optional<std::uint64_t> may_fail_;
    bool keeps_results_;
    std::uint64_t next_ = 0;
    std::uint64_t completed_ = 0;
    std::uint64_t skipped_ = 0;
    std::vector<std::optional<expr::Value>> results_;  ///< By item.
    expr::List of_chunks_;                             ///< The results of children, in order.
    std::vector<std::pair<std::uint64_t, expr::Value>> failed_;
    std::optional<Failure> failure_;
    std::shared_ptr<Gate> failed_gate_ = std::make_shared<Gate>();
};

}  // namespace belay::flow
