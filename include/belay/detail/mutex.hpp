// Mutexes that clang's thread-safety analysis understands: those of the standard library are not
// annotated.
//
// A field names the mutex that guards it, and a private function names the one its caller holds:
//
//     void grow() BELAY_REQUIRES(mutex_);
//     Mutex mutex_;
//     int size_ BELAY_GUARDED_BY(mutex_) = 0;
//
// Then clang refuses code that does not hold it. Other compilers ignore the annotations.
#pragma once

#include <chrono>
#include <condition_variable>
#include <mutex>

#if defined(__clang__)
#define BELAY_THREAD_SAFETY(attribute) __attribute__((attribute))
#else
#define BELAY_THREAD_SAFETY(attribute)
#endif

// A field is used only under this mutex.
#define BELAY_GUARDED_BY(mutex) BELAY_THREAD_SAFETY(guarded_by(mutex))
// The object that a pointer points to is used only under this mutex.
#define BELAY_PT_GUARDED_BY(mutex) BELAY_THREAD_SAFETY(pt_guarded_by(mutex))
// The caller of a function holds these, or holds none of them.
#define BELAY_REQUIRES(...) BELAY_THREAD_SAFETY(requires_capability(__VA_ARGS__))
#define BELAY_EXCLUDES(...) BELAY_THREAD_SAFETY(locks_excluded(__VA_ARGS__))
// The analysis cannot follow this function. The reason stands beside it.
#define BELAY_NO_THREAD_SAFETY_ANALYSIS BELAY_THREAD_SAFETY(no_thread_safety_analysis)
// For the types of mutexes and locks themselves.
#define BELAY_CAPABILITY(name) BELAY_THREAD_SAFETY(capability(name))
#define BELAY_SCOPED_CAPABILITY BELAY_THREAD_SAFETY(scoped_lockable)
#define BELAY_ACQUIRE(...) BELAY_THREAD_SAFETY(acquire_capability(__VA_ARGS__))
#define BELAY_ACQUIRE_SHARED(...) BELAY_THREAD_SAFETY(acquire_shared_capability(__VA_ARGS__))
#define BELAY_TRY_ACQUIRE(...) BELAY_THREAD_SAFETY(try_acquire_capability(__VA_ARGS__))
#define BELAY_RELEASE(...) BELAY_THREAD_SAFETY(release_capability(__VA_ARGS__))
#define BELAY_RELEASE_SHARED(...) BELAY_THREAD_SAFETY(release_shared_capability(__VA_ARGS__))

namespace belay::detail {

/// A std::mutex, and no more than one.
class BELAY_CAPABILITY("mutex") Mutex {
public:
    Mutex() = default;
    Mutex(const Mutex&) = delete;
    Mutex& operator=(const Mutex&) = delete;
    ~Mutex() = default;

    void lock() BELAY_ACQUIRE() { mutex_.lock(); }
    void unlock() BELAY_RELEASE() { mutex_.unlock(); }
    [[nodiscard]] bool try_lock() BELAY_TRY_ACQUIRE(true) { return mutex_.try_lock(); }

private:
    friend class Condition;
    std::mutex mutex_;
};

/// Holds a mutex as long as it lives.
class [[nodiscard]] BELAY_SCOPED_CAPABILITY MutexLock {
public:
    explicit MutexLock(Mutex& mutex) BELAY_ACQUIRE(mutex) : mutex_(mutex) { mutex_.lock(); }
    /// For a mutex that the caller has locked.
    MutexLock(Mutex& mutex, std::adopt_lock_t /*adopt*/) BELAY_REQUIRES(mutex) : mutex_(mutex) {}
    MutexLock(const MutexLock&) = delete;
    MutexLock& operator=(const MutexLock&) = delete;
    ~MutexLock() BELAY_RELEASE() { mutex_.unlock(); }

private:
    Mutex& mutex_;
};

/// Unlocks a mutex that the caller holds, and locks it again in the end.
class [[nodiscard]] BELAY_SCOPED_CAPABILITY MutexUnlock {
public:
    explicit MutexUnlock(Mutex& mutex) BELAY_RELEASE(mutex) : mutex_(mutex) { mutex_.unlock(); }
    MutexUnlock(const MutexUnlock&) = delete;
    MutexUnlock& operator=(const MutexUnlock&) = delete;
    ~MutexUnlock() BELAY_RELEASE() { mutex_.lock(); }

private:
    Mutex& mutex_;
};

/// A std::condition_variable. It takes no predicate: the analysis follows a loop, and no lambda.
///
///     while (queue_.empty()) wake_.wait(mutex_);
class Condition {
public:
    void notify_one() noexcept { condition_.notify_one(); }
    void notify_all() noexcept { condition_.notify_all(); }

    /// May also return for no reason.
    void wait(Mutex& mutex) BELAY_REQUIRES(mutex) {
        std::unique_lock lock(mutex.mutex_, std::adopt_lock);
        condition_.wait(lock);
        lock.release();
    }
    /// Returns false if the time has come.
    template <class Clock, class Duration>
    bool wait_until(Mutex& mutex, const std::chrono::time_point<Clock, Duration>& time)
        BELAY_REQUIRES(mutex) {
        std::unique_lock lock(mutex.mutex_, std::adopt_lock);
        const std::cv_status status = condition_.wait_until(lock, time);
        lock.release();
        return status == std::cv_status::no_timeout;
    }

private:
    std::condition_variable condition_;
};

}  // namespace belay::detail
