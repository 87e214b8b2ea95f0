// A simulated process: the production runtime with its own clock, chance, code and executor.
#pragma once

#include "simulation/process/sim_executor.hpp"
#include "simulation/process/sim_turns.hpp"
#include "simulation/program/interpreter.hpp"
#include "simulation/store/sealed_store.hpp"
#include "simulation/store/sim_store.hpp"
#include <belay/runtime.hpp>

#include <functional>
#include <memory>
#include <optional>
#include <string>

namespace belay::sim {

/// The settings with which a process comes up.
struct Boot {
    std::uint64_t seed = 1;
    Millis skew{0};
    Millis monotonic_offset{0};
    Code code{};
    /// Registers further code; not set: there is none.
    std::function<void(Registry&)> more_code{};
    Keys keys = Keys::none;  ///< With any, it codes what it puts into the store.
    RuntimeOptions options{};
    SimExecutor::Planner handlers{};
    SimTurns::Planner turns{};
    SimExecutor::StopWatch told_to_stop{};
    /// Called for each line that an orchestration logs, with the process's name.
    std::function<void(const std::string&, const LogRecord&)> logged{};
};

/// One place where a process runs, dies and is started again. The store facade and the executor
/// stay: packets of a dead process may still be under way.
class Process {
public:
    Process(const VirtualTime& time,
            TrueStore& true_store,
            Transport& transport,
            Trace& trace,
            Effects& effects,
            EndpointNo number);

    void boot(const Boot& boot);
    /// Like a power cut. Its requests are the transport's business.
    void kill();
    /// Asked to stop; goes on stepping until it is idle.
    void shut_down();

    [[nodiscard]] bool alive() const noexcept { return runtime_ != nullptr; }
    [[nodiscard]] bool shutting_down() const noexcept { return shutting_down_; }
    [[nodiscard]] bool paused() const noexcept { return paused_until_.has_value(); }
    [[nodiscard]] std::optional<Millis> paused_until() const noexcept { return paused_until_; }
    [[nodiscard]] const Code& code() const noexcept { return code_; }

    /// Stands still until then; with `clock_too`, so does its monotonic clock.
    void pause(Millis until, bool clock_too);
    void resume();

    /// Something reached it: it is worth stepping.
    void stir() noexcept { stirred_ = true; }
    [[nodiscard]] bool runnable() const;
    /// The virtual time of its next step.
    [[nodiscard]] Millis next_due() const;
    void step(Violations& violations);

    [[nodiscard]] Runtime& runtime() noexcept { return *runtime_; }
    [[nodiscard]] SimStore& store() noexcept { return store_; }
    [[nodiscard]] SimExecutor& executor() noexcept { return executor_; }
    [[nodiscard]] SimTurns& turns() noexcept { return turns_; }
    /// The holder in the tokens that it gives out in this life.
    [[nodiscard]] std::uint64_t holder() const noexcept { return holder_; }
    [[nodiscard]] EndpointNo number() const noexcept { return number_; }
    [[nodiscard]] const std::string& name() const noexcept { return name_; }
    /// The counts of all its lives.
    [[nodiscard]] RuntimeCounts counts() const;
    /// Payloads that it was given under an older key than the one it writes with.
    [[nodiscard]] std::uint64_t given_under_old_key() const noexcept {
        return sealed_ == nullptr ? 0 : sealed_->given_under_old_key();
    }

private:
    const VirtualTime& time_;
    Trace& trace_;
    EndpointNo number_;
    std::string name_;
    SimStore store_;
    SimExecutor executor_;
    SimTurns turns_;
    Code code_;
    std::uint64_t holder_ = 0;
    std::unique_ptr<SimClock> clock_;
    std::unique_ptr<SimRandom> random_;
    std::unique_ptr<Registry> registry_;
    std::unique_ptr<SealedStore> sealed_;  ///< With keys; then its runtime sees coded_.
    std::unique_ptr<Store> coded_;
    std::unique_ptr<Runtime> runtime_;
    std::optional<Millis> paused_until_;
    bool shutting_down_ = false;
    bool stirred_ = true;
    RuntimeCounts earlier_{};
};

void add(RuntimeCounts& sum, const RuntimeCounts& more);

}  // namespace belay::sim
