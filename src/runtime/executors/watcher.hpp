// Child processes: starts them, feeds them, reads their output, and sees them end.
#pragma once

#include "runtime/executors/guardian.hpp"
#include "runtime/executors/pool.hpp"
#include "runtime/executors/spawn.hpp"
#include <belay/detail/mutex.hpp>
#include <belay/program.hpp>

#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <thread>
#include <vector>

namespace belay::runtime {

/// One thread for all child processes; it is also their parent, see `spawn`. No more than so many
/// run at once, others wait; they also wait while this process is short of descriptors, processes
/// or memory, unless nothing runs whose end could help. All of it is safe from any thread; shared
/// with its thread.
class Watcher : public std::enable_shared_from_this<Watcher> {
public:
    using Id = std::uint64_t;
    using Ended = std::function<void(detail::ProgramEnd)>;

    explicit Watcher(std::uint32_t most) : most_(most) {}

    /// Calls `ended` once, on the watcher's thread, when nothing of the program runs any more, or
    /// it could not be started. `program` must live until then. Throws if there can be no watcher.
    Id start(const Program& program, Ended ended);
    /// Its stop signal to its process group. One that is still waiting to be started is not.
    void terminate(Id id);
    /// SIGKILL to its process group.
    void kill(Id id);
    [[nodiscard]] std::uint32_t threads() const;
    /// Kills the programs that are left, and ends the thread. No program may be started any more.
    void close();

private:
    enum class Order : std::uint8_t { start, terminate, kill };
    enum class Stream : std::uint8_t { process, input, output, error };
    static constexpr Stream kGuardian = Stream::output;  ///< For kWake: the guardian.
    struct Ordered {
        Order order;
        Id id;
        const Program* program = nullptr;
        Ended ended{};
    };
    struct Child {
        const Program* program = nullptr;
        Ended ended;
        Spawned process;
        std::size_t written = 0;
        std::uint32_t tries = 0;  ///< While nothing else ran.
        ProgramOutput output;
    };

    void give(Ordered ordered) BELAY_REQUIRES(mutex_);
    void make_thread() BELAY_REQUIRES(mutex_);
    void work();
    /// Returns false if it is time to end.
    bool take_orders() BELAY_EXCLUDES(mutex_);
    void carry_out(Ordered& ordered);
    void ask_to_end(Id id);
    void signal(Id id, int signal);
    void start_waiting();
    /// False if it has to wait.
    bool begin(Id id);
    /// Puts it first in line, to be begun when the system has more to give. False if it has waited
    /// for long enough.
    bool put_off(Id id);
    void handle(Id id, Stream stream);
    void feed(Child& child);
    void read_output(Child& child);
    void read_error(Child& child);
    void reap(Id id);
    void end(Id id, detail::ProgramEnd end);
    /// Makes sure that there is a guardian that knows of all running programs. Returns errno.
    [[nodiscard]] int guard();
    [[nodiscard]] bool watch(Id id, Stream stream, const Fd& fd, std::uint32_t events);
    void unwatch(const Fd& fd);
    /// Not watched any more.
    void drop(Fd& fd);

    const std::uint32_t most_;
    mutable detail::Mutex mutex_;
    std::thread thread_ BELAY_GUARDED_BY(mutex_);
    std::deque<Ordered> orders_ BELAY_GUARDED_BY(mutex_);
    Id last_ BELAY_GUARDED_BY(mutex_) = 0;
    bool closed_ BELAY_GUARDED_BY(mutex_) = false;
    // Made before the thread is.
    Fd wake_;
    Fd epoll_;
    // The thread's own.
    std::map<Id, Child> children_;
    std::deque<Id> waiting_;
    std::uint32_t begun_ = 0;
    Guardian guardian_;       ///< From the first program on.
    bool unguarded_ = false;  ///< It was lost, and there is no other one yet.
    bool short_ = false;      ///< The first in line could not be begun, and is tried again.
};

}  // namespace belay::runtime
