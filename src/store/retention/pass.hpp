// How a retention is applied: one pass over a namespace.
#pragma once

#include "base/id_source.hpp"
#include "store/retention/overdue.hpp"
#include <belay/limits.hpp>
#include <belay/retention.hpp>
#include <belay/store/answer.hpp>

#include <cstdint>
#include <deque>
#include <optional>
#include <variant>
#include <vector>

namespace belay::store {

/// Says what to ask of the store next, and what an answer means. Does no I/O, so that a client's
/// callbacks and a worker's steps can both drive it. Each commit changes a few instances that have
/// not too many rows together, each in a transition of its own; a tree goes only if it is still
/// that of the run that was chosen and nothing in it runs: guards see to it, so passes that overlap
/// do no harm.
class RetentionPass {
public:
    /// At most `limit` instances are changed.
    RetentionPass(IdSource& ids, const Policy& policy, std::uint32_t limit, Overdue overdue);

    using Ask = std::variant<ListOutcomes, SelectInstances, std::vector<Transition>>;
    /// None: it is over. Asked again without an answer, it asks the same anew.
    [[nodiscard]] std::optional<Ask> next();

    void take(const ListOutcomes::Answer& page) { overdue_.saw(page); }
    void take(SelectInstances::Answer page);
    /// The answers to a commit. An error that will come again, if there is one: what it is about is
    /// left out from now on. What was busy, or is not known, is tried again.
    [[nodiscard]] std::optional<Error> take(const std::vector<Answer>& answers);

    /// What went so far, as far as the answers told.
    [[nodiscard]] const RetentionResult& result() const noexcept { return result_; }
    /// All that the last commit was to remove was gone already: somebody else is at it.
    [[nodiscard]] bool is_overtaken() const noexcept { return overtaken_; }

private:
    [[nodiscard]] std::size_t batch_size() const;
    [[nodiscard]] Transition change(Due& due);
    /// Whether it is dealt with.
    [[nodiscard]] bool note(Due& due, const Answer& answer);
    [[nodiscard]] bool note_pruned(Due& due, const Answer& answer);

    IdSource& ids_;
    const Policy policy_;
    std::uint32_t left_;  ///< As many may still be changed.
    Overdue overdue_;
    std::deque<Due> due_;
    std::size_t sent_ = 0;  ///< How many of them are under way.
    bool overtaken_ = false;
    RetentionResult result_;
};

}  // namespace belay::store
