// One simulated world: a store, a few processes, operators, and the scheduler that one seed drives.
#pragma once

#include "simulation/checks/observer.hpp"
#include "simulation/clients/operators.hpp"
#include "simulation/clients/waiters.hpp"
#include "simulation/flows/flow_load.hpp"
#include "simulation/process/code_watch.hpp"
#include "simulation/process/deaths.hpp"
#include "simulation/process/deploys.hpp"
#include "simulation/process/process.hpp"
#include "simulation/world/rng.hpp"

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace belay::sim {

/// The choices of a seed before anything happens.
struct Setup {
    explicit Setup(Rng& rng);

    std::size_t processes = 3;
    Policy policy{};
    Limits limits{};
    std::uint32_t turn_slots = 4;
    std::uint32_t activity_slots = 4;
    std::size_t residents = 100;
    Millis fault_phase{8000};  ///< The least duration of faults.
    std::size_t fault_steps = 200;
    std::size_t instances = 5;  ///< Started at least.
    unsigned fault_per_mille = 12;
    unsigned operator_per_mille = 25;
    unsigned call_trouble_per_mille = 60;
};

/// The result of a seed.
struct SeedResult {
    std::optional<Violation> violation{};
    FaultCounts faults{};
    FeatureCounts features{};
    RuntimeCounts runtime{};
    std::uint64_t steps = 0;
    std::uint64_t commits = 0;
    std::uint64_t instances = 0;  ///< Started by operators.
    std::uint64_t deleted = 0;
    std::uint64_t pruned = 0;  ///< Executions.
    std::uint64_t redriven = 0;
    std::uint64_t discarded = 0;
    std::uint64_t held = 0;  ///< By operators.
    WaitCounts waits{};
    FlowCounts flows{};
    std::uint64_t judged = 0;  ///< Commits and claims that the naive store judged.
    std::int64_t virtual_ms = 0;
    std::uint64_t digest = 0;  ///< Equal for two runs of one seed.
    std::vector<std::string> trace{};
};

/// The work of a world: random programs, or random flows.
enum class Workload : std::uint8_t { programs, flows };

/// Runs one seed: a phase of faults, then a quiet phase in which everything must come to its end.
class World final : private StoreListener {
public:
    /// `judged`: the naive store judges all answers.
    World(std::uint64_t seed,
          bool trace,
          StoreKind store = StoreKind::memory,
          bool judged = false,
          Workload workload = Workload::programs);
    World(const World&) = delete;
    World& operator=(const World&) = delete;
    ~World() override;

    [[nodiscard]] SeedResult run();

private:
    // The scheduler.
    struct Step {
        enum class Kind : std::uint8_t { process, call, notice, handler };
        Kind kind = Kind::process;
        std::size_t index = 0;
        std::size_t inner = 0;
    };
    bool step();
    void collect_steps();
    void carry_out(const Step& next);
    void carry_on(StoreCall& call);
    bool advance();
    void advance_to(Millis at);
    [[nodiscard]] std::optional<Millis> next_due() const;
    void sample_checks();
    void check_progress();  // As a client sees it: clients/client_reads.cpp.

    void keep_little(Rng rng);

    // The work: of operators, or of flows.
    void prepare_flows(std::uint64_t seed);
    [[nodiscard]] std::size_t started() const;
    void start_fresh();
    void act();

    // Limits of queues: world/queue_limits.cpp.
    void limit_queues();
    void change_limits();
    void lift_limits();

    // Faults: world/fault_phase.cpp.
    void fault_phase();
    void fault();
    void kill(Process& process);
    /// It is gone, for any reason.
    void end(Process& process);
    void boot(Process& process, bool any_code);
    void pause(Process& process);
    void jump(Millis by);
    void tell_false_stops();
    [[nodiscard]] Process* some_process();
    [[nodiscard]] CallPlan plan_call(EndpointNo sender);
    [[nodiscard]] HandlerPlan plan_handler();
    [[nodiscard]] TurnPlan plan_turn(const TurnTask& task);
    void instances_ready() override;
    void activities_ready() override;
    void leases_stopped(const std::vector<LeaseToken>& tokens) override;
    void instance_ended(RunRef run) override;
    void instance_settled(RunRef run) override;
    void custom_status_changed(RunRef run) override;
    void key_values_changed(RunRef run) override;
    void notify(const std::string& what, const std::function<void(StoreListener&)>& tell);

    // The disk, when there is one: world/machine_faults.cpp.
    void trouble_disk();
    void watch_machine();
    void lose_machine();
    void mend_disk();
    void count_disk_faults();

    // The quiet phase: world/quiet_phase.cpp.
    void quiet_phase();
    void settle(const char* phase);
    [[nodiscard]] bool all_settled();
    [[nodiscard]] bool operators_wait() const;
    [[nodiscard]] bool is_blocked(const memory::Tables& tables, const memory::Run& run);
    void end_what_waits(std::size_t round);
    void check_cancel_bounds();
    void check_end();
    // The view of clients then: clients/client_reads.cpp.
    void check_client_reads();
    void check_listed(const std::optional<std::set<std::string>>& found,
                      const std::set<std::string>& expected);
    void check_values(const memory::Run& run, const Result<std::map<std::string, Payload>>& values);
    void delete_all();
    [[nodiscard]] std::string unsettled();

    VirtualTime time_;
    Rng rng_;
    Trace trace_;
    Violations violations_;
    CodeWatch code_watch_;
    FaultCounts faults_;
    Effects effects_;
    Setup setup_;
    Rng endings_;                                   ///< Decides how handlers fail.
    Rng turners_;                                   ///< Decides the time of turns,
    bool slow_when_quiet_ = false;                  ///< and if they take long in the quiet phase.
    std::map<std::string, std::uint64_t> endless_;  ///< The number of turns of a run that will
                                                    ///< never end.
    Deploys deploys_;
    Rng limiters_;  ///< Decides about limits of queues,
    bool limits_change_ = false;
    std::optional<Rng> coders_;  ///< Decides about keys, in a world that codes payloads.
    StoreClock store_clock_;
    TrueStore true_store_;
    Deaths deaths_;
    Observer observer_;
    Transport transport_;
    Registry all_code_;
    std::vector<std::unique_ptr<Process>> processes_;
    std::optional<FlowLoad> flows_;  ///< In a world of flows.
    std::unique_ptr<Operators> operators_;
    std::unique_ptr<Waiters> waiters_;

    std::vector<std::optional<Millis>> restart_at_;  ///< The restarts of dead processes.
    std::optional<Millis> room_at_;                  ///< A full disk has room again then.
    bool quiet_ = false;
    Millis quiet_since_{0};
    std::vector<Step> possible_steps_;
    std::uint64_t steps_ = 0;
    std::uint64_t checked_at_ = 0;
};

}  // namespace belay::sim
