// A second opinion on everything that the true store does: the naive store, which shares no rule
// with it.
#pragma once

#include "naive/naive_store.hpp"
#include "simulation/store/dump.hpp"
#include "simulation/world/report.hpp"
#include "store/memory/tables.hpp"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace belay::sim {

/// Applies to a naive store all that is applied to the true one, and compares: every answer, and
/// now and then all that can be read. Where the contract leaves a choice, it follows the true store
/// and says whether that could choose so.
///
/// It is asked right after the true store, at the same time by the clock. It says nothing more
/// after the first violation, since then the two differ.
///
/// It judges nothing once the clock was set back. The contract says little about that time:
/// sessions, limits and marks are kept by times that a store had written before.
class Judge {
public:
    /// `often`: compares all that can be read after every change, to find the first one that is
    /// wrong.
    Judge(Store& store, const StoreOptions& options, Violations& violations, bool often)
        : store_(store), options_(options), violations_(violations), often_(often) {}

    void commit(const Transition& transition, Timestamp now, const Answer& found);
    void claim(const ClaimInstances& request, Timestamp now, const ClaimInstances::Answer& found);
    void claim(const ClaimActivities& request, Timestamp now, const ClaimActivities::Answer& found);
    void read(const Read& request, Timestamp now, const ReadAnswer& found);

    /// Compares all that can be read.
    void compare(Timestamp now);

    // For a store in a file, whose last changes a loss of power may take back.

    /// Called after each request that may have changed something. `durable`: no loss of power takes
    /// it back, nor anything before it.
    void remember(bool durable);
    /// Only the first `kept` of the requests since the last durable one are there. They are
    /// durable from now on.
    void take_back_all_but(std::size_t kept);

    [[nodiscard]] std::uint64_t changes() const noexcept { return changes_; }

private:
    using Ask = std::function<ReadAnswer(const Read&)>;

    [[nodiscard]] bool is_done(Timestamp now);
    void changed(Timestamp now);
    [[nodiscard]] naive::FollowedClaim followed_claim(const ClaimActivities::Answer& found);
    void expect_hint(const ReadyIn& expected, const ReadyIn& found);
    void expect_same(const char* invariant, const std::string& expected, const std::string& found);
    [[nodiscard]] ReadAnswer ask_naive(const Read& request, Timestamp now) const;
    [[nodiscard]] ReadAnswer ask_store(const Read& request);
    [[nodiscard]] std::vector<RunRef> all_runs();
    [[nodiscard]] static Dump visible(const std::vector<RunRef>& runs, const Ask& ask);

    Store& store_;
    const StoreOptions options_;
    Violations& violations_;
    const bool often_;
    naive::State state_;
    /// After the last durable request, and after each request since then.
    std::vector<naive::State> remembered_{naive::State()};
    std::uint64_t changes_ = 0;
    bool set_back_ = false;  ///< The clock was.
};

}  // namespace belay::sim
