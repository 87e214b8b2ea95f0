// A descriptor that stays with the process that opened it.
#pragma once

#include <sys/types.h>

#include <string>

namespace belay::sqlite {

/// An open file that no child process has. exec closes it. A child made by fork(2) closes its copy
/// before it runs anything else. Otherwise a lock of the open file description would outlive the
/// process that took it, for as long as such a child lives.
///
/// vfork(2) and posix_spawn(3) run no handlers: their children have the copy until they call exec.
class UnsharedDescriptor {
public:
    /// Opens `path` as open(2) does. If that failed, `get` is negative and errno has the reason.
    UnsharedDescriptor(const std::string& path, int flags, mode_t mode);
    ~UnsharedDescriptor();
    UnsharedDescriptor(const UnsharedDescriptor&) = delete;
    UnsharedDescriptor& operator=(const UnsharedDescriptor&) = delete;

    /// Returns a negative number in a child of the process that opened it.
    [[nodiscard]] int get() const noexcept { return number_; }

    /// True in a child of a process that had some open when it forked, and in the children of that
    /// child.
    [[nodiscard]] static bool lost_some_in_fork();

private:
    struct Registry;
    [[nodiscard]] static Registry& registry();

    int number_ = -1;
};

}  // namespace belay::sqlite
