// Runs that a client has started and not heard to have ended.
#pragma once

#include <belay/ids.hpp>

#include <cstddef>
#include <cstdint>
#include <unordered_set>
#include <vector>

namespace belay::client {

/// Knows which runs of this client's own starts go on. A wait for such a run reads nothing when it
/// begins. Not thread-safe.
///
/// The store may tell of an end before it answers the start. So the latest ends are remembered, and
/// a start is noted only if they reach back to the moment at which it was sent.
class StartedRuns {
public:
    /// The number of ends that were heard before something.
    using Position = std::uint64_t;

    /// To be taken before a start is sent.
    [[nodiscard]] Position position() const noexcept { return heard_; }
    /// The start that was sent at `sent` has made this run.
    void add(RunKey run, Position sent);
    void hear_end(RunKey run);
    /// True if this run was started here and no end of it was heard.
    [[nodiscard]] bool contains(RunKey run) const { return runs_.contains(run); }

private:
    [[nodiscard]] bool may_have_ended(RunKey run, Position since) const;

    Position heard_ = 0;
    std::vector<RunKey> ends_;  ///< The latest, in a ring: end number n is at n modulo its size.
    std::unordered_set<RunKey> runs_;
};

}  // namespace belay::client
