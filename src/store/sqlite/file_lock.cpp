#include "store/sqlite/file_lock.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstring>
#include <thread>
#include <utility>

namespace belay::sqlite {

namespace {

using SteadyClock = std::chrono::steady_clock;

struct flock range(short type, std::uint8_t byte) {
    struct flock lock{};
    lock.l_type = type;
    lock.l_whence = SEEK_SET;
    lock.l_start = byte;
    lock.l_len = 1;
    return lock;
}

/// Calls `attempt` until it succeeds or `deadline` has passed.
///
/// The kernel could put us to sleep until the lock is free, but not for a limited time, and a
/// holder may be stopped for as long as it likes. Two are ever at it per byte, so asking is cheap.
template <class Attempt>
bool until_true(SteadyClock::time_point deadline, Attempt attempt) {
    auto pause = std::chrono::microseconds(20);
    while (!attempt()) {
        if (SteadyClock::now() >= deadline) return false;
        std::this_thread::sleep_for(pause);
        pause = std::min(pause * 2, std::chrono::microseconds(1'000));
    }
    return true;
}

}  // namespace

Result<FileLock> FileLock::open(const std::string& path) {
    const int fd = ::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0644);
    if (fd >= 0) return FileLock(fd);
    const int reason = errno;
    // Short of descriptors or memory it may succeed later; what is wrong with the path stays wrong.
    const bool may_pass = reason == EMFILE || reason == ENFILE || reason == ENOMEM ||
                          reason == ENOSPC || reason == EIO || reason == EINTR;
    return Error(may_pass ? Errc::unavailable : Errc::invalid_argument,
                 "cannot open the lock file " + path + ": " + std::strerror(reason));
}

FileLock::FileLock(FileLock&& other) noexcept : fd_(std::exchange(other.fd_, -1)) {}

FileLock::~FileLock() {
    if (fd_ >= 0) ::close(fd_);
}

bool FileLock::try_lock(Byte byte) const {
    struct flock lock = range(F_WRLCK, static_cast<std::uint8_t>(byte));
    int result = 0;
    do {
        result = ::fcntl(fd_, F_OFD_SETLK, &lock);
    } while (result != 0 && errno == EINTR);
    return result == 0;
}

void FileLock::unlock(Byte byte) const {
    struct flock lock = range(F_UNLCK, static_cast<std::uint8_t>(byte));
    ::fcntl(fd_, F_OFD_SETLK, &lock);
}

Result<void> FileLock::acquire(Millis timeout) {
    const auto deadline = SteadyClock::now() + timeout;
    if (!until_true(deadline, [&] { return try_lock(Byte::turnstile); })) {
        return Error(Errc::busy, "other processes are writing to the file");
    }
    const bool locked = until_true(deadline, [&] { return try_lock(Byte::write); });
    unlock(Byte::turnstile);
    if (!locked) return Error(Errc::busy, "another process is writing to the file");
    return {};
}

void FileLock::release() { unlock(Byte::write); }

void FileLock::announce_listener() {
    struct flock lock = range(F_RDLCK, static_cast<std::uint8_t>(Byte::listeners));
    ::fcntl(fd_, F_OFD_SETLK, &lock);
}

bool FileLock::others_listen() const {
    struct flock lock = range(F_WRLCK, static_cast<std::uint8_t>(Byte::listeners));
    // Our own lock is no conflict: it is of the same open file description.
    return ::fcntl(fd_, F_OFD_GETLK, &lock) == 0 && lock.l_type != F_UNLCK;
}

}  // namespace belay::sqlite
