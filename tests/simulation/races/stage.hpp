// A world without chance: a test decides about each event and its order.
#pragma once

#include "simulation/checks/observer.hpp"
#include "simulation/clients/operators.hpp"
#include "simulation/process/code_watch.hpp"
#include "simulation/process/process.hpp"
#include <belay/client.hpp>

#include <memory>
#include <string>
#include <vector>

namespace belay::sim {

// Programs that tests on a stage share.

inline constexpr const char* kOneActivity = "(g(a 0 0))";
inline constexpr const char* kTwoActivities = "(g(a 0 0)(a 1 0))";
/// A handler that ends only when it is asked to stop, and one that takes so long. Both stop at
/// once.
[[nodiscard]] HandlerPlan hangs();
[[nodiscard]] HandlerPlan takes(Millis time);

/// The same parts as a World, driven by hand. `run` lets everything happen that is due, except
/// calls that are held back; time stands still until `pass`. The observer watches as always.
class Stage final : private StoreListener {
public:
    explicit Stage(std::size_t processes);
    ~Stage() override;

    static constexpr Millis kLease{1000};
    static constexpr Millis kGrace{500};
    static constexpr Millis kDeadline{5000};

    /// Brings a process up; before that it does not exist. Every history is taken to be one that
    /// the code of the last one makes, unless that is broken.
    void boot(EndpointNo number, const Code& code = Code());
    /// Requests of it that were not applied arrive later, or never.
    void kill(EndpointNo number, bool packets_arrive = false);
    /// From now on a death is noticed so long after it. Before, none is.
    void notice_deaths(Millis after = Millis(0)) { noticed_after_ = after; }
    [[nodiscard]] Process& process(EndpointNo number) { return *processes_[number]; }
    /// Lets processes that boot from now on fuse commits and hand activities over. Default: no,
    /// because most races are between two commits.
    void share_commits(bool share) { share_commits_ = share; }
    /// Sets the behaviour of handlers that begin from now on.
    void plan_handlers(const HandlerPlan& plan) { handlers_ = plan; }
    /// Sets the behaviour of turns that begin from now on.
    void plan_turns(const TurnPlan& plan) { turns_ = plan; }

    /// Until nothing is due.
    void run();
    /// Moves time on in small steps.
    void pass(Millis time);

    /// Calls whose description has `text` in it are not applied (answered) until `release`.
    void hold_back(const std::string& text) { not_applied_.push_back(text); }
    void hold_answers_to(const std::string& text) { not_answered_.push_back(text); }
    void release();
    /// The calls under way that are described so.
    [[nodiscard]] std::vector<StoreCall*> calls(const std::string& text) const;

    void start(const std::string& id,
               const std::string& program,
               const StartOptions& options = StartOptions());
    void cancel(const std::string& id);
    [[nodiscard]] Client& client() noexcept { return *client_; }
    /// At once, without the transport.
    Answer commit(Part part);

    /// The current run of this name; null if there is none.
    [[nodiscard]] const memory::Run* instance(const std::string& id);
    [[nodiscard]] Status status(const std::string& id);
    [[nodiscard]] std::vector<model::Event> history(const std::string& id);
    /// One line per event, of the current execution.
    [[nodiscard]] std::string history_text(const std::string& id);
    [[nodiscard]] std::size_t times_begun(const std::string& id, CommandNo command);

    [[nodiscard]] const VirtualTime& time() const noexcept { return time_; }
    [[nodiscard]] TrueStore& true_store() noexcept { return true_store_; }
    [[nodiscard]] Observer& observer() noexcept { return observer_; }
    [[nodiscard]] Violations& violations() noexcept { return violations_; }
    [[nodiscard]] const Registry& all_code() const noexcept { return all_code_; }
    [[nodiscard]] Policy policy() const { return policy_; }
    /// Returns the violation that the observer found, with the trace; empty if all is well.
    [[nodiscard]] std::string problems();

private:
    bool step();
    [[nodiscard]] bool is_held(const StoreCall& call) const;
    void notify(const std::function<void(StoreListener&)>& tell);
    void instances_ready() override;
    void activities_ready() override;
    void leases_stopped(const std::vector<LeaseToken>& tokens) override;
    void instance_ended(RunRef run) override;

    VirtualTime time_;
    Trace trace_;
    Violations violations_;
    CodeWatch code_watch_;
    FaultCounts faults_;
    Effects effects_;
    Policy policy_;
    StoreClock store_clock_;
    TrueStore true_store_;
    Deaths deaths_;
    std::optional<Millis> noticed_after_;
    Observer observer_;
    Transport transport_;
    Registry all_code_;
    HandlerPlan handlers_;
    TurnPlan turns_;
    bool share_commits_ = false;
    std::vector<std::unique_ptr<Process>> processes_;
    std::unique_ptr<SimStore> client_store_;
    std::unique_ptr<SimClock> client_clock_;
    SimRandom random_;
    std::unique_ptr<Client> client_;
    std::vector<std::string> not_applied_;
    std::vector<std::string> not_answered_;
    std::uint64_t last_commit_ = 0;
    std::uint64_t boots_ = 0;
};

}  // namespace belay::sim
