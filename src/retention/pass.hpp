// One pass over a namespace, which removes what its retention no longer keeps.
#pragma once

#include "base/id_source.hpp"
#include "retention/overdue.hpp"
#include <belay/limits.hpp>
#include <belay/retention.hpp>
#include <belay/store/answer.hpp>

#include <cstdint>
#include <deque>
#include <optional>
#include <variant>
#include <vector>

namespace belay::retention {

/// Says what to ask of the store next, and what an answer means. Does no I/O, so that a client's
/// callbacks and a worker's steps can both drive it.
///
/// Each commit removes a few instances that do not have too many rows together, each in a
/// transition of its own. The guards of a deletion hold only for the run that was chosen, and only
/// if nothing in its tree runs. So passes that overlap do no harm.
class Pass {
public:
    /// Changes at most `limit` instances.
    Pass(IdSource& ids, const Policy& policy, std::uint32_t limit, OverdueScan scan);

    using Ask = std::variant<ListOutcomes, SelectInstances, std::vector<Transition>>;
    /// Returns nothing when the pass is over. Called again without an answer, it asks the same
    /// anew.
    [[nodiscard]] std::optional<Ask> next();

    void take(const ListOutcomes::Answer& page) { scan_.take(page); }
    void take(SelectInstances::Answer page);
    /// Takes the answers to a commit. Returns an error that will come again, if there is one; the
    /// instance it is about is left out from now on. An instance that was busy, or whose outcome is
    /// not known, is tried again.
    [[nodiscard]] std::optional<Error> take(const std::vector<Answer>& answers);

    /// Counts what went so far, as far as the answers told.
    [[nodiscard]] const RetentionResult& result() const noexcept { return result_; }
    /// All that the last commit was to remove was gone already: another pass is under way.
    [[nodiscard]] bool is_overtaken() const noexcept { return overtaken_; }

private:
    [[nodiscard]] std::size_t batch_size() const;
    [[nodiscard]] Transition change(Overdue& overdue);
    /// Returns true if nothing is left to do about it.
    [[nodiscard]] bool note(Overdue& overdue, const Answer& answer);
    [[nodiscard]] bool note_pruned(Overdue& overdue, const Answer& answer);

    IdSource& ids_;
    const Policy policy_;
    std::uint32_t left_;  ///< As many may still be changed.
    OverdueScan scan_;
    std::deque<Overdue> overdue_;
    std::size_t sent_ = 0;  ///< As many, from the first on, are under way.
    bool overtaken_ = false;
    RetentionResult result_;
};

}  // namespace belay::retention
