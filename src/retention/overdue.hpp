// Finds instances and executions that a retention no longer keeps, page by page.
#pragma once

#include <belay/limits.hpp>
#include <belay/retention/rules.hpp>
#include <belay/store/query.hpp>
#include <belay/store/transition.hpp>

#include <cstdint>
#include <deque>
#include <optional>
#include <string>
#include <variant>
#include <vector>

namespace belay::retention {

/// An instance that is past its time, or has executions that are.
struct Overdue {
    InstanceMark mark;
    bool whole = true;         ///< The whole instance is removed. False: only old executions of it.
    std::deque<Prune> prunes;  ///< Prunes still to be sent.
    bool changed = false;      ///< Some of them are gone.
    CommitId commit{};         ///< Set while its removal is under way.

    /// True if something of it or below it still runs. It stays, and its removal is not even tried.
    /// Nothing can begin below a tree that has settled.
    [[nodiscard]] bool is_needed() const noexcept {
        return whole && !(mark.settled && mark.formers_settled);
    }
};

/// Returns the pages to read, and picks from them everything that was past its time at one moment.
/// Does no I/O: the caller asks the store. Instances that have ended come first, then those that
/// lost their name, then chains.
class OverdueScan {
public:
    /// Scans one namespace by `policy`, as of `now`: runs that ended later stay. `terms` set the
    /// size of a page.
    OverdueScan(std::string space, RetentionPolicy policy, Timestamp now, const Policy& terms);

    using Read = std::variant<ListOutcomes, SelectInstances>;
    /// Returns none when everything was seen.
    [[nodiscard]] std::optional<Read> next() const;
    void take(const ListOutcomes::Answer& page);
    /// Returns the overdue instances of this page.
    [[nodiscard]] std::vector<Overdue> take(SelectInstances::Answer page);

    [[nodiscard]] Timestamp now() const noexcept { return now_; }

private:
    [[nodiscard]] SelectInstances select() const;
    /// Returns the time before which an instance or execution must have ended to be removed by its
    /// age.
    [[nodiscard]] std::optional<Timestamp> oldest_kept(const RetentionBounds& bounds) const;
    [[nodiscard]] bool is_overdue_former(const InstanceMark& mark) const;
    [[nodiscard]] std::deque<Prune> prunes_of(const InstanceMark& mark) const;

    const std::string space_;
    const RetentionPolicy policy_;
    const Timestamp now_;
    const std::uint32_t page_;

    std::optional<ListOutcomes> listing_;       ///< Set until all outcomes are listed.
    std::deque<SelectInstances::Past> groups_;  ///< Still to be read; the first one is being read.
    std::optional<SelectInstances::Formers> formers_;
    std::optional<SelectInstances::Chains> chains_;
};

}  // namespace belay::retention
