// The files of an open store, and the check that their names still lead to them.
#pragma once

#include "store/sqlite/connection.hpp"
#include "store/sqlite/file_identity.hpp"
#include <belay/detail/mutex.hpp>

#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace belay::sqlite {

/// Notices that a file of the set was removed or replaced while it was open. Without this, a store
/// would write where nobody looks, or over commits of processes that opened the new files.
///
/// The check is exact at two moments, both under the write lock:
/// - Before a write. Others commit under the same lock and check their files after the commit. So
///   ours are no longer at their names if another process committed with other files.
/// - After a commit, before it is answered. If our files are at their names then, a process that
///   later makes an index of the log finds the commit in the log.
///
/// The store is lost for good after a file was missing, even if the file is put back. Thread-safe.
class FileSet {
public:
    /// `lock` and `news` are the descriptors of the files beside `path`.
    FileSet(std::string path, int lock, int news);

    /// Takes over the files that `connection`, which is in WAL mode, has open. The log and its
    /// index may have changed; the database must not. They get the database's group. Returns
    /// `store_lost` if a file that this process has open is not the one at its name.
    [[nodiscard]] Result<void> adopt(Connection& connection);
    /// Called when the connections are closed: another program may remove the log and its index
    /// now.
    void forget_log();

    /// True if SQLite uses the files that the file system shows. Known from the first connection
    /// on.
    [[nodiscard]] bool are_of_the_system() const {
        const detail::MutexLock lock(mutex_);
        return opened_ != nullptr;
    }

    /// The check before a write. Returns `store_lost` if a file was removed or replaced. Returns
    /// `unavailable` if the file system cannot tell.
    [[nodiscard]] Result<void> check();
    /// The check after a commit or a read: the same, but only for the database, its log and the
    /// index.
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
    Members beside_;  ///< The lock and the news. Set from the beginning.
    mutable detail::Mutex mutex_;
    std::shared_ptr<const Members> opened_ BELAY_GUARDED_BY(mutex_);  ///< The files that SQLite
                                                                      ///< opened.
    /// Set by the first connection.
    std::optional<FileIdentity> database_ BELAY_GUARDED_BY(mutex_);
    std::optional<Error> lost_ BELAY_GUARDED_BY(mutex_);
};

}  // namespace belay::sqlite
