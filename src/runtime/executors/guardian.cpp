#include "runtime/executors/guardian.hpp"

#include "base/lifelines.hpp"
#include "runtime/executors/guardian_process.hpp"

#include <fcntl.h>
#include <poll.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>

namespace belay::runtime {

namespace {

/// Never waits: the receiver may be stopped. Returns errno.
int tell(int door, GuardNote note, int descriptor = -1) {
    iovec data{&note, sizeof note};
    msghdr message{};
    message.msg_iov = &data;
    message.msg_iovlen = 1;
    alignas(cmsghdr) std::array<char, CMSG_SPACE(sizeof(int))> control{};
    if (descriptor >= 0) {
        message.msg_control = control.data();
        message.msg_controllen = control.size();
        cmsghdr* const header = CMSG_FIRSTHDR(&message);
        header->cmsg_level = SOL_SOCKET;
        header->cmsg_type = SCM_RIGHTS;
        header->cmsg_len = CMSG_LEN(sizeof(int));
        std::memcpy(CMSG_DATA(header), &descriptor, sizeof descriptor);
    }
    const auto sent = ::syscall(SYS_sendmsg, door, &message, MSG_DONTWAIT | MSG_NOSIGNAL);
    return sent < 0 ? errno : 0;
}

int open_process(pid_t pid) { return static_cast<int>(::syscall(SYS_pidfd_open, pid, 0)); }

}  // namespace

int announce_group(int door, pid_t group) { return tell(door, {GuardNote::Kind::add, group}); }

bool Guardian::is_lost() const {
    pollfd ended{process_.get(), POLLIN, 0};
    return process_ && ::poll(&ended, 1, 0) == 1;
}

int Guardian::ensure(const std::vector<pid_t>& running) {
    if (is_lost()) lose();
    if (process_) return give_lifelines();
    if (const int problem = start(); problem != 0) return problem;
    for (const pid_t group : running) {
        if (const int problem = announce_group(door(), group); problem != 0) {
            dismiss();
            return problem;
        }
    }
    return give_lifelines();
}

int Guardian::give_lifelines() {
    if (base::Lifelines::version() == lifelines_) return 0;
    int problem = 0;
    base::Lifelines::with_all([&](const std::vector<int>& all, std::uint64_t version) {
        problem = tell(door(), {GuardNote::Kind::drop_all, 0});
        for (const int one : all) {
            if (problem == 0) problem = tell(door(), {GuardNote::Kind::hold, 0}, one);
        }
        if (problem == 0) lifelines_ = version;
    });
    return problem;
}

int Guardian::start() {
    std::array<int, 2> ends{};
    if (::socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends.data()) != 0) return errno;
    Fd ours(ends[0]);
    Fd its(ends[1]);
    Fd self(open_process(::getpid()));
    if (!keep_off_streams(ours) || !keep_off_streams(its) || !keep_off_streams(self)) return errno;
    // Room for every process that there can be; unused room takes no memory.
    void* const room = ::mmap(nullptr,
                              kMostGroups * sizeof(pid_t),
                              PROT_READ | PROT_WRITE,
                              MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE,
                              -1,
                              0);
    if (room == MAP_FAILED) return errno;
    // Not fork(2): its handlers would close the lifelines and are for children that go on with our
    // code. No signal at its end: it is nobody's business but ours.
    const auto pid = static_cast<pid_t>(::syscall(SYS_clone, 0, 0, 0, 0, 0));
    if (pid == 0) run_guardian(its.get(), self.get(), static_cast<pid_t*>(room));
    const int problem = pid < 0 ? errno : 0;
    ::munmap(room, kMostGroups * sizeof(pid_t));
    if (problem != 0) return problem;
    process_ = Fd(open_process(pid));
    if (!process_) {
        const int code = errno;
        ::kill(pid, SIGKILL);
        ::waitpid(pid, nullptr, __WALL);
        return code;
    }
    pid_ = pid;
    door_ = std::move(ours);
    lifelines_ = 0;
    return 0;
}

void Guardian::forget(pid_t group) {
    if (door_) (void)tell(door(), {GuardNote::Kind::remove, group});
}

void Guardian::lose() {
    ::waitpid(pid_, nullptr, __WALL);
    pid_ = -1;
    process_.reset();
    door_.reset();
}

void Guardian::dismiss() {
    if (!process_) return;
    (void)tell(door(), {GuardNote::Kind::dismiss, 0});
    // Also if it could not be told: it has nothing to do any more.
    ::kill(pid_, SIGKILL);
    lose();
}

}  // namespace belay::runtime
