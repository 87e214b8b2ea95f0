// The threads that turns run on.
#pragma once

#include "runtime/signal.hpp"
#include "runtime/steppers.hpp"
#include <belay/detail/mutex.hpp>
#include <belay/turn_executor.hpp>

#include <atomic>
#include <chrono>
#include <cstdint>
#include <deque>
#include <functional>
#include <list>
#include <memory>
#include <string>
#include <vector>

namespace belay::runtime {

/// Runs turns on threads that have other things to do as well, so that a short one wakes nobody. A
/// thread whose turn takes long is taken away from the rest of its work, and somebody replaces it;
/// it ends with its turn. A turn that was given up keeps its thread, and nobody waits for it.
///
/// Shared with these threads, so that one of them finds it when it comes back, however late. All of
/// it is safe from any thread.
class TurnThreads final : public TurnExecutor {
public:
    /// Says whether a thread that is taken away is replaced.
    enum class Replace : std::uint8_t { yes, no };
    /// Takes a thread away from its work beside the turn that it is in. Returns false if it cannot
    /// be replaced. Called by another thread.
    using Leave = std::function<bool(Replace)>;
    using Who = Steppers::Who;
    enum class Ran : std::uint8_t {
        none,  ///< There was none, or the thread has to be there for other things.
        one,
        left,  ///< One, and the thread was taken away: it must end, and touch nothing before.
    };
    using Deadline = std::chrono::steady_clock::time_point;

    /// At most so many threads are taken away at once, those of turns that were given up not
    /// counted.
    TurnThreads(std::shared_ptr<Signal> signal, std::uint32_t most)
        : signal_(std::move(signal)), most_(most) {}

    void begin(std::shared_ptr<TurnTask> task) override;
    void gave_up(const std::shared_ptr<TurnTask>& task) override;
    void drop(const std::shared_ptr<TurnTask>& task) override { begin(task); }
    [[nodiscard]] bool expects_ends() const override;

    [[nodiscard]] Steppers& steppers() noexcept { return steppers_; }
    /// Runs a turn that waits, on the calling thread. `leave` must stay until it returns.
    Ran run_one(Who who, const Leave& leave);
    /// True if one waits.
    [[nodiscard]] bool waiting() const noexcept { return waiting_; }
    /// The number of those that there have been.
    [[nodiscard]] std::uint64_t begun() const noexcept { return begun_; }

    /// Takes those threads away whose turns take long. Called whenever turns wait, and by a stepper
    /// that has nothing else to do.
    void relieve();
    /// The time until that is of use.
    [[nodiscard]] Millis until_relief() const;

    /// Takes nothing more on. Waits until `deadline` for turns that wait or run, and takes the
    /// threads away that are left. Turns that have not begun by then are destroyed, and nobody
    /// waits for that.
    void close(Deadline deadline);
    /// The turns that run though nobody waits for them.
    [[nodiscard]] std::vector<std::string> abandoned() const;

private:
    struct Running {
        std::shared_ptr<TurnTask> task;
        Deadline begun;
        const Leave* leave;
        Who who;
        bool left = false;
        bool given_up = false;
    };

    void let_go_of(Running& running, Replace replace) BELAY_REQUIRES(mutex_);
    [[nodiscard]] std::uint32_t away() const BELAY_REQUIRES(mutex_);

    const std::shared_ptr<Signal> signal_;
    const std::uint32_t most_;
    mutable detail::Mutex mutex_;
    detail::Condition ended_;
    std::deque<std::shared_ptr<TurnTask>> queue_ BELAY_GUARDED_BY(mutex_);
    std::list<Running> running_ BELAY_GUARDED_BY(mutex_);
    Steppers steppers_;
    bool closed_ BELAY_GUARDED_BY(mutex_) = false;
    // True if there is any in the queue: every thread that has stepped looks.
    std::atomic<bool> waiting_{false};
    std::atomic<std::uint64_t> begun_{0};
    std::atomic<Deadline> last_begun_{Deadline()};
};

}  // namespace belay::runtime
