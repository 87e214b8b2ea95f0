// The check that a run matches a filter.
#pragma once

#include "store/memory/tables.hpp"
#include <belay/store/match.hpp>

#include <functional>
#include <optional>
#include <set>
#include <string>

namespace belay::memory {

/// A filter, applied to one state of the tables.
class Matching {
public:
    Matching(const Tables& tables, const InstanceMatch& match);

    /// True if a run that has its name matches.
    [[nodiscard]] bool matches(const Run& run) const;
    /// Calls `visit(run)` for each run that matches, by id.
    void each(const std::function<void(const Run&)>& visit) const;

private:
    [[nodiscard]] bool has_status(const Run& run) const;
    [[nodiscard]] bool has_labels(const Run& run) const;
    [[nodiscard]] bool has_parent(const Run& run) const;

    const Tables& tables_;
    const InstanceMatch& match_;
    std::optional<RunRef> parent_;  ///< If set: the run that has the name of the parent.
    std::optional<std::set<std::string>> ids_;
};

}  // namespace belay::memory
