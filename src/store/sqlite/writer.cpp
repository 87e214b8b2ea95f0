#include "store/sqlite/writer.hpp"

#include "store/sqlite/location.hpp"
#include "store/sqlite/schema.hpp"

namespace belay::sqlite {

namespace {

/// The longest wait for the lock at closing. The process that has it may stand still.
constexpr Millis kMostWaitAtClosing{1'000};

template <class One>
void append(std::vector<One>& to, const std::vector<One>& from) {
    to.insert(to.end(), from.begin(), from.end());
}

void append(store::Notices& to, const store::Notices& from) {
    to.instances_ready |= from.instances_ready;
    to.activities_ready |= from.activities_ready;
    append(to.stopped, from.stopped);
    append(to.ended, from.ended);
    append(to.settled, from.settled);
    append(to.custom_status, from.custom_status);
    append(to.key_values, from.key_values);
    append(to.runs, from.runs);
}

bool is_durable(const Group& group) {
    return std::any_of(group.begin(), group.end(), [](const auto& job) { return job->durable(); });
}

Error cut_off_log() {
    return Error(Errc::corrupt,
                 "the log is shorter than its index says: it was removed or cut off while other "
                 "processes had it open. End them all, then start them again");
}

}  // namespace

Writer::Writer(
    std::string path, SqliteOptions options, Clock& clock, FileLock lock, NoticeFile news)
    : path_(std::move(path)),
      options_(std::move(options)),
      clock_(clock),
      lock_(std::move(lock)),
      news_(std::move(news)),
      files_(path_, lock_.descriptor(), news_.descriptor()),
      holders_(path_) {}

Writer::~Writer() {
    if (!holders_.empty()) withdraw_holders();
    // The file alone then holds everything. People who copy it expect that.
    if (wal_ != nullptr && lock_.try_acquire()) {
        const HeldLock held(lock_);
        if (check_files()) wal_->checkpoint();
    }
    disconnect();
}

/// Unregisters the holders. An abandoned handler may run on in this process after this store is
/// closed, so its holder must not seem dead. If a holder cannot be unregistered, it keeps its lock.
void Writer::withdraw_holders() {
    if (!lock_.belongs_here()) return;
    bool withdrawn = false;
    if (connection_ != nullptr &&
        lock_.acquire(std::min(options_.lock_timeout(), kMostWaitAtClosing))) {
        const HeldLock held(lock_);
        try {
            if (check_files()) {
                set_durable(false);
                Transaction transaction(*connection_, Transaction::Kind::write);
                holders_.withdraw(*connection_);
                transaction.commit();
                withdrawn = true;
            }
        } catch (const SqliteFailure&) {
            withdrawn = false;
        }
    }
    if (!withdrawn) holders_.leave_behind();
}

Result<void> Writer::open() {
    if (auto locked = lock_.acquire(options_.lock_timeout()); !locked) return locked;
    const HeldLock held(lock_);
    return connect();
}

Result<void> Writer::connect() {
    try {
        if (auto seen = refuse_cut_off(path_); !seen) return seen;
        auto connection = std::make_unique<Connection>(path_, Access::write, options_);
        if (auto ready = prepare_file(*connection); !ready) return ready;
        // The first read makes the log, which a copy made by VACUUM INTO does not have yet.
        connection->execute("select count(*) from sqlite_schema");
        if (auto adopted = files_.adopt(*connection); !adopted) return adopted;
        if (log_is_cut_off(*connection)) return cut_off_log();
        if (log_suspect_) write_log_again(*connection);
        log_suspect_ = false;
        connection_ = std::move(connection);
        wal_ = std::make_unique<Wal>(*connection_, options_);
        durable_ = options_.synchronous() == Synchronous::full;
        return {};
    } catch (const SqliteFailure& failure) {
        // A page that the index has in the log is not there.
        if (failure.code() == SQLITE_IOERR_SHORT_READ) return cut_off_log();
        return to_error(failure);
    }
}

void Writer::disconnect() noexcept {
    wal_.reset();
    connection_.reset();
    files_.forget_log();
    queue_limits_.forget();
    known_runs_.forget();
}

void Writer::set_durable(bool durable) {
    if (options_.synchronous() != Synchronous::full || durable == durable_) return;
    connection_->execute(durable ? "pragma synchronous = full" : "pragma synchronous = normal");
    durable_ = durable;
}

auto Writer::commit(Group& group) -> Outcome {
    Outcome outcome;
    const auto began = std::chrono::steady_clock::now();
    if (auto locked = lock_.acquire(options_.lock_timeout()); !locked) {
        outcome.error = locked.error();
        return outcome;
    }
    const HeldLock held(lock_);
    if (auto ready = get_ready(began); !ready) {
        outcome.error = ready.error();
        return outcome;
    }
    apply(group, outcome);
    if (auto whole = check_database(); !whole && !outcome.error) {
        // The commit may be in a file that nobody reads.
        outcome.error = Error(Errc::outcome_unknown, whole.error().message());
    }
    publish(outcome.notices);
    return outcome;
}

/// Publishes only notices for which there are listeners in other processes.
void Writer::publish(const store::Notices& notices) {
    if (!lock_.others_listen()) return;
    if (notices.runs.empty() || lock_.others_follow()) {
        news_.publish(notices);
        return;
    }
    store::Notices without_runs = notices;
    without_runs.runs.clear();
    news_.publish(without_runs);
}

Result<void> Writer::check_database() {
    if (!lock_.belongs_here()) return FileLock::forked();
    return files_.check_database();
}

Result<void> Writer::check_files() {
    if (!lock_.belongs_here()) return FileLock::forked();
    return files_.check();
}

Result<void> Writer::get_ready(std::chrono::steady_clock::time_point began) {
    if (connection_ == nullptr) {
        if (auto connected = connect(); !connected) return connected;
    } else if (auto whole = check_files(); !whole) {
        return whole;
    }
    // One wait covers both locks: ours, and that of programs which do not know it.
    const auto waited = std::chrono::steady_clock::now() - began;
    connection_->set_patience(options_.lock_timeout() - std::chrono::duration_cast<Millis>(waited));
    return {};
}

void Writer::apply(Group& group, Outcome& outcome) {
    // Read under the lock: then a later commit does not have an earlier time.
    const Timestamp now = clock_.wall();
    Phase phase = Phase::applying;
    try {
        set_durable(is_durable(group));
        apply_together(group, now, phase, outcome.notices);
    } catch (const SqliteFailure& failure) {
        holders_.drop();
        if (phase == Phase::applying && concerns_one_change(failure)) {
            apply_each(group, now, outcome.notices);
        } else {
            outcome.error = after_failure(failure, phase);
        }
    }
}

void Writer::promise(const Job& job, Timestamp now) {
    // A file system of its own, as in a test, has no process that could die.
    if (!files_.are_of_the_system()) return;
    job.each_promise([&](std::uint64_t holder, Millis lease) {
        holders_.promise(*connection_, holder, now, lease);
    });
}

void Writer::commit(Transaction& transaction, Tables& tables) {
    queue_limits_.commit(*connection_, transaction);
    known_runs_.keep(*connection_, tables.take_runs());
    holders_.keep();
    const std::uint64_t rows = transaction.changes();
    if (rows == 0) return;
    rows_ += rows;
    ++commits_;
    if (durable_) ++durable_commits_;
}

void Writer::apply_together(Group& group, Timestamp now, Phase& phase, store::Notices& notices) {
    Transaction transaction(*connection_, Transaction::Kind::write);
    known_runs_.begin(*connection_);
    Tables tables(*connection_, sequence_, queue_limits_, known_runs_, now);
    for (const auto& job : group) {
        for (std::size_t piece = 0; piece < job->pieces(); ++piece) {
            job->apply(piece, tables, options_.store());
        }
        promise(*job, now);
    }
    tables.finish();
    phase = Phase::committing;
    commit(transaction, tables);
    notices = std::move(tables.notices);
}

/// Tries the changes of a group one by one, because one of them cannot be written. Only the attempt
/// shows which one, and the others must not suffer from it.
void Writer::apply_each(Group& group, Timestamp now, store::Notices& notices) {
    for (const auto& job : group) {
        for (std::size_t piece = 0; piece < job->pieces(); ++piece) {
            Phase phase = Phase::applying;
            try {
                if (connection_ == nullptr) {
                    if (auto connected = connect(); !connected) {
                        job->fail(piece, connected.error());
                        continue;
                    }
                }
                Transaction transaction(*connection_, Transaction::Kind::write);
                known_runs_.begin(*connection_);
                Tables tables(*connection_, sequence_, queue_limits_, known_runs_, now);
                job->apply(piece, tables, options_.store());
                promise(*job, now);
                tables.finish();
                phase = Phase::committing;
                commit(transaction, tables);
                append(notices, tables.notices);
            } catch (const SqliteFailure& failure) {
                job->fail(piece, after_failure(failure, phase));
            }
        }
    }
}

Error Writer::after_failure(const SqliteFailure& failure, Phase phase) {
    holders_.drop();
    const Error error = phase == Phase::committing ? to_commit_error(failure) : to_error(failure);
    if (error.outcome_unknown() || needs_reopening(failure)) distrust();
    return error;
}

void Writer::distrust() {
    // Set before the connection is closed, in this order. The index of the log goes with the last
    // connection, and a process that makes it anew finds the failed commit. By then readers must be
    // able to tell.
    log_suspect_ = true;
    ++generation_;
    disconnect();
}

void Writer::maintain() {
    if (wal_ == nullptr || !wal_->wants_maintenance()) return;
    if (!lock_.acquire(options_.lock_timeout())) return;
    const HeldLock held(lock_);
    if (!check_files()) return;
    if (!wal_->maintain()) distrust();
}

}  // namespace belay::sqlite
