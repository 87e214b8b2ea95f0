// Answers of a store.
#pragma once

#include <belay/store/brief.hpp>
#include <belay/store/transition.hpp>

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace belay {

/// The result of a transition.
enum class Verdict : std::uint8_t {
    applied = 1,
    already_applied = 2,  ///< This very commit (or this request id) was applied before.
    refused = 3,          ///< A guard failed; nothing was written. See `error`.
    failed = 4,           ///< The store could not do it, or does not know: see `error`.
};

/// True if a pruning stopped at one of its bounds, so that there may be more.
[[nodiscard]] inline bool is_full(const Prune& part, const DeleteCounts& deleted) noexcept {
    return deleted.executions >= part.max || deleted.events >= part.max_events;
}

/// The answer to one transition.
struct Answer {
    Verdict verdict = Verdict::applied;
    std::optional<Error> error;

    /// Leases that this commit took from their holders: tell them to stop. (Deletion is the
    /// authority; telling is the speed.)
    std::vector<LeaseToken> stopped;
    /// Activities that were handed over already leased. For a Turn applied before: those that the
    /// tokens of the hand-over still hold.
    std::vector<CommandNo> leased;
    /// Start, Import, Cancel, Finish, Send, Release, Delete, Prune: the instance. DeleteInstances:
    /// the last one. A refused Start or Import: the one in the way, with the status it had at some
    /// time during the commit. A refused deletion: the one at fault, or one of several. FreeKey:
    /// the one that had the key.
    std::optional<InstanceBrief> instance;
    /// Cancel, Finish: false if it had been canceled or had ended. Prune: false if nothing was old.
    bool changed = true;
    bool input_differs = false;  ///< For a refused Start: its input differs from the first.
    DeleteCounts deleted;
    /// Messages that became dead letters, because there is no run for them. Zero for a commit that
    /// was applied before.
    std::uint64_t undelivered = 0;
    std::uint64_t swept = 0;  ///< Sweep, ReleaseHolder: rows; repeat if they reach the limit.

    /// True if the transition is applied, from now or from before.
    [[nodiscard]] bool done() const noexcept {
        return verdict == Verdict::applied || verdict == Verdict::already_applied;
    }
    /// True if a guard failed with this code.
    [[nodiscard]] bool refused_with(Errc code) const noexcept {
        return verdict == Verdict::refused && error && error->code() == code;
    }
};

}  // namespace belay
