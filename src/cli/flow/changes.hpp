// The changes between two views of a run, for output that is read as lines: logs and scripts.
#pragma once

#include "cli/flow/run_view.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace belay::cli {

/// A step, or an item of a map, that has another state or attempt than before.
struct Change {
    std::string list;  ///< "steps", "on_fail", "on_cancel", "finally"
    std::string step;
    std::optional<std::uint64_t> item{};
    WorkView now{};
    Timestamp at{};                       ///< When it happened, as far as that is known.
    std::optional<graph::Items> count{};  ///< A map: its items.
    bool only_count = false;              ///< Nothing but the number of ended items changed.
};

/// Returns the changes in the order of the lists. Without `before`, everything that has begun or
/// ended is a change. A step that began and ended between the two has a change for each, and one
/// for each attempt that failed.
[[nodiscard]] std::vector<Change> changes_between(const RunView* before,
                                                  const RunView& after,
                                                  Timestamp now);

/// Returns true for a change that is told as a line. Of many items, only failures and every tenth
/// of the progress are.
[[nodiscard]] bool is_told(const Change& change, const RunView* before);

/// Returns "12:03:04 dump failed, attempt 1 of 3: exit status 1; again in 10s".
[[nodiscard]] std::string line_of(const Change& change, Timestamp now);
/// Returns the change as one object of JSON.
[[nodiscard]] std::string json_of(const Change& change, std::string_view run);

/// Returns "dump[3]", or "dump" without an item.
[[nodiscard]] std::string title_of(std::string_view step, std::optional<std::uint64_t> item);

}  // namespace belay::cli
