// Examines a file to find out what is wrong with it. Changes nothing in it.
#pragma once

#include <belay/error.hpp>
#include <belay/time.hpp>

#include <sys/types.h>

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace belay::sqlite {

/// The schema that this release writes.
[[nodiscard]] std::int64_t known_schema_version() noexcept;

/// Several of a kind, with the time and the name of the oldest.
struct Found {
    std::uint64_t count = 0;
    std::optional<Timestamp> oldest{};
    std::string name{};
};

/// A process that has the file open.
struct FileUser {
    int pid = 0;
    std::string program;
    bool ours = false;  ///< It has the lock file open too: a program of Belay.
    /// A file of the set that it has open and that was removed since; empty if there is none.
    std::string removed{};
};

/// The users that the mode and the group of a file let in.
struct FileAccess {
    mode_t mode = 0;  ///< The bits for reading and writing.
    gid_t group = 0;
    bool operator==(const FileAccess&) const = default;
};

/// A file beside the database: "-wal", "-shm", "-lock" or "-news".
struct FileBeside {
    std::string suffix;
    FileAccess access;
    bool usable = false;  ///< This user may read and write it.
};

enum class FileSystem : std::uint8_t {
    local = 1,
    unsure,   ///< Locks may hold or not: FUSE, 9P.
    network,  ///< Locks and shared memory of other machines are not seen.
};

/// Classifies a number of statfs(2).
[[nodiscard]] FileSystem file_system_of(std::uint64_t magic) noexcept;

/// Facts that are known without reading the file.
struct FileFacts {
    bool exists = false;
    bool regular = false;
    bool readable = false;
    bool writable = false;
    bool directory_writable = false;  ///< The log and the lock are beside it.
    std::uint64_t names = 0;          ///< Hard links.
    FileAccess access;
    std::vector<FileBeside> beside;  ///< Those that exist.
    std::uint64_t bytes = 0;
    std::uint64_t log_bytes = 0;
    std::uint64_t free_bytes = 0;
    FileSystem file_system = FileSystem::local;
    std::vector<FileUser> users;  ///< As far as this user may see; without this process.
};

/// An activity for which this many workers in a row had no code is not just waiting for a deploy:
/// with the back-off of Policy that takes about five minutes.
inline constexpr std::uint32_t kTriesWithoutCode = 10;

/// Facts from the rows.
struct RowFacts {
    std::optional<Timestamp> newest;
    Found expired_activities;
    Found expired_turns;
    Found ready_runs;
    Found ready_activities;
    Found code_missing;
    Found activity_code_missing;  ///< Tried kTriesWithoutCode times or more, and held by nobody.
    Found overran;                ///< A turn of them ran past its limit, and they are retried once.
    Found paused;                 ///< Queues and definitions.
    Found held;
    Found dead_letters;
    Found stopping;
};

struct Examination {
    FileFacts file;
    /// Set if it is not a database, is another program's or a newer release's, or cannot be opened.
    /// The fields below are then unknown.
    std::optional<Error> trouble;
    /// False if nothing in the file says that Belay made it.
    bool ours = true;
    std::int64_t schema_version = 0;
    std::optional<Error> own_lock;      ///< Another process of Belay did not let go of it in time.
    std::optional<Error> foreign_lock;  ///< A program that does not know our lock writes.
    std::vector<std::string> damage;    ///< The first problems that `pragma quick_check` reports.
    std::optional<RowFacts> rows;
};

/// Examines the file `path`, as of `now`; waits at most `patience` for writers. Creates no file
/// that does not exist.
[[nodiscard]] Examination examine(const std::string& path, Timestamp now, Millis patience);

}  // namespace belay::sqlite
