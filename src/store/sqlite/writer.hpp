// The one writer of a store: applies groups of requests, each group in one transaction.
#pragma once

#include "store/sqlite/file_lock.hpp"
#include "store/sqlite/file_set.hpp"
#include "store/sqlite/holders.hpp"
#include "store/sqlite/job.hpp"
#include "store/sqlite/news.hpp"
#include "store/sqlite/wal.hpp"

#include <atomic>
#include <chrono>
#include <memory>
#include <string>
#include <vector>

namespace belay::sqlite {

using Group = std::vector<std::unique_ptr<Job>>;

/// Used by one thread at a time: whoever leads.
class Writer {
public:
    Writer(std::string path, SqliteOptions options, Clock& clock, FileLock lock, News news);
    ~Writer();

    /// Opens the file and makes it ours.
    [[nodiscard]] Result<void> open();

    /// What became of a group; the requests are answered by the caller.
    struct Outcome {
        std::optional<Error> error;  ///< Of all of them; else each knows its own.
        store::Notices notices;
    };
    [[nodiscard]] Outcome commit(Group& group);

    /// Work that can wait until everyone is answered.
    void maintain();

    /// Counts the times that all connections had to be opened anew. Any thread.
    [[nodiscard]] std::uint64_t generation() const noexcept { return generation_.load(); }
    /// Whether a loss of power may take back what can be read: a commit whose sync failed is in the
    /// log as the kernel shows it, and nobody knows what of it is on the disk. Until the next group
    /// is tried, which begins by writing the log again. Any thread.
    [[nodiscard]] bool log_suspect() const noexcept { return log_suspect_.load(); }
    [[nodiscard]] FileLock& lock() noexcept { return lock_; }
    /// Marks the holders that are registered through this object. Any thread.
    [[nodiscard]] std::uint64_t registration() const noexcept { return holders_.registration(); }
    /// Behind a read: returns `store_lost` if the files that were read are no longer at their
    /// names, or if this process was forked from the one that opened them. Any thread.
    [[nodiscard]] Result<void> check_database();
    /// Any thread.
    [[nodiscard]] StoreCounts counts() const noexcept {
        return StoreCounts{rows_.load(), commits_.load(), durable_commits_.load()};
    }

private:
    void publish(const store::Notices& notices);
    enum class Phase : std::uint8_t { applying, committing };

    [[nodiscard]] Result<void> connect();
    /// Under the write lock, which was asked for at `began`: a connection, to files that are the
    /// store's.
    [[nodiscard]] Result<void> get_ready(std::chrono::steady_clock::time_point began);
    /// Before a write: the same, with the files beside the database.
    [[nodiscard]] Result<void> check_files();
    void apply(Group& group, Outcome& outcome);
    void disconnect() noexcept;
    void set_durable(bool durable);
    void commit(Transaction& transaction, Tables& tables);
    void apply_together(Group& group, Timestamp now, Phase& phase, store::Notices& notices);
    void apply_each(Group& group, Timestamp now, store::Notices& notices);
    /// Registers the holders that have got leases.
    void promise(const Job& job, Timestamp now);
    /// Before this object goes: takes back what it has registered.
    void withdraw_holders();
    [[nodiscard]] Error after_failure(const SqliteFailure& failure, Phase phase);
    /// A write or sync failed: everything is opened anew.
    void distrust();

    const std::string path_;
    const SqliteOptions options_;
    Clock& clock_;
    FileLock lock_;
    News news_;
    FileSet files_;
    Holders holders_;
    Sequence sequence_;
    std::unique_ptr<Connection> connection_;
    KnownLimits known_limits_;  ///< Of that connection, as what follows.
    KnownRuns known_runs_;
    std::unique_ptr<Wal> wal_;
    bool durable_ = true;  ///< What the connection is set to.
    /// A sync of it may have failed; before this process came, for all it knows.
    std::atomic<bool> log_suspect_{true};
    std::atomic<std::uint64_t> generation_{0};
    std::atomic<std::uint64_t> rows_{0};
    std::atomic<std::uint64_t> commits_{0};
    std::atomic<std::uint64_t> durable_commits_{0};
};

}  // namespace belay::sqlite
