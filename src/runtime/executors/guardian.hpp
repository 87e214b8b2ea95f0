// A process that ends the programs of this one when it dies, for any reason.
#pragma once

#include "runtime/executors/fd.hpp"

#include <sys/types.h>

#include <cstdint>
#include <vector>

namespace belay::runtime {

/// Starts, feeds and watches a guardian: a small process of its own that waits for the end of this
/// one. Then it sends SIGKILL to the process group of every program that runs, waits until nothing
/// of them runs any more, and ends. Until it has ended it holds the lifelines of this process (see
/// base/lifelines.hpp), so the leases of this process are not taken over earlier.
///
/// It is a child that never calls exec: a library has no program of its own to run. It makes system
/// calls only, is in no process group or session of ours, and takes no signal but SIGKILL. It is no
/// child that wait(2) finds or SIGCHLD tells of. A program that leaves its process group is not
/// found.
///
/// Used by the thread that starts the programs. All signals must be blocked there.
class Guardian {
public:
    Guardian() = default;
    Guardian(const Guardian&) = delete;
    Guardian& operator=(const Guardian&) = delete;
    ~Guardian() { dismiss(); }

    /// Makes sure that there is one that lives, has all lifelines, and knows of these groups. To be
    /// called before each program is started. Returns the errno of a failure, or 0.
    [[nodiscard]] int ensure(const std::vector<pid_t>& running);
    /// Its process, to be watched; none if there is none.
    [[nodiscard]] const Fd& process() const noexcept { return process_; }
    /// True if it has ended, which it does not by itself.
    [[nodiscard]] bool is_lost() const;

    /// The child announces itself as a group here before it runs the program.
    [[nodiscard]] int door() const noexcept { return door_.get(); }
    /// This group is over. To be called before its leader is waited for: its number may be another
    /// one's afterwards.
    void forget(pid_t group);
    /// Ends it. Nothing may run any more.
    void dismiss();

private:
    [[nodiscard]] int start();
    [[nodiscard]] int give_lifelines();
    void lose();

    pid_t pid_ = -1;
    Fd process_;
    Fd door_;
    std::uint64_t lifelines_ = 0;  ///< The version of those that it has.
};

/// In the child that will be a group, before it runs the program: system calls only. Returns errno;
/// 0: the guardian will be told.
[[nodiscard]] int announce_group(int door, pid_t group);

}  // namespace belay::runtime
