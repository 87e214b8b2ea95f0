#include "sqlite_raw.hpp"

#include "bare.hpp"
#include "raw_schema.hpp"
#include "sqlite_file.hpp"

#include <algorithm>
#include <string>

namespace belay::bench {

namespace {

constexpr std::uint32_t kInstancesPerCommit = 100;
constexpr std::int64_t kLater = 4'000'000'000'000;
/// Children have the numbers from there on.
constexpr std::int64_t kFirstChild = 1'000'000'000;

// The rest of the 200 bytes of a row, besides its other columns.
const std::string kHistoryBytes(180, 'h');
const std::string kActivityBytes(110, 'a');
const std::string kInputBytes(16, 'i');

constexpr const char* kInsertRun =
    "insert into run (key, shard, status, execution, position, next_message, plain_messages, "
    "last_sent, message_room, activities, last_activity, not_before, lock_cancel_seen, attempts, "
    "unregistered, "
    "held, next_child, unsettled_children, stopping, settled, started_at, execution_at, "
    "event_count, history_bytes, commit_high, commit_low, custom_version, former, space, id, "
    "child_no, created_at, start_high, start_low, definition, version, owner, started_by, digest, "
    "input_codec, input_flags, input) values (?1, 1, 2, 1, 3, 1, 0, 0, 0, 1, 1, 0, 0, 0, 0, 0, 1, "
    "0, "
    "0, 0, ?2, ?2, 3, 200, ?1, ?1, 0, 0, 'default', ?3, 0, ?2, ?1, ?1, 'Single', '1', 'default', "
    "'', x'', 1, 0, ?4)";
constexpr const char* kUpdateRun =
    "update run set position = ?2, event_count = ?2, history_bytes = ?2, commit_high = ?2, "
    "last_activity = ?2 where key = ?1";
constexpr const char* kEndRun =
    "update run set status = 4, position = ?2, event_count = ?2, history_bytes = ?2, commit_high = "
    "?2, activities = 0, settled = 1, ended_at = ?3, outcome = ?4 where key = ?1";
constexpr const char* kInsertHistory =
    "insert into history (run, execution, first_event, count, format, bytes) "
    "values (?1, 1, ?2, 3, 1, ?3)";
constexpr const char* kInsertActivity =
    "insert into activity (run, execution, command, shard, waits_until, visible_at, holder, "
    "serial, leased_until, worker, attempt, unregistered, shielded, rank, sequence, queue, name, "
    "fairness_key, codec, flags, bytes) values (?1, 1, ?2, 1, ?3, ?3, ?1, ?2, ?3, 'worker', 1, 0, "
    "0, 0, ?1, '', 'Step', '', 1, 0, ?4)";
constexpr const char* kInsertMessage =
    "insert into message (run, number, sent_at, kind, execution, command, name, codec, flags, "
    "bytes, ready_from) values (?1, ?2, ?3, 1, 1, 1, '', 1, 0, ?4, ?3)";
constexpr const char* kDeleteMessage = "delete from message where run = ?1 and number = ?2";
constexpr const char* kInsertValue =
    "insert or replace into key_value (run, key, codec, flags, bytes) values (?1, ?2, 1, 0, ?3)";
constexpr const char* kDeleteActivity =
    "delete from activity where run = ?1 and execution = 1 and command = ?2";

/// The path of a file that has the tables of raw_schema.sql.
std::string made(const SqliteFile& file) {
    sqlite::Connection connection(file.path(), sqlite::Access::write, SqliteOptions());
    connection.execute("pragma page_size = 8192");
    connection.execute("pragma journal_mode = wal");
    connection.execute("begin");
    connection.execute(kRawSchema);
    connection.execute("commit");
    return file.path();
}

}  // namespace

class RawRows::Impl {
public:
    Impl(const Workload& workload, Synchronous synchronous)
        : workload_(workload), bare_(made(file_), synchronous) {}

    void take_through(std::uint32_t instances) {
        for (std::uint32_t done = 0; done < instances; done += kInstancesPerCommit) {
            const std::int64_t count = std::min(kInstancesPerCommit, instances - done);
            take_group(next_, count);
            next_ += count;
        }
    }

private:
    void take_group(std::int64_t first, std::int64_t count) {
        stage(first, count, [this](std::int64_t key) { start(key); });
        for (std::uint32_t round = 1; round < workload_.rounds; ++round) {
            stage(first, count, [this, round](std::int64_t key) { take_round(key, round); });
        }
        if (workload_.children + workload_.messages > 0) {
            stage(first, count, [this](std::int64_t key) { hear(key); });
        }
        stage(first, count, [this](std::int64_t key) { end(key); });
    }

    template <class Each>
    void stage(std::int64_t first, std::int64_t count, Each each) {
        bare_.begin();
        for (std::int64_t key = first; key < first + count; ++key) each(key);
        bare_.commit();
    }

    void start(std::int64_t key) {
        begin(key);
        run(insert_history_, key, std::int64_t(1), kHistoryBytes);
        for (std::uint32_t i = 0; i < workload_.values; ++i) {
            run(insert_value_, key, Text{std::to_string(i)}, kInputBytes);
        }
        for (std::uint32_t i = 1; i <= workload_.width; ++i) {
            run(insert_activity_, key, std::int64_t(i), kLater, kActivityBytes);
        }
        if (workload_.children > 0) begin(kFirstChild + key);
    }
    void begin(std::int64_t key) {
        const std::string digits = std::to_string(key);
        const std::string id = "run-" + std::string(32 - digits.size(), '0') + digits;
        run(insert_run_, key, kLater, Text{id}, kInputBytes);
    }
    /// A child ends and tells its parent, or a client sends something.
    void hear(std::int64_t key) {
        if (workload_.children > 0) {
            run(insert_history_, kFirstChild + key, std::int64_t(1), kHistoryBytes);
            run(end_run_, kFirstChild + key, std::int64_t(3), kLater, kInputBytes);
        }
        run(insert_message_, key, std::int64_t(1), kLater, kInputBytes);
        run(update_run_, key, std::int64_t(1));
    }
    void take_round(std::int64_t key, std::int64_t round) {
        run(delete_activity_, key, round);
        run(insert_history_, key, 1 + 3 * round, kHistoryBytes);
        run(insert_activity_, key, round + 1, kLater, kActivityBytes);
        run(update_run_, key, 3 * round);
    }
    void end(std::int64_t key) {
        const std::int64_t round = workload_.rounds;
        for (std::uint32_t i = 0; i < workload_.width; ++i) {
            run(delete_activity_, key, round + static_cast<std::int64_t>(i));
        }
        if (workload_.children + workload_.messages > 0) {
            run(delete_message_, key, std::int64_t(1));
        }
        run(insert_history_, key, 1 + 3 * round, kHistoryBytes);
        run(end_run_, key, 3 * round, kLater, kInputBytes);
    }

    const Workload& workload_;
    SqliteFile file_;
    Bare bare_;
    sqlite3_stmt* insert_run_ = bare_.prepare(kInsertRun);
    sqlite3_stmt* update_run_ = bare_.prepare(kUpdateRun);
    sqlite3_stmt* end_run_ = bare_.prepare(kEndRun);
    sqlite3_stmt* insert_history_ = bare_.prepare(kInsertHistory);
    sqlite3_stmt* insert_activity_ = bare_.prepare(kInsertActivity);
    sqlite3_stmt* delete_activity_ = bare_.prepare(kDeleteActivity);
    sqlite3_stmt* insert_message_ = bare_.prepare(kInsertMessage);
    sqlite3_stmt* delete_message_ = bare_.prepare(kDeleteMessage);
    sqlite3_stmt* insert_value_ = bare_.prepare(kInsertValue);
    std::int64_t next_ = 1;
};

RawRows::RawRows(const Workload& workload, Synchronous synchronous)
    : impl_(std::make_unique<Impl>(workload, synchronous)) {}
RawRows::~RawRows() = default;

double RawRows::per_second(std::uint32_t instances) {
    const Instant begin = SteadyClock::now();
    impl_->take_through(instances);
    return instances / seconds_between(begin, SteadyClock::now());
}

class BareCommits::Impl {
public:
    explicit Impl(Synchronous synchronous) : bare_(made(file_), synchronous) {}

    double commit_ms() {
        const Instant begin = SteadyClock::now();
        bare_.begin();
        run(insert_, ++last_, std::int64_t(1), kHistoryBytes);
        bare_.commit();
        return seconds_between(begin, SteadyClock::now()) * 1000;
    }

private:
    SqliteFile file_;
    Bare bare_;
    sqlite3_stmt* insert_ = bare_.prepare(kInsertHistory);
    std::int64_t last_ = 0;
};

BareCommits::BareCommits(Synchronous synchronous) : impl_(std::make_unique<Impl>(synchronous)) {}
BareCommits::~BareCommits() = default;

double BareCommits::commit_ms() { return impl_->commit_ms(); }

}  // namespace belay::bench
