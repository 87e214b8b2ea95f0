// The interface between turns and activities of one process, so that they share commits.
#pragma once

#include <belay/store/store.hpp>

#include <optional>
#include <vector>

namespace belay::runtime {

/// An activity whose handler has ended here, and whose row is still there.
struct Finished {
    ActivityRef activity;
    LeaseToken token;
    NewMessage completion;
    bool turn_overran = false;             ///< The turn that it caused was given up.
    std::optional<AppendOutput> output{};  ///< Its output that is perhaps not kept yet.
};

/// The activities of this process, as its turns see them.
class LocalActivities {
public:
    virtual ~LocalActivities() = default;

    /// Keeps a slot for an activity that a turn is about to schedule. Returns none if there is no
    /// room or no code for it here. A reserved activity is begun or released.
    [[nodiscard]] virtual std::optional<NewActivity::HandOver> reserve(
        const NewActivity& activity) = 0;
    /// The turn was committed with the lease. `sent_at`: the monotonic time before it was sent.
    virtual void begin_reserved(ClaimedActivity claim, Millis sent_at) = 0;
    virtual void release(LeaseToken token) = 0;

    /// The turn that it caused was committed, and the end of the activity with it.
    virtual void recorded(LeaseToken token) = 0;
    /// It could not be committed with a turn: its completion is to be sent as a message.
    virtual void report(Finished finished) = 0;

    /// A committed turn took these leases away. Any thread; unknown tokens are ignored.
    virtual void stop_leases(std::vector<LeaseToken> tokens) = 0;
};

/// The turns of this process, as its activities see them.
class LocalTurns {
public:
    virtual ~LocalTurns() = default;

    /// Commits the end of an activity together with the turn that it causes, if its run is resident
    /// here: then LocalActivities will be told. Otherwise returns false, and nothing has happened.
    [[nodiscard]] virtual bool take_on(Finished& finished) = 0;
};

}  // namespace belay::runtime
