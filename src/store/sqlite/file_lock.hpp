// Who writes to the file: a lock beside it, for which the writers of all processes queue.
#pragma once

#include <belay/error.hpp>
#include <belay/time.hpp>

#include <cstdint>
#include <string>

namespace belay::sqlite {

/// A lock of the open file description (fcntl's F_OFD locks) on a side file: it belongs to this
/// object, not to the process, and the kernel releases it when the process dies. SQLite's own locks
/// are not touched by it.
///
/// The writer of one process passes two bytes: a turnstile, then the lock. Whoever waits for the
/// lock stands in the turnstile, so a writer that has just released it cannot take it again before
/// him. Used by one thread at a time.
class FileLock {
public:
    [[nodiscard]] static Result<FileLock> open(const std::string& path);
    FileLock(FileLock&& other) noexcept;
    FileLock& operator=(FileLock&&) = delete;
    ~FileLock();

    /// Waits for other processes at most `timeout`; then the error is `busy`.
    [[nodiscard]] Result<void> acquire(Millis timeout);
    void release();

    /// From now on other processes find that somebody listens.
    void announce_listener();
    /// Whether another process (or another store of this one) listens.
    [[nodiscard]] bool others_listen() const;

private:
    enum class Byte : std::uint8_t { turnstile = 0, write = 1, listeners = 2 };
    explicit FileLock(int fd) : fd_(fd) {}

    [[nodiscard]] bool try_lock(Byte byte) const;
    void unlock(Byte byte) const;

    int fd_ = -1;
};

/// Releases on scope exit.
class HeldLock {
public:
    explicit HeldLock(FileLock& lock) : lock_(lock) {}
    ~HeldLock() { lock_.release(); }
    HeldLock(const HeldLock&) = delete;
    HeldLock& operator=(const HeldLock&) = delete;

private:
    FileLock& lock_;
};

}  // namespace belay::sqlite
