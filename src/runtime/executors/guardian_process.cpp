#include "runtime/executors/guardian_process.hpp"

#include "runtime/executors/guardian_memory.hpp"

#include <fcntl.h>
#include <linux/close_range.h>
#include <poll.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <csignal>
#include <cstring>

namespace belay::runtime {

namespace guarding {
namespace {

// The C library's own functions may take locks that were held when this copy was made, and those of
// a sanitizer are not prepared for such a copy.

int call(long number, long a = 0, long b = 0, long c = 0) {
    return static_cast<int>(::syscall(number, a, b, c));
}

long at(const void* pointer) { return reinterpret_cast<long>(pointer); }

[[noreturn]] void leave() {
    while (true) call(SYS_exit_group, 0);
}

/// Waits for one of them, at most so long; for ever, if `wait` is negative.
void wait_for(pollfd* files, unsigned long count, int wait_ms) {
    timespec limit{wait_ms / 1000, wait_ms % 1000 * 1'000'000L};
    ::syscall(SYS_ppoll, files, count, wait_ms < 0 ? nullptr : &limit, nullptr, 0);
}

/// The groups that run, and the descriptors that are held for as long as any of them may.
class Guarded {
public:
    Guarded(int door, pid_t* groups) : door_(door), groups_(groups) {}

    enum class Heard { note, nothing, end };
    Heard hear();
    [[nodiscard]] bool is_dismissed() const { return dismissed_; }

    void kill_all() const {
        for (std::size_t i = 0; i < count_; ++i) call(SYS_kill, -groups_[i], SIGKILL);
    }
    /// Forgets groups that nobody is in.
    void forget_empty();
    [[nodiscard]] bool empty() const { return count_ == 0; }
    /// True if only zombies are left, which somebody else has to wait for.
    [[nodiscard]] bool are_zombies() const;

private:
    void take(const GuardNote& note, int descriptor);
    void remove(std::size_t index) { groups_[index] = groups_[--count_]; }
    [[nodiscard]] bool has(pid_t group) const {
        for (std::size_t i = 0; i < count_; ++i) {
            if (groups_[i] == group) return true;
        }
        return false;
    }

    int door_;
    pid_t* groups_;
    std::size_t count_ = 0;
    int first_held_ = -1;  ///< All above it are held.
    bool dismissed_ = false;
};

Guarded::Heard Guarded::hear() {
    GuardNote note;
    iovec data{&note, sizeof note};
    msghdr message{};
    message.msg_iov = &data;
    message.msg_iovlen = 1;
    alignas(cmsghdr) std::array<char, CMSG_SPACE(sizeof(int))> control{};
    message.msg_control = control.data();
    message.msg_controllen = control.size();
    const int got = call(SYS_recvmsg, door_, at(&message), MSG_DONTWAIT | MSG_CMSG_CLOEXEC);
    if (got < 0) return errno == EINTR ? Heard::note : Heard::nothing;
    if (got == 0) return Heard::end;
    int descriptor = -1;
    if (const cmsghdr* const header = CMSG_FIRSTHDR(&message); header != nullptr) {
        std::memcpy(&descriptor, CMSG_DATA(header), sizeof descriptor);
    }
    take(note, descriptor);
    return Heard::note;
}

void Guarded::take(const GuardNote& note, int descriptor) {
    switch (note.kind) {
        case GuardNote::Kind::add:
            if (count_ < kMostGroups && !has(note.group)) groups_[count_++] = note.group;
            return;
        case GuardNote::Kind::remove:
            for (std::size_t i = 0; i < count_; ++i) {
                if (groups_[i] == note.group) return remove(i);
            }
            return;
        case GuardNote::Kind::hold:
            // The lowest number that is free: they follow each other.
            if (first_held_ < 0) first_held_ = descriptor;
            return;
        case GuardNote::Kind::drop_all:
            if (first_held_ >= 0) call(SYS_close_range, first_held_, ~0U, 0);
            first_held_ = -1;
            return;
        case GuardNote::Kind::dismiss: dismissed_ = true; return;
    }
}

void Guarded::forget_empty() {
    for (std::size_t i = 0; i < count_;) {
        if (call(SYS_kill, -groups_[i], 0) != 0 && errno == ESRCH) {
            remove(i);
        } else {
            ++i;
        }
    }
}

/// The state and the group of a process, from the text of its /proc/PID/stat.
struct ProcessState {
    char state = '?';
    pid_t group = 0;
};

ProcessState parse_stat(const char* text, int length) {
    ProcessState found;
    int i = length - 1;
    while (i >= 0 && text[i] != ')') --i;  // A name may have any byte in it, this one too.
    if (i < 0 || i + 4 >= length) return found;
    found.state = text[i + 2];
    i += 4;
    while (i < length && text[i] != ' ') ++i;  // Its parent.
    for (++i; i < length && text[i] >= '0' && text[i] <= '9'; ++i) {
        found.group = found.group * 10 + (text[i] - '0');
    }
    return found;
}

ProcessState state_of(int processes, const char* name) {
    std::array<char, 300> path{};
    std::size_t length = 0;
    while (name[length] != 0 && length < 280) {
        path[length] = name[length];
        ++length;
    }
    std::memcpy(&path[length], "/stat", 6);
    const int file = call(SYS_openat, processes, at(path.data()), O_RDONLY | O_CLOEXEC);
    if (file < 0) return {};
    std::array<char, 512> text{};
    const int got = call(SYS_read, file, at(text.data()), text.size());
    call(SYS_close, file);
    return got > 0 ? parse_stat(text.data(), got) : ProcessState{};
}

struct DirectoryEntry {
    std::uint64_t number;
    std::int64_t offset;
    unsigned short length;
    unsigned char type;
    char name[1];
};

bool Guarded::are_zombies() const {
    const int processes =
        call(SYS_openat, AT_FDCWD, at("/proc"), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (processes < 0) return false;
    bool dead = false;
    bool alive = false;
    alignas(DirectoryEntry) std::array<char, 8192> entries;
    for (;;) {
        const int got = call(SYS_getdents64, processes, at(entries.data()), entries.size());
        if (got <= 0) break;
        for (int i = 0; i < got;) {
            const auto* const entry = reinterpret_cast<const DirectoryEntry*>(entries.data() + i);
            i += entry->length;
            if (entry->name[0] < '0' || entry->name[0] > '9') continue;
            const ProcessState seen = state_of(processes, entry->name);
            if (!has(seen.group)) continue;
            const bool ended = seen.state == 'Z' || seen.state == 'X';
            (ended ? dead : alive) = true;
        }
    }
    call(SYS_close, processes);
    // With none of them in sight, nothing is known.
    return dead && !alive;
}

/// Lets go of all that this copy has of the process that made it, and does not need.
void let_go(int& door, int& watched) {
    call(SYS_setsid);
    call(SYS_prctl, PR_SET_NAME, at("belay-guardian"));
    call(SYS_chdir, at("/"));
    sigset_t all;
    std::memset(&all, 0xff, sizeof all);
    ::syscall(SYS_rt_sigprocmask, SIG_SETMASK, &all, nullptr, 8);
    // To 0 and 1, so that all above can be closed at once.
    const int low = door < watched ? door : watched;
    const int high = door < watched ? watched : door;
    call(SYS_dup3, low, 0, 0);
    call(SYS_dup3, high, 1, 0);
    (low == door ? door : watched) = 0;
    (high == watched ? watched : door) = 1;
    call(SYS_close_range, 2, ~0U, 0);
}

/// Ends the groups. When it returns, no process of them runs, as far as this can be reached.
void end_groups(Guarded& guarded) {
    int pause_ms = 1;
    for (int tries = 0;; ++tries) {
        guarded.kill_all();
        guarded.forget_empty();
        if (guarded.empty()) return;
        // Most are gone at once; for zombies a look at all processes is needed.
        if (tries > 2 && guarded.are_zombies()) return;
        wait_for(nullptr, 0, pause_ms);
        if (pause_ms < 100) pause_ms *= 2;
    }
}

}  // namespace
}  // namespace guarding

void run_guardian(int door, int watched, pid_t* groups) {
    using namespace guarding;
    let_go_of_memory(groups);
    let_go(door, watched);
    Guarded guarded(door, groups);
    std::array<pollfd, 2> files{pollfd{door, POLLIN, 0}, pollfd{watched, POLLIN, 0}};
    while (true) {
        wait_for(files.data(), files.size(), -1);
        // Looked at before the rest in the socket: by then nobody writes any more.
        pollfd end{watched, POLLIN, 0};
        wait_for(&end, 1, 0);
        bool over = end.revents != 0;
        Guarded::Heard heard = Guarded::Heard::note;
        while (heard == Guarded::Heard::note && !guarded.is_dismissed()) heard = guarded.hear();
        if (guarded.is_dismissed()) leave();
        // The door is closed without a word: the process has become another program.
        over = over || heard == Guarded::Heard::end;
        if (!over) continue;
        end_groups(guarded);
        leave();
    }
}

}  // namespace belay::runtime
