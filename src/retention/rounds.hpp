// Decides when and how fast a worker applies retentions.
#pragma once

#include "base/id_source.hpp"
#include "retention/pass.hpp"
#include "retention/process_policies.hpp"
#include <belay/random.hpp>
#include <belay/retention.hpp>
#include <belay/store/query.hpp>

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <variant>
#include <vector>

namespace belay::retention {

/// Begins a round every Policy::retention_interval: reads the policies, then makes a pass over each
/// namespace that has one. A policy that was set in the store takes precedence over that of the
/// process.
///
/// - After each commit it rests several times as long as the commit took. So other work goes on.
/// - Before each commit it reads the policy again, and restarts the pass if the policy has changed.
///   A round may take long, and instances that are protected meanwhile must stay.
/// - Workers that share a store all make rounds. Guards keep that from doing harm. They begin at
///   different times. A worker leaves a namespace to another one if everything that it was about to
///   remove is gone already.
///
/// Does no I/O: the caller asks the store and passes in the answer or the error. Not thread-safe.
class Rounds {
public:
    /// Called with each warning for the log.
    using Warn = std::function<void(std::string)>;
    /// `now` and all times of this class are of a monotonic clock. The first round begins at a
    /// random time in the second half of the first interval.
    Rounds(ProcessPolicies own,
           IdSource& ids,
           const Policy& policy,
           Random& random,
           Millis now,
           Warn warn);

    using Ask = std::variant<ReadRetention, ListOutcomes, SelectInstances, std::vector<Transition>>;
    /// Returns the request to send to the store now. It must be answered with `take` or `fail`
    /// before the next call. Returns none before `due_at`, and at the end of a round. `store_time`
    /// is the time of the store's own clock.
    [[nodiscard]] std::optional<Ask> next(Millis now, Timestamp store_time);
    [[nodiscard]] Millis due_at() const noexcept { return due_at_; }

    void take(const ReadRetention::Answer& found);
    void take(const ListOutcomes::Answer& page);
    void take(SelectInstances::Answer page);
    void take(const std::vector<Answer>& answers, Millis now);
    /// Called if the store failed to do what was asked. Asks again after a while. Ends the round
    /// after repeated failures.
    void fail(const Error& error, Millis now);

private:
    void begin(Millis now);
    void end(Millis now);
    /// Returns false if no namespace is left.
    [[nodiscard]] bool begin_pass(Timestamp store_time);
    [[nodiscard]] RetentionPolicy policy_now(const ReadRetention::Answer& found) const;
    void take_set(const ReadRetention::Answer& page);
    void take_check(const ReadRetention::Answer& found);

    ProcessPolicies own_;
    IdSource& ids_;
    const Policy terms_;
    const Warn warn_;
    Millis begin_at_;  ///< When the next round begins.
    Millis due_at_;    ///< When the next request is due.
    bool in_round_ = false;

    std::optional<ReadRetention> reading_;  ///< Set until all policies in the store are known.
    RetentionPolicies waiting_;             ///< Policies of this round that have had no pass yet.
    std::optional<Pass> pass_;
    std::string space_;       ///< The namespace of the pass.
    RetentionPolicy policy_;  ///< The policy of the pass.
    bool checked_ = false;    ///< The policy was read again: one commit may be sent.
    Millis sent_at_{0};       ///< When the last commit was sent.
    std::uint32_t failures_ = 0;
};

}  // namespace belay::retention
