// The one writer of a store: applies groups of requests, each group in one transaction.
#pragma once

#include "store/sqlite/file_lock.hpp"
#include "store/sqlite/file_set.hpp"
#include "store/sqlite/holders.hpp"
#include "store/sqlite/job.hpp"
#include "store/sqlite/notice_file.hpp"
#include "store/sqlite/wal.hpp"

#include <atomic>
#include <chrono>
#include <memory>
#include <string>
#include <vector>

namespace belay::sqlite {

using Group = std::vector<std::unique_ptr<Job>>;

/// Used by one thread at a time: the leader.
class Writer {
public:
    Writer(std::string path, SqliteOptions options, Clock& clock, FileLock lock, NoticeFile news);
    ~Writer();

    /// Opens the file and makes it ours.
    [[nodiscard]] Result<void> open();

    /// The outcome of a group. The caller answers the requests.
    struct Outcome {
        std::optional<Error> error;  ///< An error of all requests. Otherwise each has its own.
        store::Notices notices;
    };
    [[nodiscard]] Outcome commit(Group& group);

    /// Does work that can wait until everyone is answered.
    void maintain();

    /// Returns how often all connections had to be reopened. Any thread.
    [[nodiscard]] std::uint64_t generation() const noexcept { return generation_.load(); }
    /// True if a loss of power may take back what can be read. Then the log shows a commit whose
    /// sync failed, and nobody knows how much of it is on the disk. Lasts until the next group is
    /// tried, which begins by writing the log again. Any thread.
    [[nodiscard]] bool log_suspect() const noexcept { return log_suspect_.load(); }
    [[nodiscard]] FileLock& lock() noexcept { return lock_; }
    /// The mark of the holders that this object registers. Any thread.
    [[nodiscard]] std::uint64_t registration() const noexcept { return holders_.registration(); }
    /// The check after a read. Returns `store_lost` if the files that were read are no longer at
    /// their names, or if this process was forked from the one that opened them. Any thread.
    [[nodiscard]] Result<void> check_database();
    /// Any thread.
    [[nodiscard]] StoreCounts counts() const noexcept {
        return StoreCounts{rows_.load(), commits_.load(), durable_commits_.load()};
    }

private:
    void publish(const store::Notices& notices);
    enum class Phase : std::uint8_t { applying, committing };

    [[nodiscard]] Result<void> connect();
    /// Called under the write lock, which was asked for at `began`. Gets a connection to files that
    /// are the store's.
    [[nodiscard]] Result<void> get_ready(std::chrono::steady_clock::time_point began);
    /// The check before a write: the same, with the files beside the database.
    [[nodiscard]] Result<void> check_files();
    void apply(Group& group, Outcome& outcome);
    void disconnect() noexcept;
    void set_durable(bool durable);
    void commit(Transaction& transaction, Tables& tables);
    void apply_together(Group& group, Timestamp now, Phase& phase, store::Notices& notices);
    void apply_each(Group& group, Timestamp now, store::Notices& notices);
    /// Registers the holders that have got leases.
    void promise(const Job& job, Timestamp now);
    /// Called before this object is destroyed. Removes what it has registered.
    void withdraw_holders();
    [[nodiscard]] Error after_failure(const SqliteFailure& failure, Phase phase);
    /// Called after a failed write or sync: everything is reopened.
    void distrust();

    const std::string path_;
    const SqliteOptions options_;
    Clock& clock_;
    FileLock lock_;
    NoticeFile news_;
    FileSet files_;
    Holders holders_;
    Sequence sequence_;
    std::unique_ptr<Connection> connection_;
    QueueLimitsCache queue_limits_;  ///< For that connection, like the following two.
    KnownRuns known_runs_;
    std::unique_ptr<Wal> wal_;
    bool durable_ = true;  ///< The setting of the connection.
    /// True if a sync of the log may have failed, perhaps before this process began.
    std::atomic<bool> log_suspect_{true};
    std::atomic<std::uint64_t> generation_{0};
    std::atomic<std::uint64_t> rows_{0};
    std::atomic<std::uint64_t> commits_{0};
    std::atomic<std::uint64_t> durable_commits_{0};
};

}  // namespace belay::sqlite
