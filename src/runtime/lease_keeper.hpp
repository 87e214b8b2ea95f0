// Keeps the leases of this process.
#pragma once

#include "runtime/inbox.hpp"
#include "runtime/services.hpp"
#include <belay/activity.hpp>

#include <functional>
#include <map>
#include <optional>
#include <set>
#include <utility>
#include <variant>
#include <vector>

namespace belay::runtime {

/// Renews every lease of the process, activities and run locks alike, in one batched commit.
///
/// A permanent refusal means the lease is gone, and its holder is told why. A retryable error means
/// nothing: renewal is tried again until the lease has really expired. Only then is it given up as
/// lost. Its time is measured on this process's monotonic clock, from *before* the claim was sent.
///
/// The progress of a handler goes along with a renewal. If the progress cannot be written, the
/// lease is renewed without it.
class LeaseKeeper {
public:
    using Held = std::variant<ActivityRef, RunRef>;
    /// Called from `step`. `canceled`: nobody wants the result, and nothing is wrong.
    using Lost = std::function<void(StopReason)>;
    /// Names the run and the activity that a lease is of. Called from `step`, while it is held.
    using Describe = std::function<void(EngineEvent&)>;

    explicit LeaseKeeper(Services& services) : services_(services) {}

    /// `sent_at`: the monotonic time before the claim was sent. `renew_until`: not renewed beyond.
    void add(LeaseToken token,
             Held held,
             Millis lease,
             Millis sent_at,
             std::optional<Millis> renew_until,
             Lost lost,
             Describe describe);
    void remove(LeaseToken token);
    /// Not renewed beyond that any more; none: for as long as it is here.
    void renew_until(LeaseToken token, std::optional<Millis> until);
    /// Renews the lease of an activity as soon as possible, with the progress of its handler. If
    /// there is more progress meanwhile, only the last is written. Does nothing if the lease is
    /// gone.
    void renew_with(LeaseToken token, Payload progress);
    /// Returns the last progress given to `renew_with` if it has perhaps not been written.
    [[nodiscard]] std::optional<Payload> unwritten(LeaseToken token) const;
    /// Returns the time that is left of a lease if it is not renewed any more; 0 if it is gone.
    [[nodiscard]] Millis left(LeaseToken token) const;
    [[nodiscard]] bool holds(LeaseToken token) const { return leases_.contains(token); }

    /// Does one thing; false when there is nothing to do now.
    bool step();
    /// The monotonic time at which there will be something to do, if nothing happens before.
    [[nodiscard]] std::optional<Millis> next_due() const;

private:
    struct Lease {
        Held held;
        Millis lease;
        Millis expires;  // Monotonic.
        std::optional<Millis> renew_until;
        Lost lost;
        Describe describe;
        std::optional<Millis> asked{};      // To be renewed then already ...
        std::optional<Payload> progress{};  // ... with this.
        std::optional<Payload> sent{};      // With the renewal that is under way.
        bool bare = false;                  // The next renewal goes without the progress.
        bool complained = false;  // The progress cannot be written, and that was reported.
    };
    /// Earliest first. A process may hold ten thousand leases: no step looks at all of them.
    using Schedule = std::set<std::pair<Millis, LeaseToken>>;

    [[nodiscard]] Millis renew_at(const Lease& lease) const;
    [[nodiscard]] Transition renewal_of(LeaseToken token, const Lease& lease);
    /// Changes values that decide when a lease is renewed.
    template <class Change>
    void reschedule(LeaseToken token, Lease& lease, Change change);
    [[nodiscard]] Millis buffer(const Lease& lease) const;
    bool give_up_expired();
    bool renew();
    void on_answers(const std::vector<LeaseToken>& tokens,
                    Millis sent_at,
                    const Result<std::vector<Answer>>& result);
    void on_answer(LeaseToken token, Millis sent_at, const Answer& answer);
    void on_error(LeaseToken token, const Error& error);
    void renew_without(LeaseToken token, Lease& lease, const Error& why);
    void lose(LeaseToken token, StopReason reason);
    void report(const Lease& lease, EngineEvent event);

    Services& services_;
    Mailbox mailbox_;
    std::map<LeaseToken, Lease> leases_;
    Schedule expiries_;  // All leases.
    Schedule renewals_;  // The leases that may be renewed.
    bool in_flight_ = false;
    Millis retry_at_{0};
};

}  // namespace belay::runtime
