// A model of the executions that deletion and pruning may take.
#pragma once

#include "simulation/world/report.hpp"
#include "store/memory/tables.hpp"

#include <map>
#include <vector>

namespace belay::sim {

/// Knows the executions that every run should have.
class ChainLedger {
public:
    /// The part was applied; from now on the chain should be shorter.
    void pruned(Violations& violations, const Prune& part, const Answer& answer);
    /// Compares a run with the model, and notices when it has continued as new.
    void follow(Violations& violations, const memory::Run& run);
    void forget(RunRef run) { chains_.erase(run); }

private:
    struct Ended {
        Timestamp at{};
        std::uint64_t events = 0;
    };
    struct Chain {
        ExecutionNo current = 1;
        std::map<ExecutionNo, Ended> ended;  ///< Those before it.
    };
    std::map<RunRef, Chain> chains_;
};

/// A run that was there before a commit, and its state.
struct Vanished {
    RunRef run;
    Status status = Status::pending;
};

/// These runs are gone since `by` was committed. It is null if nothing was.
void check_vanished(Violations& violations,
                    const memory::Tables& tables,
                    const Transition* by,
                    const std::vector<Vanished>& vanished);

}  // namespace belay::sim
