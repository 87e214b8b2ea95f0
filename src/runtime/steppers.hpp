// Counts the threads that are free to step a runtime.
#pragma once

#include <belay/detail/mutex.hpp>
#include <belay/time.hpp>

#include <cstdint>

namespace belay::runtime {

/// The threads of a driver, counted by their work. Safe from any thread.
///
/// Invariant: one thread is always free to step. At most all but one are in a turn, and the last
/// one makes the calls of the store. Where these calls block, it may be in one, and the *reserve*
/// is free instead: one more thread, which takes no turns and makes no calls.
///
/// The reserve watches the clock for all others, so that a short turn or call wakes nobody. While
/// turns are taken it looks after each `patience`, and sleeps when there was none.
class Steppers {
public:
    /// A thread that takes a turn. A *stepper* keeps the runtime going, a *guest* does so for a
    /// while.
    enum class Who : std::uint8_t { stepper, guest };
    /// The task of the reserve.
    enum class Need : std::uint8_t {
        step,   ///< None of the others has been free for `patience`.
        tell,   ///< A turn takes long: a thread that sleeps must learn when to wake up for it.
        leave,  ///< It is closed.
    };

    /// There is one more stepper, and it is free.
    void add();
    /// A thread takes a turn. Returns false if it must not, because all other steppers are in
    /// turns.
    [[nodiscard]] bool begin_turn(Who who);
    void end_turn(Who who);
    /// The thread of a turn was taken away, and is none of them any more.
    void give_up_turn();
    /// A stepper makes a call that blocks.
    void begin_call();
    void end_call();

    /// For the reserve. Returns when there is something to do for it: once for each turn that takes
    /// long.
    [[nodiscard]] Need wait_until_needed(Millis patience);
    [[nodiscard]] bool none_free() const;
    /// Lets the reserve go. Once.
    void close();

private:
    void leave() BELAY_REQUIRES(mutex_);
    void come_back() BELAY_REQUIRES(mutex_);
    void wake_reserve() BELAY_REQUIRES(mutex_);
    [[nodiscard]] bool has_to_look() const BELAY_REQUIRES(mutex_);

    mutable detail::Mutex mutex_;
    detail::Condition needed_;
    std::uint32_t outside_turns_ BELAY_GUARDED_BY(mutex_) = 0;
    // Those that are not in a call either.
    std::uint32_t free_ BELAY_GUARDED_BY(mutex_) = 0;
    // Times that nobody was free, each until somebody was.
    std::uint64_t times_without_ BELAY_GUARDED_BY(mutex_) = 0;
    std::uint32_t turns_ BELAY_GUARDED_BY(mutex_) = 0;         // Under way.
    std::uint64_t turn_changes_ BELAY_GUARDED_BY(mutex_) = 0;  // Turns that began or ended.
    std::uint64_t told_at_ BELAY_GUARDED_BY(mutex_) = 0;  // So many of those when it was told last.
    // Until it is woken: no turn was taken lately.
    bool reserve_sleeps_ BELAY_GUARDED_BY(mutex_) = false;
    bool closed_ BELAY_GUARDED_BY(mutex_) = false;
};

}  // namespace belay::runtime
