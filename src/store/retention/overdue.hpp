// What a retention no longer keeps, page by page.
#pragma once

#include <belay/limits.hpp>
#include <belay/retention.hpp>
#include <belay/store/query.hpp>
#include <belay/store/transition.hpp>

#include <cstdint>
#include <deque>
#include <optional>
#include <string>
#include <variant>
#include <vector>

namespace belay::store {

/// An instance that is past its time, or has executions that are.
struct Due {
    InstanceMark mark;
    bool goes = true;          ///< All of it, or else old executions.
    std::deque<Prune> prunes;  ///< What of them is still to be pruned.
    bool changed = false;      ///< Some of them are gone.
    CommitId commit{};         ///< Under which it is under way.

    /// Something of it or below it still runs: it stays, and is not even asked for, since nothing
    /// can begin below what has settled.
    [[nodiscard]] bool is_needed() const noexcept {
        return goes && !(mark.settled && mark.formers_settled);
    }
};

/// Says what to read, and what of the answer is past its time at one moment. Does no I/O: whoever
/// drives it asks the store. First instances that have ended, then those that lost their name, then
/// chains.
class Overdue {
public:
    /// What `policy` keeps of one namespace, as of `now`: what ended later stays. `terms` say how
    /// much is read at once.
    Overdue(std::string space, RetentionPolicy policy, Timestamp now, const Policy& terms);

    using Read = std::variant<ListOutcomes, SelectInstances>;
    /// None: all was seen.
    [[nodiscard]] std::optional<Read> next();
    void saw(const ListOutcomes::Answer& page);
    [[nodiscard]] std::vector<Due> saw(SelectInstances::Answer page);

    [[nodiscard]] Timestamp now() const noexcept { return now_; }

private:
    [[nodiscard]] SelectInstances select() const;
    [[nodiscard]] std::optional<Timestamp> before(const RetentionBounds& bounds) const;
    [[nodiscard]] bool is_former_due(const InstanceMark& mark) const;
    [[nodiscard]] std::deque<Prune> prunes_of(const InstanceMark& mark) const;

    const std::string space_;
    const RetentionPolicy policy_;
    const Timestamp now_;
    const std::uint32_t page_;

    std::optional<ListOutcomes> listing_;       ///< Until all outcomes are listed.
    std::deque<SelectInstances::Past> groups_;  ///< To be looked at; the first one just now.
    std::optional<SelectInstances::Formers> formers_;
    std::optional<SelectInstances::Chains> chains_;
};

}  // namespace belay::store
