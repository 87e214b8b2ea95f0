#include "runtime/executors/watcher.hpp"

#include <pthread.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <stdexcept>
#include <system_error>
#include <utility>

namespace belay::runtime {

namespace {

constexpr std::uint64_t kWake = 0;  // No child has this id.
/// The interval of retries of a start while the system is short of something. If nothing runs whose
/// end could help, the start is retried for a second.
constexpr int kTryAgainMs = 20;
constexpr std::uint32_t kMostTries = 50;

bool is_shortage(int code) {
    // A guardian that is lost is made anew.
    return code == EMFILE || code == ENFILE || code == EAGAIN || code == ENOMEM ||
           code == ENOBUFS || code == EPIPE || code == ECONNRESET;
}

/// Reads all that there is, but no more than a pipe can hold: others want to be read too. Returns
/// false at the end of the stream.
template <class Take>
bool drain(const Fd& fd, const Take& take) {
    constexpr int kMostReads = 16;
    std::array<char, 64 * 1024> buffer;
    for (int i = 0; i < kMostReads; ++i) {
        const ssize_t got = ::read(fd.get(), buffer.data(), buffer.size());
        if (got > 0) {
            take(std::string_view(buffer.data(), static_cast<std::size_t>(got)));
        } else if (got == 0) {
            return false;
        } else if (errno != EINTR) {
            return errno == EAGAIN;
        }
    }
    return true;
}

/// All of them: the users' handlers have no business here, a child must not begin with ours, and
/// writing to one that has closed its input must be an error and not a signal.
void block_signals() {
    sigset_t all;
    ::sigfillset(&all);
    ::pthread_sigmask(SIG_BLOCK, &all, nullptr);
}

}  // namespace

Watcher::Id Watcher::start(const Program& program, Ended ended) {
    const detail::MutexLock lock(mutex_);
    if (closed_) throw std::runtime_error("belay: the watcher of child processes is closed");
    if (!thread_.joinable()) make_thread();
    const Id id = ++last_;
    give({Order::start, id, &program, std::move(ended)});
    return id;
}

void Watcher::make_thread() {
    wake_ = Fd(::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK));
    epoll_ = Fd(::epoll_create1(EPOLL_CLOEXEC));
    if (!wake_ || !epoll_ || !watch(kWake, Stream::process, wake_, EPOLLIN)) {
        throw std::system_error(errno, std::generic_category(), "belay: cannot watch processes");
    }
    thread_ = std::thread([self = shared_from_this()] { self->work(); });
}

void Watcher::terminate(Id id) {
    const detail::MutexLock lock(mutex_);
    give({Order::terminate, id});
}

void Watcher::kill(Id id) {
    const detail::MutexLock lock(mutex_);
    give({Order::kill, id});
}

void Watcher::give(Ordered ordered) {
    orders_.push_back(std::move(ordered));
    const std::uint64_t one = 1;
    [[maybe_unused]] const auto written = ::write(wake_.get(), &one, sizeof one);
}

std::uint32_t Watcher::threads() const {
    const detail::MutexLock lock(mutex_);
    return thread_.joinable() ? 1 : 0;
}

void Watcher::close() {
    std::thread thread;
    {
        const detail::MutexLock lock(mutex_);
        closed_ = true;
        if (!thread_.joinable()) return;
        give({Order::kill, kWake});  // Nobody; only to wake it.
        thread = std::move(thread_);
    }
    thread.join();
}

bool Watcher::watch(Id id, Stream stream, const Fd& fd, std::uint32_t events) {
    epoll_event event{};
    event.events = events;
    event.data.u64 = id << 2U | static_cast<std::uint64_t>(stream);
    return ::epoll_ctl(epoll_.get(), EPOLL_CTL_ADD, fd.get(), &event) == 0;
}

void Watcher::unwatch(const Fd& fd) {
    // Closing it is not enough if this process has forked meanwhile.
    if (fd) ::epoll_ctl(epoll_.get(), EPOLL_CTL_DEL, fd.get(), nullptr);
}

void Watcher::drop(Fd& fd) {
    unwatch(fd);
    fd.reset();
}

void Watcher::work() {
    block_signals();
    std::array<epoll_event, 64> events{};
    while (take_orders()) {
        start_waiting();
        if (unguarded_) unguarded_ = guard() != 0;
        const int wait = short_ || unguarded_ ? kTryAgainMs : -1;
        const int count =
            ::epoll_wait(epoll_.get(), events.data(), static_cast<int>(events.size()), wait);
        for (int i = 0; i < count; ++i) {
            const std::uint64_t about = events[static_cast<std::size_t>(i)].data.u64;
            const auto stream = static_cast<Stream>(about & 3U);
            if (about >> 2U != kWake) {
                handle(about >> 2U, stream);
            } else if (stream == kGuardian) {
                unguarded_ = guard() != 0;
            }
        }
    }
    unwatch(guardian_.process());
    guardian_.dismiss();
}

int Watcher::guard() {
    const bool lost = guardian_.is_lost();
    if (lost) unwatch(guardian_.process());
    const bool fresh = lost || !guardian_.process();
    std::vector<pid_t> groups;
    for (const auto& [id, child] : children_) {
        if (child.process.pid > 0) groups.push_back(child.process.pid);
    }
    const int problem = guardian_.ensure(groups);
    if (problem != 0 || !fresh) return problem;
    return watch(kWake, kGuardian, guardian_.process(), EPOLLIN) ? 0 : errno;
}

bool Watcher::take_orders() {
    std::uint64_t count = 0;
    [[maybe_unused]] const auto got = ::read(wake_.get(), &count, sizeof count);
    std::deque<Ordered> orders;
    bool closed = false;
    {
        const detail::MutexLock lock(mutex_);
        orders.swap(orders_);
        closed = closed_;
    }
    for (Ordered& ordered : orders) carry_out(ordered);
    if (!closed) return true;
    std::vector<Id> left;
    left.reserve(children_.size());
    for (const auto& [id, child] : children_) left.push_back(id);
    for (const Id id : left) signal(id, SIGKILL);
    return !children_.empty();
}

void Watcher::carry_out(Ordered& ordered) {
    switch (ordered.order) {
        case Order::start: {
            Child& child = children_[ordered.id];
            child.program = ordered.program;
            child.ended = std::move(ordered.ended);
            waiting_.push_back(ordered.id);
            return;
        }
        case Order::terminate: ask_to_end(ordered.id); return;
        case Order::kill: signal(ordered.id, SIGKILL); return;
    }
}

void Watcher::ask_to_end(Id id) {
    const auto at = children_.find(id);
    if (at != children_.end()) signal(id, at->second.program->stopping_signal());
}

void Watcher::signal(Id id, int signal) {
    const auto at = children_.find(id);
    if (at == children_.end()) return;
    if (const pid_t group = at->second.process.pid; group > 0) {
        // It has not been waited for, so neither it nor its group can be another one by now.
        ::kill(-group, signal);
    } else {
        std::erase(waiting_, id);
        end(id, detail::ProgramEnd{.problem = "stopped before it was started"});
    }
}

void Watcher::start_waiting() {
    short_ = false;
    while (begun_ < most_ && !waiting_.empty() && !short_) {
        const Id id = waiting_.front();
        waiting_.pop_front();
        short_ = !begin(id);
    }
}

bool Watcher::put_off(Id id) {
    Child& child = children_.at(id);
    if (begun_ == 0 && ++child.tries >= kMostTries) return false;
    child.process = Spawned();
    waiting_.push_front(id);
    return true;
}

bool Watcher::begin(Id id) {
    Child& child = children_.at(id);
    SpawnProblem problem{.code = guard()};
    if (problem.code == 0) {
        problem = spawn(*child.program, guardian_, child.process);
    } else {
        problem.message = std::string("cannot make its guardian: ") + std::strerror(problem.code);
    }
    if (is_shortage(problem.code) && !problem.begun && put_off(id)) return false;
    if (problem.code != 0) {
        const bool its_own = problem.code == ENOENT || problem.code == EACCES ||
                             problem.code == ENOTDIR || problem.code == ENOEXEC ||
                             problem.code == EINVAL || problem.code == E2BIG;
        end(id, detail::ProgramEnd{.problem = std::move(problem.message), .ours = !its_own});
        return true;
    }
    ++begun_;
    const Spawned& process = child.process;
    const bool watched = watch(id, Stream::process, process.process, EPOLLIN) &&
                         watch(id, Stream::output, process.output, EPOLLIN) &&
                         watch(id, Stream::error, process.error, EPOLLIN) &&
                         (!process.input || watch(id, Stream::input, process.input, EPOLLOUT));
    if (watched) return true;
    ::kill(-process.pid, SIGKILL);
    guardian_.forget(process.pid);
    ::waitpid(process.pid, nullptr, 0);
    --begun_;
    end(id, detail::ProgramEnd{.problem = "cannot watch its process", .ours = true});
    return true;
}

void Watcher::handle(Id id, Stream stream) {
    const auto at = children_.find(id);
    if (at == children_.end()) return;  // Ended by an event before this one.
    Child& child = at->second;
    switch (stream) {
        case Stream::process: reap(id); return;
        case Stream::input: feed(child); return;
        case Stream::output: read_output(child); return;
        case Stream::error: read_error(child); return;
    }
}

void Watcher::feed(Child& child) {
    const std::string& input = child.program->standard_input();
    while (child.written < input.size()) {
        const ssize_t wrote = ::write(
            child.process.input.get(), input.data() + child.written, input.size() - child.written);
        if (wrote < 0 && errno == EINTR) continue;
        if (wrote < 0 && errno == EAGAIN) return;
        if (wrote < 0) break;  // It does not want any more.
        child.written += static_cast<std::size_t>(wrote);
    }
    drop(child.process.input);
}

void Watcher::read_output(Child& child) {
    if (!child.process.output) return;
    const bool more = drain(child.process.output, [&](std::string_view text) {
        child.program->wrote(ProgramStream::output, text);
        const std::size_t free = child.program->most_output() - child.output.output.size();
        child.output.output += text.substr(0, free);
        child.output.output_cut = child.output.output_cut || text.size() > free;
    });
    if (!more) drop(child.process.output);
}

void Watcher::read_error(Child& child) {
    if (!child.process.error) return;
    const std::size_t most = child.program->most_error();
    std::string& kept = child.output.error;
    const auto cut = [&] {
        if (kept.size() <= most) return;
        kept.erase(0, kept.size() - most);
        child.output.error_cut = true;
    };
    const bool more = drain(child.process.error, [&](std::string_view text) {
        child.program->wrote(ProgramStream::error, text);
        kept += text;
        if (kept.size() > 2 * most) cut();
    });
    cut();
    if (!more) drop(child.process.error);
}

/// Its leader has ended. Processes that it left in its group are killed too, while the group's
/// number still belongs to it. Output in the pipes is taken. Nobody waits for a process that has
/// left the group and keeps a pipe open.
void Watcher::reap(Id id) {
    Child& child = children_.at(id);
    ::kill(-child.process.pid, SIGKILL);
    read_output(child);
    read_error(child);
    guardian_.forget(child.process.pid);
    siginfo_t how{};
    int got = 0;
    do {
        got = ::waitid(P_PID, static_cast<id_t>(child.process.pid), &how, WEXITED);
    } while (got != 0 && errno == EINTR);
    detail::ProgramEnd ended;
    ended.output = std::move(child.output);
    if (got != 0) {
        ended.problem =
            "how it ended is not known: this process ignores SIGCHLD, or waits for children that "
            "are not its own";
        ended.ours = true;
    } else if (how.si_code == CLD_EXITED) {
        ended.output.status = how.si_status;
    } else {
        ended.output.status = -1;
        ended.output.signal = how.si_status;
    }
    for (Fd* const fd : {&child.process.process,
                         &child.process.input,
                         &child.process.output,
                         &child.process.error}) {
        drop(*fd);
    }
    --begun_;
    end(id, std::move(ended));
}

void Watcher::end(Id id, detail::ProgramEnd ended) {
    const auto at = children_.find(id);
    const Ended tell = std::move(at->second.ended);
    children_.erase(at);
    tell(std::move(ended));
}

}  // namespace belay::runtime
