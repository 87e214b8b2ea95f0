// The guardian's own process: system calls only.
#pragma once

#include <sys/types.h>

#include <cstddef>
#include <cstdint>

namespace belay::runtime {

/// A message to the guardian.
struct GuardNote {
    enum class Kind : std::int32_t {
        add = 1,       ///< `group` is about to run a program.
        remove = 2,    ///< It is over.
        hold = 3,      ///< Comes with a descriptor, to be held until the end.
        drop_all = 4,  ///< Those that are held are to be closed.
        dismiss = 5,   ///< There is nothing to guard any more.
    };
    Kind kind = Kind::add;
    pid_t group = 0;
};

/// As many as there can be processes.
inline constexpr std::size_t kMostGroups = std::size_t{1} << 22U;

/// In a copy of the process that made it. `door`: where notes come from; `watched`: the process
/// whose death is waited for; `groups`: zeroes, with room for kMostGroups.
[[noreturn]] void run_guardian(int door, int watched, pid_t* groups);

}  // namespace belay::runtime
