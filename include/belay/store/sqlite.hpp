// A store in one SQLite file: durable, and for several processes of one machine at a time.
#pragma once

#include <belay/store/store.hpp>

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <utility>

namespace belay {

/// The moment when a commit is answered.
enum class Synchronous : std::uint8_t {
    full = 1,    ///< Once it is on the disk: nothing that was answered is lost.
    normal = 2,  ///< Once the kernel has it: a loss of power may take back the last commits, whole
                 ///< and in order. The crash of a process takes back nothing.
};

/// Options of a file. A class with setters, so that it can be made inside an awaited call.
class SqliteOptions {
public:
    SqliteOptions() = default;

    /// The moment when a commit is answered. Default: when it is on the disk.
    SqliteOptions& synchronous(Synchronous value) {
        synchronous_ = value;
        return *this;
    }
    /// Options of all stores.
    SqliteOptions& store(StoreOptions value) {
        store_ = value;
        return *this;
    }
    /// The time that a write waits for writes of other processes, also of programs that are not
    /// Belay's, before it answers `busy`. Default: 10 s.
    SqliteOptions& lock_timeout(Millis value) {
        lock_timeout_ = value;
        return *this;
    }
    /// The number of pages at which the log is written back into the file. Default: 4,000.
    SqliteOptions& checkpoint_pages(std::uint32_t value) {
        checkpoint_pages_ = value;
        return *this;
    }
    /// Grows the log ahead of use: a commit then waits for its data and not for the file's length.
    /// Default: on.
    SqliteOptions& preallocate(bool value) {
        preallocate_ = value;
        return *this;
    }

    /// Sets the thread that carries out commits. Default: the calling thread, unless another one
    /// already does so; then that one takes along what is asked meanwhile, as long as there is
    /// something. A thread that must stay free for further calls (a client under load) is a bad
    /// leader. With this option the store hands the work to `post` instead, which must have it
    /// called soon, once, on any thread, and not from inside `post`.
    SqliteOptions& lead_on(std::function<void(std::function<void()>)> post) {
        lead_on_ = std::move(post);
        return *this;
    }

    /// Returns the option, here and below.
    [[nodiscard]] Synchronous synchronous() const noexcept { return synchronous_; }
    [[nodiscard]] const StoreOptions& store() const noexcept { return store_; }
    [[nodiscard]] Millis lock_timeout() const noexcept { return lock_timeout_; }
    [[nodiscard]] std::uint32_t checkpoint_pages() const noexcept { return checkpoint_pages_; }
    [[nodiscard]] bool preallocate() const noexcept { return preallocate_; }
    [[nodiscard]] const std::function<void(std::function<void()>)>& lead_on() const noexcept {
        return lead_on_;
    }

private:
    Synchronous synchronous_ = Synchronous::full;
    StoreOptions store_;
    Millis lock_timeout_{10'000};
    std::uint32_t checkpoint_pages_ = 4'000;
    bool preallocate_ = true;
    std::function<void(std::function<void()>)> lead_on_;
};

/// Opens the store in the file `path`. The file is created if it does not exist, and upgraded in
/// place if an older release wrote it. Beside it appear `path`-wal and -shm (SQLite's), -lock (for
/// writers) and -news (for notifications). All belong to the file and are of use only together with
/// it. A symbolic link is followed.
///
/// If one of these files is removed or replaced, the store answers everything with `store_lost`
/// from then on. It does the same in a child that fork(2) makes while it is open, and no other
/// store can be opened there: SQLite's locks stay with the parent, and its memory of them is
/// copied. Leave the child with _exit(2) or exec(3).
///
/// Any number of processes of one machine may have it open. Within a process answers come on the
/// thread that asked or on another one that asks at the same time: there is no thread that writes.
/// So a callback must not wait for another answer.
///
/// `clock.wall()` is the store's "now". The clock must outlive the store. Fails with
/// - `unsupported` if the file is another program's, a newer release's, or empty and not made by
///   Belay;
/// - `corrupt` if it is no database or a damaged one;
/// - `invalid_argument` if it cannot be written to (see `make_read_only_sqlite_store`), is no
///   regular file or has several names (hard links);
/// - `busy` or `unavailable` if a retry may help.
[[nodiscard]] Result<std::unique_ptr<Store>> make_sqlite_store(
    const std::string& path,
    const SqliteOptions& options = SqliteOptions(),
    Clock& clock = system_clock());

}  // namespace belay
