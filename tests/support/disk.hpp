// A disk in memory that fails on command, and SQLite's way to it.
#pragma once

#include "support/disk_file.hpp"

#include <sqlite3.h>

#include <array>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

namespace belay::support {

/// While it exists, all files that SQLite opens below `directory` in this process are on it. All
/// others are real files. Deterministic: its decisions come from `chance`. Thread-safe.
class Disk {
public:
    enum class Operation : std::uint8_t { read, write, sync };
    enum class Files : std::uint8_t { log, all };  ///< The log is where commits go.

    Disk(std::string directory, Chance chance);
    ~Disk();
    Disk(const Disk&) = delete;
    Disk& operator=(const Disk&) = delete;

    // ---- Failures ----

    /// After `after` of these operations that succeed, the next `count` fail with `code`.
    void fail(
        Operation operation, int code, int count = 1, int after = 0, Files files = Files::log);
    /// No operation fails any more; there is room again, and the power stays on.
    void heal();
    /// From then on, everything that makes a file longer fails, if `full`.
    void set_full(bool full);
    /// From then on everything fails until `power_on`: after so many writes and syncs.
    void power_off_after(int operations);
    [[nodiscard]] bool powered() const;
    /// Nobody has the files open any more. If the power was off, they have the content that was on
    /// the disk. SQLite's shared memory is gone in any case.
    void power_on();
    /// The processes that have the files open are gone; their writes are not.
    void kill_users();

    /// A disk that says that it synced and did not.
    void set_lying(bool lying);

    /// While it exists nothing fails, and nothing counts.
    class Quiet {
    public:
        explicit Quiet(Disk& disk) : disk_(disk), before_(disk.set_quiet(true)) {}
        ~Quiet() { disk_.set_quiet(before_); }
        Quiet(const Quiet&) = delete;
        Quiet& operator=(const Quiet&) = delete;

    private:
        Disk& disk_;
        const bool before_;
    };

    [[nodiscard]] int failures() const;
    [[nodiscard]] std::uint64_t failures(Operation operation) const;
    /// The number of writes and syncs so far.
    [[nodiscard]] std::uint64_t operations() const;
    /// As if nothing had ever been written. Nobody has a file open.
    void forget_files();
    /// Removes the log of the database at `path`: data that is not in the file is gone.
    void forget_log(const std::string& path);
    /// A file that was there before, and is on the disk.
    void put_file(const std::string& path, const std::string& content);
    /// For a test that looks at a file, or damages it; null when it is not there.
    [[nodiscard]] DiskFile* file(const std::string& path);

private:
    friend class DiskVfs;
    struct Shared;
    struct Node;
    struct Handle;
    struct Plan {
        int code = SQLITE_OK;
        int after = 0;
        int left = 0;
        Files files = Files::log;
    };
    using NodePtr = std::shared_ptr<Node>;

    int open(const char* name, sqlite3_file* memory, int flags, int* out);
    int remove(const std::string& name, bool sync);
    [[nodiscard]] bool exists(const std::string& name);

    int close(Handle& handle);
    int read(Handle& handle, char* to, std::size_t size, std::size_t at);
    int write(Handle& handle, const char* data, std::size_t size, std::size_t at);
    int truncate(Handle& handle, std::size_t size);
    int sync(Handle& handle);
    int lock(Handle& handle, int level);
    int map_shared(Handle& handle, std::size_t region, std::size_t size, bool extend, void** out);
    int lock_shared(Handle& handle, int first, int count, int flags);
    void unmap_shared(Handle& handle);

    /// True if the handle can be used at all.
    [[nodiscard]] bool usable(const Handle& handle) const;
    [[nodiscard]] int planned(Operation operation, const Handle& handle);
    /// Counts down to the loss of power. Returns false if it is lost.
    [[nodiscard]] bool spend();
    bool set_quiet(bool quiet);
    void sync_directory();
    void forget_users();

    const std::string directory_;
    const Chance chance_;
    mutable std::mutex mutex_;
    std::map<std::string, NodePtr> nodes_;
    std::map<std::string, NodePtr> removed_;  ///< ... and a loss of power may bring them back.
    std::array<Plan, 3> plans_;
    bool quiet_ = false;
    bool lying_ = false;
    bool full_ = false;
    bool powered_ = true;
    std::optional<int> power_left_;
    std::array<std::uint64_t, 3> failures_{};
    std::uint64_t operations_ = 0;
};

}  // namespace belay::support
