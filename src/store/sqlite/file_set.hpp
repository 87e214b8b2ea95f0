// The files of an open store: whether each is still the one that its name stands for.
#pragma once

#include "store/sqlite/connection.hpp"
#include "store/sqlite/file_identity.hpp"
#include <belay/detail/mutex.hpp>

#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace belay::sqlite {

/// Notices that a file of the set was removed or replaced while it was open. A store that went on
/// would write where nobody looks, or over the commits of those who opened the new files.
///
/// The check is exact at two moments, both under the write lock:
/// - Before a write. Others commit under the same lock, and check their files behind their commit.
///   So if somebody committed with other files, ours are not at their names any more.
/// - Behind a commit, before it is answered. If our files are at their names then, whoever makes an
///   index of the log later finds the commit in the log.
///
/// Once a file was missing the store is lost for good, also if the file is put back. Thread-safe.
class FileSet {
public:
    /// `lock` and `news` are the descriptors of the files beside `path`.
    FileSet(std::string path, int lock, int news);

    /// Takes over the files that `connection`, which is in WAL mode, has open. The log and its
    /// index may be others than before, the database may not. They get the database's group.
    /// Returns `store_lost` if a file that this process has open is not the one at its name.
    [[nodiscard]] Result<void> adopt(Connection& connection);
    /// The connections are closed: from now on another program may remove the log and its index.
    void forget_log();

    /// Whether SQLite has the files that the file system shows; from the first connection on.
    [[nodiscard]] bool are_of_the_system() const {
        const detail::MutexLock lock(mutex_);
        return opened_ != nullptr;
    }

    /// For a moment before a write. Returns `store_lost` if a file was removed or replaced,
    /// `unavailable` if the file system does not say.
    [[nodiscard]] Result<void> check();
    /// For a moment behind a commit or a read: the same, of the database, its log and the index
    /// only.
    [[nodiscard]] Result<void> check_database();

private:
    struct Member {
        std::string path;
        FileIdentity identity;
    };
    using Members = std::vector<Member>;

    [[nodiscard]] Result<void> check(const Members& members);
    [[nodiscard]] Error lose(const std::string& path, const char* what) BELAY_EXCLUDES(mutex_);

    const std::string path_;
    Members beside_;  ///< The lock and the news, from the beginning on.
    mutable detail::Mutex mutex_;
    std::shared_ptr<const Members> opened_ BELAY_GUARDED_BY(mutex_);  ///< By SQLite.
    /// From the first connection on.
    std::optional<FileIdentity> database_ BELAY_GUARDED_BY(mutex_);
    std::optional<Error> lost_ BELAY_GUARDED_BY(mutex_);
};

}  // namespace belay::sqlite
