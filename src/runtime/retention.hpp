// Removal of what is past its time, in the background.
#pragma once

#include "runtime/inbox.hpp"
#include "runtime/own_retention.hpp"
#include "runtime/services.hpp"
#include "store/retention/pass.hpp"
#include <belay/random.hpp>
#include <belay/retention.hpp>

#include <optional>
#include <string>

namespace belay::runtime {

/// Now and then reads what is to be kept, and goes over each namespace that has a policy: the one
/// that was set in the store, else the one this process has of its own. It rests after every
/// commit, several times as long as that took, so that whatever else is done in the store goes on.
/// Before each it looks whether the policy is still the one it goes by, and if not begins anew: a
/// round that has much to do takes long, and what is protected meanwhile must stay.
///
/// Workers that share a store all do it; guards keep that from doing harm. So that they do not do
/// the same at the same time they begin at different times, and who finds that all it was about to
/// remove is gone already leaves the rest to the other until the next time.
class Retention {
public:
    Retention(Services& services, OwnRetention own, Random& random);

    /// Does one thing; false when there is nothing to do now.
    bool step();
    [[nodiscard]] std::optional<Millis> next_due() const;
    /// Begins nothing more.
    void shut_down() noexcept { stopped_ = true; }

private:
    void begin(Millis now);
    void read_policies();
    void next_namespace();
    void begin_pass(std::string space, RetentionPolicy policy);
    void check_policy();
    void over();
    void send(ListOutcomes request);
    void send(SelectInstances request);
    void send(std::vector<Transition> batch);
    void take(const Result<ReadRetention::Answer>& page);
    void take_check(const Result<ReadRetention::Answer>& found);
    void take(const Result<std::vector<Answer>>& answers, Millis sent_at);
    void fail(const Error& error);

    Services& services_;
    OwnRetention own_;
    Mailbox mailbox_;
    bool stopped_ = false;
    bool in_flight_ = false;
    Millis due_at_;    ///< The next thing, if nothing is under way.
    Millis begin_at_;  ///< The next round.

    std::optional<ReadRetention> reading_;  ///< Until all that was set is known.
    RetentionPolicies policies_;            ///< Of this round, still to be applied.
    std::optional<store::RetentionPass> pass_;
    std::string space_;       ///< Of the pass.
    RetentionPolicy policy_;  ///< What it goes by.
    bool checked_ = false;    ///< It is still so, as of now: one commit may be sent.
    std::uint32_t failures_ = 0;
};

}  // namespace belay::runtime
