#include "store/sqlite/sqlite_store.hpp"

#include "store/sqlite/glance.hpp"
#include "store/sqlite/location.hpp"
#include "store/sqlite/reads.hpp"

#include <algorithm>
#include <iterator>

namespace belay::sqlite {

namespace {

/// The largest group. A larger one saves nothing more, and its first request waits for the last.
constexpr std::size_t kGroupPieces = 512;

/// The number of groups after which another waiting thread may relieve the leader. Others may need
/// the leader's thread for other work.
constexpr std::uint32_t kMostGroups = 16;

}  // namespace

StoreCore::StoreCore(const std::string& path,
                     const SqliteOptions& options,
                     Clock& clock,
                     FileLock lock,
                     NoticeFile news)
    : clock_(clock),
      post_(options.lead_on()),
      writer_(path, options, clock, std::move(lock), std::move(news)),
      readers_(path, options) {}

void StoreCore::submit(std::unique_ptr<Job> job) {
    // A forked child has neither the leader's thread nor the thread that would release the mutex.
    if (!writer_.lock().belongs_here()) return job->answer(FileLock::forked());
    const std::shared_ptr<StoreCore> alive = shared_from_this();
    {
        const detail::MutexLock lock(mutex_);
        queue_.push_back(std::move(job));
        if (leading_ && !take_over()) return;
        leading_ = true;
        leader_ = std::this_thread::get_id();
        led_ = 0;
    }
    if (post_) {
        post_([alive] { alive->lead(); });
    } else {
        lead();
    }
}

/// Waits until a leader that has led for long stops. Returns false if it goes on.
bool StoreCore::take_over() {
    // A caller that is answered may commit on the leader's own thread.
    const bool own = leader_ == std::this_thread::get_id();
    if (post_ || own || successor_ || led_ < kMostGroups) return false;
    successor_ = true;
    while (!handed_over_) succession_.wait(mutex_);
    successor_ = false;
    handed_over_ = false;
    return true;
}

Group StoreCore::next_group() {
    // Activities in line are claimed before new ones are added. Then new ones can be handed over.
    Group group;
    Group durable;
    const detail::MutexLock lock(mutex_);
    if (successor_) {
        handed_over_ = true;
        succession_.notify_one();
        return group;
    }
    for (std::size_t pieces = 0; !queue_.empty() && pieces < kGroupPieces;) {
        std::unique_ptr<Job>& next = queue_.front();
        pieces += next->pieces();
        (next->durable() ? durable : group).push_back(std::move(next));
        queue_.pop_front();
    }
    std::move(durable.begin(), durable.end(), std::back_inserter(group));
    ++led_;
    if (group.empty()) leading_ = false;
    return group;
}

/// Leads until the queue is empty or another thread relieves the leader, because nobody else may
/// come. It stays leader while it answers. The next requests of the answered callers gather and
/// make one group.
void StoreCore::lead() noexcept {
    while (true) {
        Group group = next_group();
        if (group.empty()) return;
        const Writer::Outcome outcome = writer_.commit(group);
        listeners_.tell(outcome.notices);
        for (const auto& job : group) job->answer(outcome.error);
        writer_.maintain();
    }
}

namespace {

ReadAnswer answer_of(Connection& connection, const Read& request, Timestamp now) {
    return std::visit(
        [&]<class Request>(const Request& one) {
            return wrap_answer<Request>(sqlite::read(connection, one, now));
        },
        request);
}

}  // namespace

Result<ReadDeadHolders::Answer> StoreCore::dead_holders(std::uint64_t generation) {
    ReadDeadHolders::Answer answer;
    const int descriptor = writer_.lock().descriptor();
    const auto place = life_place_of(descriptor);
    if (!place) return answer;
    const auto before = readers_.with(generation, read_holders);
    if (!before) return before.error();
    std::vector<RegisteredHolder> suspects;
    for (const RegisteredHolder& one : *before) {
        // The holder is of another file, or another kernel keeps its lock: nobody here can know.
        if (one.registration == writer_.registration() || one.place != *place) continue;
        if (is_life_held(descriptor, one.holder)) {
            ++answer.others;
        } else {
            suspects.push_back(one);
        }
    }
    if (suspects.empty()) return answer;
    // A store that was closed in order removed its row before it released the lock.
    const auto after = readers_.with(generation, read_holders);
    if (!after) return after.error();
    for (const RegisteredHolder& one : suspects) {
        const bool still = std::find(after->begin(), after->end(), one) != after->end();
        if (still) answer.dead.push_back(one.holder);
    }
    return answer;
}

Result<ReadAnswer> StoreCore::answer(const Read& request, std::uint64_t generation) {
    if (std::holds_alternative<ReadDeadHolders>(request)) {
        auto found = dead_holders(generation);
        if (!found) return found.error();
        return wrap_answer<ReadDeadHolders>(std::move(*found));
    }
    const Timestamp now = clock_.wall();
    return readers_.with(
        generation, [&](Connection& connection) { return answer_of(connection, request, now); });
}

std::optional<Result<ReadAnswer>> StoreCore::read_what_is_safe(const Read& request) {
    // Check this before any lock that another thread may have held when this process was forked.
    if (!writer_.lock().belongs_here()) return FileLock::forked();
    const std::uint64_t generation = writer_.generation();
    if (writer_.log_suspect()) return std::nullopt;
    auto found = answer(request, generation);
    // A commit failed meanwhile, and this read may have been the first to see its effects.
    if (writer_.generation() != generation) return std::nullopt;
    // The read used an index that others no longer update. It may be old or inconsistent.
    if (auto whole = writer_.check_database(); !whole) return whole.error();
    return found;
}

/// Reads beside the writer. After a failed write or sync it reads behind the writer, because the
/// values must not be lost any more: a caller who is told that a run has ended must be able to rely
/// on it.
void StoreCore::read(Read request, Done<ReadAnswer> done) {
    if (auto answer = read_what_is_safe(request)) {
        done(std::move(*answer));
        return;
    }
    submit(std::make_unique<LogJob>([this, request = std::move(request), done = std::move(done)](
                                        const std::optional<Error>& error) {
        // The outcome of the group does not matter. It matters if the log is good now.
        if (auto answer = read_what_is_safe(request)) {
            done(std::move(*answer));
        } else if (error && !error->outcome_unknown()) {
            done(*error);
        } else {
            done(Error(Errc::unavailable, "what is in the log may not be on the disk"));
        }
    }));
}

SqliteStore::SqliteStore(std::shared_ptr<StoreCore> core, NoticeFile news)
    : core_(std::move(core)), news_(std::move(news)) {}

void SqliteStore::commit(std::vector<Transition> batch, Done<std::vector<Answer>> done) {
    commit_shared(std::make_shared<const std::vector<Transition>>(std::move(batch)),
                  std::move(done));
}

void SqliteStore::commit_shared(std::shared_ptr<const std::vector<Transition>> batch,
                                Done<std::vector<Answer>> done) {
    core_->submit(std::make_unique<CommitJob>(std::move(batch), std::move(done)));
}

void SqliteStore::claim(ClaimInstances request, Done<ClaimInstances::Answer> done) {
    core_->submit(std::make_unique<ClaimJob<ClaimInstances>>(std::move(request), std::move(done)));
}
void SqliteStore::claim(ClaimActivities request, Done<ClaimActivities::Answer> done) {
    core_->submit(std::make_unique<ClaimJob<ClaimActivities>>(std::move(request), std::move(done)));
}

void SqliteStore::read_any(Read request, Done<ReadAnswer> done) {
    core_->read(std::move(request), std::move(done));
}

void SqliteStore::subscribe(StoreListener& listener) {
    core_->listeners().add(listener);
    const detail::MutexLock lock(watching_);
    announce_followers();
    if (watcher_ != nullptr) return;
    if (auto reader = news_.reader()) {
        // Announced before the listener's owner first looks at the store. Later commits are
        // published.
        watcher_ = Watcher::start(std::move(*reader), news_.path(), core_->listeners());
        if (watcher_ != nullptr) core_->lock().announce_listener();
    }
}

void SqliteStore::unsubscribe(StoreListener& listener) {
    core_->listeners().remove(listener);
    const detail::MutexLock lock(watching_);
    announce_followers();
}

/// Acts once for each change between none and some.
void SqliteStore::announce_followers() {
    const bool follow = core_->listeners().anyone_follows();
    if (follow != announced_) core_->lock().announce_follower(follow);
    announced_ = follow;
}

}  // namespace belay::sqlite

namespace belay {

Result<std::unique_ptr<Store>> make_sqlite_store(const std::string& path,
                                                 const SqliteOptions& options,
                                                 Clock& clock) {
    if (sqlite::UnsharedDescriptor::lost_some_in_fork()) return sqlite::FileLock::forked();
    const auto located = sqlite::locate(path);
    if (!located) return located.error();
    const std::string& file = *located;
    if (auto seen = sqlite::refuse_empty(file); !seen) return seen.error();
    if (auto seen = sqlite::peek(file); !seen) return seen.error();
    auto lock = sqlite::FileLock::open(file);
    if (!lock) return lock.error();
    auto news = sqlite::NoticeFile::open(file);
    if (!news) return news.error();
    auto reader = news->reader();
    if (!reader) return reader.error();
    auto core = std::make_shared<sqlite::StoreCore>(
        file, options, clock, std::move(*lock), std::move(*news));
    if (auto opened = core->open(); !opened) return opened.error();
    return std::unique_ptr<Store>(
        std::make_unique<sqlite::SqliteStore>(std::move(core), std::move(*reader)));
}

}  // namespace belay
