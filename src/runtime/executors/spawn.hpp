// Starts a program as a child process.
#pragma once

#include "runtime/executors/fd.hpp"
#include "runtime/executors/guardian.hpp"
#include <belay/program.hpp>

#include <sys/types.h>

#include <string>

namespace belay::runtime {

/// A child process that runs, and our ends of its streams, none of which blocks.
struct Spawned {
    pid_t pid = -1;
    Fd process;  ///< Readable when it has ended.
    Fd input;    ///< None if it has no input.
    Fd output;
    Fd error;
};

/// The reason why there is no child process.
struct SpawnProblem {
    int code = 0;  ///< errno; 0 if all is well.
    std::string message{};
    bool begun = false;  ///< It may have run for a moment, and was killed.
};

/// Starts it as the leader of a process group of its own, of which the guardian knows before the
/// program runs. It is also killed when the calling thread ends (prctl(2), PR_SET_PDEATHSIG), so
/// that must be one that outlives it. All signals must be blocked there.
[[nodiscard]] SpawnProblem spawn(const Program& program, Guardian& guardian, Spawned& child);

}  // namespace belay::runtime
