// Counts the threads that are free to step a runtime.
#pragma once

#include <belay/detail/mutex.hpp>
#include <belay/time.hpp>

#include <cstdint>

namespace belay::runtime {

/// The threads of a driver, by what they are in. Safe from any thread.
///
/// Invariant: one thread is always free to step. At most all but one are in a turn, and the last
/// one makes the calls of the store. Where these calls block, it may be in one, and the *reserve*
/// is free instead: one more thread, which takes no turns and makes no calls. The reserve sleeps
/// until nobody else has been free for `patience`, so that it costs nothing while calls are short.
class Steppers {
public:
    /// There is one more of them, and it is free.
    void add();
    /// A thread takes a turn. False: it must not, because all others are in turns.
    [[nodiscard]] bool begin_turn();
    void end_turn();
    /// A thread makes a call that blocks.
    void begin_call();
    void end_call();

    /// For the reserve. Returns when none of the others has been free for `patience`. Returns false
    /// when it is closed.
    [[nodiscard]] bool wait_until_needed(Millis patience);
    [[nodiscard]] bool none_free() const;
    /// Lets the reserve go. Once.
    void close();

private:
    void leave() BELAY_REQUIRES(mutex_);
    void come_back() BELAY_REQUIRES(mutex_);

    mutable detail::Mutex mutex_;
    detail::Condition needed_;
    std::uint32_t outside_turns_ BELAY_GUARDED_BY(mutex_) = 0;
    // Those that are not in a call either.
    std::uint32_t free_ BELAY_GUARDED_BY(mutex_) = 0;
    // How often nobody was free, each time until somebody was.
    std::uint64_t times_without_ BELAY_GUARDED_BY(mutex_) = 0;
    // Until it is told: nobody has been busy lately.
    bool reserve_sleeps_ BELAY_GUARDED_BY(mutex_) = false;
    bool closed_ BELAY_GUARDED_BY(mutex_) = false;
};

}  // namespace belay::runtime
