// A mutex for many readers or one writer, as clang's thread-safety analysis understands it.
#pragma once

#include <belay/detail/mutex.hpp>

#include <shared_mutex>

namespace belay::base {

/// A std::shared_mutex with annotations, and nothing more.
class BELAY_CAPABILITY("mutex") SharedMutex {
public:
    SharedMutex() = default;
    SharedMutex(const SharedMutex&) = delete;
    SharedMutex& operator=(const SharedMutex&) = delete;
    ~SharedMutex() = default;

    void lock() BELAY_ACQUIRE() { mutex_.lock(); }
    void unlock() BELAY_RELEASE() { mutex_.unlock(); }
    void lock_shared() BELAY_ACQUIRE_SHARED() { mutex_.lock_shared(); }
    void unlock_shared() BELAY_RELEASE_SHARED() { mutex_.unlock_shared(); }

private:
    std::shared_mutex mutex_;
};

/// Holds it for reading as long as it lives.
class [[nodiscard]] BELAY_SCOPED_CAPABILITY ReadLock {
public:
    explicit ReadLock(SharedMutex& mutex) BELAY_ACQUIRE_SHARED(mutex) : mutex_(mutex) {
        mutex_.lock_shared();
    }
    ReadLock(const ReadLock&) = delete;
    ReadLock& operator=(const ReadLock&) = delete;
    ~ReadLock() BELAY_RELEASE() { mutex_.unlock_shared(); }

private:
    SharedMutex& mutex_;
};

/// Holds it for writing as long as it lives.
class [[nodiscard]] BELAY_SCOPED_CAPABILITY WriteLock {
public:
    explicit WriteLock(SharedMutex& mutex) BELAY_ACQUIRE(mutex) : mutex_(mutex) { mutex_.lock(); }
    WriteLock(const WriteLock&) = delete;
    WriteLock& operator=(const WriteLock&) = delete;
    ~WriteLock() BELAY_RELEASE() { mutex_.unlock(); }

private:
    SharedMutex& mutex_;
};

}  // namespace belay::base
