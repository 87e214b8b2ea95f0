// The right to write to the file: a lock beside it, for which the writers of all processes queue.
#pragma once

#include "store/sqlite/unshared_descriptor.hpp"
#include <belay/error.hpp>
#include <belay/time.hpp>

#include <cstdint>
#include <memory>
#include <string>
#include <utility>

namespace belay::sqlite {

/// A lock of the open file description (fcntl's F_OFD locks) on a side file. It belongs to this
/// object, not to the process. The kernel releases it when the process dies. A forked child does
/// not share it. It does not affect SQLite's own locks.
///
/// The writer of a process passes two bytes: a turnstile, then the lock. A waiting writer stands in
/// the turnstile. So a writer that has just released the lock cannot take it again first. Used by
/// one thread at a time.
class FileLock {
public:
    /// Opens the lock file beside the file `database`. Creates it if it is missing.
    [[nodiscard]] static Result<FileLock> open(const std::string& database);
    /// Opens the lock file only if it is there, and does not change its mode.
    [[nodiscard]] static Result<FileLock> open_as_it_is(const std::string& database);
    FileLock(FileLock&& other) noexcept = default;
    FileLock& operator=(FileLock&&) = delete;
    ~FileLock() = default;

    /// Waits for other processes for at most `timeout`. Returns `busy` after that, and names the
    /// process that has the lock. Returns `store_lost` in a forked child.
    [[nodiscard]] Result<void> acquire(Millis timeout);
    /// The same without waiting.
    [[nodiscard]] bool try_acquire();
    void release();

    /// False in a child that was forked after the lock was opened.
    [[nodiscard]] bool belongs_here() const noexcept { return descriptor_->get() >= 0; }
    /// The error for a child that uses it all the same.
    [[nodiscard]] static Error forked();
    [[nodiscard]] int descriptor() const noexcept { return descriptor_->get(); }

    /// Tells other processes, from now on, that somebody listens.
    void announce_listener();
    /// True if another process (or another store of this one) listens.
    [[nodiscard]] bool others_listen() const;
    /// Tells other processes, from now on, if somebody follows runs.
    void announce_follower(bool follows);
    /// True if another process (or another store of this one) follows runs.
    [[nodiscard]] bool others_follow() const;

private:
    enum class Byte : std::uint8_t { turnstile = 0, write = 1, listeners = 2, followers = 3 };
    explicit FileLock(std::unique_ptr<UnsharedDescriptor> descriptor)
        : descriptor_(std::move(descriptor)) {}

    [[nodiscard]] bool try_lock(Byte byte) const;
    void unlock(Byte byte) const;
    void share(Byte byte) const;
    [[nodiscard]] bool others_have(Byte byte) const;
    [[nodiscard]] Error busy() const;

    std::unique_ptr<UnsharedDescriptor> descriptor_;
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
