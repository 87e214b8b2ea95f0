// Clients that wait for runs: until they end or settle, or change a custom status or a value.
#pragma once

#include "simulation/clients/waiter.hpp"
#include "simulation/world/faults.hpp"

#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace belay::sim {

/// A few waiting clients beside the rest of a world. They only read, and have chance and a
/// transport of their own: a world goes the same way with and without them. It leaves it to them to
/// move the time.
class Waiters {
public:
    Waiters(std::uint64_t seed,
            VirtualTime& time,
            TrueStore& true_store,
            Trace& trace,
            Violations& violations,
            const RunRecords& records,
            EndpointNo first,
            const Policy& policy);

    // The store tells of these; they hear of it later, if at all.
    void tell_end(RunRef run);
    void tell_settling(RunRef run);
    void tell_status(RunRef run);
    void tell_values(RunRef run);

    /// Perhaps begins a wait; perhaps lets one thing happen that is due.
    void act();
    /// Moves the time on, and lets everything happen that is due before.
    void pass_until(Millis at);
    /// From now on nothing goes wrong.
    void begin_quiet_phase();
    /// All that they wait for has happened, or never will. Then no wait that has an answer may be
    /// left.
    void check_end();

    [[nodiscard]] WaitCounts counts() const;
    [[nodiscard]] const FaultCounts& faults() const noexcept { return faults_; }

private:
    struct Step {
        enum class Kind : std::uint8_t { client, call, notice };
        Kind kind = Kind::client;
        std::size_t index = 0;
    };

    bool step();
    void collect_steps();
    void carry_out(const Step& next);
    [[nodiscard]] std::optional<Millis> next_due() const;
    void begin_some_wait();
    [[nodiscard]] std::string some_id();
    [[nodiscard]] std::uint64_t some_version(const std::string& id);
    [[nodiscard]] std::optional<Payload> some_value(const std::string& id, const std::string& key);
    [[nodiscard]] CallPlan plan_call();
    void tell(const std::string& what, const std::function<void(Waiter&)>& hear);
    void check_wake_ups();

    VirtualTime& time_;
    TrueStore& true_store_;
    Violations& violations_;
    Rng rng_;
    const unsigned begin_per_mille_;
    const unsigned call_trouble_per_mille_;
    const Millis lease_;
    const Millis poll_interval_;
    FaultCounts faults_;
    Transport transport_;
    std::vector<std::unique_ptr<Waiter>> waiters_;
    std::optional<Millis> quiet_since_;
    std::vector<Step> possible_steps_;
};

}  // namespace belay::sim
