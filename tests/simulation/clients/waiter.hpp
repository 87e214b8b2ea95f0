// A client that waits for runs, and checks what it is told.
#pragma once

#include "client/until.hpp"
#include "simulation/checks/run_records.hpp"
#include "simulation/store/sim_store.hpp"
#include "simulation/world/clocks.hpp"
#include "simulation/world/rng.hpp"
#include "store/forwarding_store.hpp"
#include <belay/client.hpp>
#include <belay/store/listing.hpp>

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace belay::sim {

/// The results of waits. The first three count the reasons for the question that got the answer.
struct WaitCounts {
    std::uint64_t at_once = 0;  ///< Because the wait began.
    std::uint64_t by_notice = 0;
    std::uint64_t by_poll = 0;
    // Some of them:
    std::uint64_t of_status = 0;  ///< Told of a custom status, by a run that goes on.
    std::uint64_t of_value = 0;   ///< Told of another key-value.
    std::uint64_t settled = 0;    ///< Told that a run has settled.
    std::uint64_t continued = 0;  ///< Told of the end of a run that had continued as new meanwhile.
    std::uint64_t gone = 0;       ///< Told that there is no such run.

    void add(const WaitCounts& more);
};

/// One production client with waits. It waits for each name only once at a time, so that each
/// question to the store belongs to one wait.
class Waiter {
public:
    /// The time of a wake-up without faults: a notification, and two questions to the store, the
    /// first of which was under way. Shorter than any poll interval.
    static constexpr Millis kWakeUp{100};

    Waiter(const VirtualTime& time,
           TrueStore& true_store,
           Transport& transport,
           Trace& trace,
           Violations& violations,
           const RunRecords& records,
           Rng& rng,
           EndpointNo number,
           const Policy& policy);

    void wait_for_end(const std::string& id);
    /// Now and then it goes on waiting when it is told of one.
    void wait_for_status(const std::string& id, std::uint64_t seen);
    void wait_for_settling(const std::string& id);
    /// Now and then it goes on waiting when it is told of one.
    void wait_for_value(const std::string& id,
                        const std::string& key,
                        const std::optional<Payload>& known);
    [[nodiscard]] bool waits_for(const std::string& id) const { return waits_.contains(id); }
    [[nodiscard]] std::size_t waiting() const noexcept { return waits_.size(); }
    /// Goes, and its waits with it; another client takes its place.
    void leave();

    /// To be called when it is due.
    void step();
    /// The virtual time of its next step; none: when something reaches it.
    [[nodiscard]] std::optional<Millis> next_due() const;
    void hear_end(RunRef run);
    void hear_settling(RunRef run);
    void hear_status(RunRef run);
    void hear_values(RunRef run);

    /// Checks answers that could not be checked when they came, because a commit had failed with an
    /// unknown outcome. To be called when that is known.
    void check_what_was_told();
    /// Checks that nobody waits in vain. There were no faults since `quiet_since`.
    void check_wake_ups(Millis quiet_since);
    /// The number of waits that are still there though they have an answer.
    [[nodiscard]] std::size_t overdue() const;
    [[nodiscard]] EndpointNo number() const noexcept { return number_; }
    [[nodiscard]] const WaitCounts& counts() const noexcept { return counts_; }

private:
    struct Wait {
        client::Until until;
        Millis began_at{0};
        // Facts that it learned from the store.
        std::optional<RunRef> run;  ///< The one that it is for.
        ExecutionNo first_execution = 0;
        ExecutionNo last_execution = 0;
        std::size_t answers = 0;
        // The question under way, or the last one.
        Millis asked_at{0};
        bool asked_because_told = false;
        bool told = false;  ///< There was a change since it asked.
    };
    /// A question of the client about a run.
    struct Question {
        std::string id;
        bool by_name = false;  ///< It does not know which run has the name.
    };
    /// Sees the questions of the client to the store.
    class Questions final : public ForwardingStore {
    public:
        Questions(Store& inner, Waiter& waiter) : ForwardingStore(inner), waiter_(waiter) {}
        void read_any(Read request, Done<ReadAnswer> done) override;

    private:
        void are_answered(const std::vector<Question>& asked, const Result<ReadAnswer>& answer);

        Waiter& waiter_;
    };

    void asks(const std::string& id);
    void is_answered(const Question& asked, const Result<ReadInstance::Answer>& answer);
    void on_end(const std::string& id, const Result<Outcome>& outcome);
    void on_settled(const std::string& id, const Result<Outcome>& outcome);
    void on_status(const std::string& id, const Result<InstanceInfo>& info);
    void on_value(const std::string& id, const Result<std::optional<Payload>>& value);
    void begin(const std::string& id, client::Until until);
    [[nodiscard]] Wait take(const std::string& id);
    void count(const Wait& wait);
    void note_told(RunRef run, client::Topic topic);
    void check_when_known(std::function<void()> check);
    void check_still_here(std::uint64_t life, const std::string& id);
    void check_outcome(const std::string& id, const Wait& wait, const Outcome& outcome);
    void check_settled(const std::string& id, const Wait& wait);
    void check_status(const std::string& id, const Wait& wait, const InstanceInfo& info);
    void check_value(const std::string& id, const Wait& wait, const std::optional<Payload>& value);
    void check_error(const std::string& id, const Wait& wait, const Error& error);
    [[nodiscard]] bool is_missing(const std::string& id, const Wait& wait);
    [[nodiscard]] const RunRecord* record_of(const Wait& wait) const;
    [[nodiscard]] std::optional<Millis> over_since(const Wait& wait) const;
    [[nodiscard]] static std::optional<Millis> over_since(const client::Until& until,
                                                          const RunRecord& record);

    const VirtualTime& time_;
    TrueStore& true_store_;
    Trace& trace_;
    Violations& violations_;
    const RunRecords& records_;
    Rng& rng_;
    EndpointNo number_;
    Policy policy_;
    SimStore store_;
    Questions questions_;
    SimClock clock_;
    SimRandom random_;
    std::optional<Client> client_;
    std::uint64_t life_ = 0;  ///< The number of this client.
    std::map<std::string, Wait> waits_;
    /// Checks of answers that came while the outcome of a commit was unknown to the true store.
    std::vector<std::function<void()>> unchecked_;
    WaitCounts counts_;
};

}  // namespace belay::sim
