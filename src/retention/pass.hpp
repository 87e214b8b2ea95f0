// One pass over a namespace. It removes everything that its retention no longer keeps.
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

/// Returns the next request to the store, and interprets the answers. Does no I/O, so a client's
/// callbacks and a worker's steps can both drive it.
///
/// Each commit removes a few instances that do not have too many rows together, each in a
/// transition of its own. The guards of a deletion hold only for the chosen run, and only if
/// nothing in its tree runs. So passes that overlap do no harm.
class Pass {
public:
    /// Changes at most `limit` instances.
    Pass(IdSource& ids, const Policy& policy, std::uint32_t limit, OverdueScan scan);

    using Ask = std::variant<ListOutcomes, SelectInstances, std::vector<Transition>>;
    /// Returns none when the pass is over. If it is called again without an answer, it returns the
    /// same request.
    [[nodiscard]] std::optional<Ask> next();

    void take(const ListOutcomes::Answer& page) { scan_.take(page); }
    void take(SelectInstances::Answer page);
    /// Takes the answers to a commit. Returns an error that will come again, if there is one. Its
    /// instance is skipped from now on. An instance that was busy, or whose outcome is unknown, is
    /// tried again.
    [[nodiscard]] std::optional<Error> take(const std::vector<Answer>& answers);

    /// Returns the counts of removed rows, as far as the answers had them.
    [[nodiscard]] const RetentionResult& result() const noexcept { return result_; }
    /// True if everything that the last commit was to remove was gone already: another pass is
    /// under way.
    [[nodiscard]] bool is_overtaken() const noexcept { return overtaken_; }

private:
    [[nodiscard]] std::size_t batch_size() const;
    [[nodiscard]] Transition change(Overdue& overdue);
    /// Returns true if nothing is left to do for it.
    [[nodiscard]] bool note(Overdue& overdue, const Answer& answer);
    [[nodiscard]] bool note_pruned(Overdue& overdue, const Answer& answer);

    IdSource& ids_;
    const Policy policy_;
    std::uint32_t left_;  ///< The number that may still be changed.
    OverdueScan scan_;
    std::deque<Overdue> overdue_;
    std::size_t sent_ = 0;  ///< The number under way, from the first one on.
    bool overtaken_ = false;
    RetentionResult result_;
};

}  // namespace belay::retention
