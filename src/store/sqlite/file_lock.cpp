#include "store/sqlite/file_lock.hpp"

#include "store/sqlite/file_users.hpp"
#include "store/sqlite/side_file.hpp"

#include <fcntl.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
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
/// The kernel could block us until the lock is free, but not for a limited time, and a holder may
/// be stopped for any time. At most two try for each byte, so trying is cheap.
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

Result<FileLock> FileLock::open(const std::string& database) {
    const std::string path = database + "-lock";
    auto descriptor =
        std::make_unique<UnsharedDescriptor>(path, kOpeningBeside | O_CREAT, kModeOfNewFiles);
    if (descriptor->get() < 0) return cannot_open(path, database, errno);
    if (auto own = check_own(path, descriptor->get()); !own) return own.error();
    take_access_of(database, descriptor->get());
    return FileLock(std::move(descriptor));
}

Result<FileLock> FileLock::open_as_it_is(const std::string& database) {
    const std::string path = database + "-lock";
    auto descriptor = std::make_unique<UnsharedDescriptor>(path, kOpeningBeside, 0);
    if (descriptor->get() < 0) return cannot_open(path, database, errno);
    return FileLock(std::move(descriptor));
}

bool FileLock::try_lock(Byte byte) const {
    struct flock lock = range(F_WRLCK, static_cast<std::uint8_t>(byte));
    int result = 0;
    do {
        result = ::fcntl(descriptor_->get(), F_OFD_SETLK, &lock);
    } while (result != 0 && errno == EINTR);
    return result == 0;
}

void FileLock::unlock(Byte byte) const {
    struct flock lock = range(F_UNLCK, static_cast<std::uint8_t>(byte));
    ::fcntl(descriptor_->get(), F_OFD_SETLK, &lock);
}

Result<void> FileLock::acquire(Millis timeout) {
    if (!belongs_here()) return forked();
    const auto deadline = SteadyClock::now() + timeout;
    if (!until_true(deadline, [&] { return try_lock(Byte::turnstile); })) return busy();
    const bool locked = until_true(deadline, [&] { return try_lock(Byte::write); });
    unlock(Byte::turnstile);
    if (!locked) return busy();
    return {};
}

bool FileLock::try_acquire() {
    if (!try_lock(Byte::turnstile)) return false;
    const bool locked = try_lock(Byte::write);
    unlock(Byte::turnstile);
    return locked;
}

Error FileLock::forked() {
    return Error(Errc::store_lost,
                 "a store was open when this process was forked, and SQLite cannot be used in it "
                 "any more: call exec, or open the store in the child only");
}

Error FileLock::busy() const {
    const auto holder = holder_of_lock(descriptor_->get(), static_cast<int>(Byte::write));
    if (!holder) return Error(Errc::busy, "another process is writing to the file");
    return Error(Errc::busy,
                 "process " + std::to_string(holder->pid) + " (" + holder->program +
                     ") is writing to the file" +
                     (holder->stopped ? ", and is stopped: continue or end it" : ""));
}

void FileLock::release() { unlock(Byte::write); }

void FileLock::share(Byte byte) const {
    struct flock lock = range(F_RDLCK, static_cast<std::uint8_t>(byte));
    ::fcntl(descriptor_->get(), F_OFD_SETLK, &lock);
}

bool FileLock::others_have(Byte byte) const {
    struct flock lock = range(F_WRLCK, static_cast<std::uint8_t>(byte));
    // Our own lock is no conflict: it has the same open file description.
    return ::fcntl(descriptor_->get(), F_OFD_GETLK, &lock) == 0 && lock.l_type != F_UNLCK;
}

void FileLock::announce_listener() { share(Byte::listeners); }

bool FileLock::others_listen() const { return others_have(Byte::listeners); }

void FileLock::announce_follower(bool follows) {
    follows ? share(Byte::followers) : unlock(Byte::followers);
}

bool FileLock::others_follow() const { return others_have(Byte::followers); }

}  // namespace belay::sqlite
