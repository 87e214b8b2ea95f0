#include "store/sqlite/sqlite_store.hpp"

#include "store/sqlite/reads.hpp"
#include "store/sqlite/schema.hpp"

#include <algorithm>
#include <iterator>

namespace belay::sqlite {

namespace {

/// Beyond this a larger group no longer saves anything, and the first of it waits for the last.
constexpr std::size_t kGroupPieces = 512;

}  // namespace

Core::Core(
    const std::string& path, const SqliteOptions& options, Clock& clock, FileLock lock, News news)
    : clock_(clock),
      post_(options.lead_on()),
      writer_(path, options, clock, std::move(lock), std::move(news)),
      readers_(path, options) {}

void Core::submit(std::unique_ptr<Job> job) {
    const std::shared_ptr<Core> alive = shared_from_this();
    {
        const std::lock_guard lock(mutex_);
        queue_.push_back(std::move(job));
        if (leading_) return;
        leading_ = true;
    }
    if (post_) {
        post_([alive] { alive->lead(); });
    } else {
        lead();
    }
}

Group Core::next_group() {
    // What waits in line is claimed before more is put there: then that can be handed over.
    Group group;
    Group durable;
    const std::lock_guard lock(mutex_);
    for (std::size_t pieces = 0; !queue_.empty() && pieces < kGroupPieces;) {
        std::unique_ptr<Job>& next = queue_.front();
        pieces += next->pieces();
        (next->durable() ? durable : group).push_back(std::move(next));
        queue_.pop_front();
    }
    std::move(durable.begin(), durable.end(), std::back_inserter(group));
    if (group.empty()) leading_ = false;
    return group;
}

/// The leader goes on until the queue is empty, since nobody else may come. It stays leader while
/// it answers: what the answered ask for next is collected and makes one group.
void Core::lead() noexcept {
    while (true) {
        Group group = next_group();
        if (group.empty()) return;
        const Writer::Outcome outcome = writer_.commit(group);
        listeners_.tell(outcome.notices);
        for (const auto& job : group) job->answer(outcome.error);
        writer_.maintain();
    }
}

template <class Request>
auto Core::read_what_is_safe(const Request& request)
    -> std::optional<Result<typename Request::Answer>> {
    const std::uint64_t generation = writer_.generation();
    if (writer_.log_suspect()) return std::nullopt;
    const Timestamp now = clock_.wall();
    auto answer = readers_.with(
        generation, [&](Connection& connection) { return sqlite::read(connection, request, now); });
    // A commit failed meanwhile, and this read may have been the first to find it.
    if (writer_.generation() != generation) return std::nullopt;
    return answer;
}

/// Beside the writer; only after a failed write or sync behind it, since what is read must not be
/// lost any more: whoever is told that a run has ended is told so for good.
template <class Request>
void Core::read(const Request& request, const Done<typename Request::Answer>& done) {
    if (auto answer = read_what_is_safe(request)) {
        done(std::move(*answer));
        return;
    }
    submit(std::make_unique<LogJob>([this, request, done](const std::optional<Error>& error) {
        // Not what became of the group counts, but whether the log is good now.
        if (auto answer = read_what_is_safe(request)) {
            done(std::move(*answer));
        } else if (error && !error->outcome_unknown()) {
            done(*error);
        } else {
            done(Error(Errc::unavailable, "what is in the log may not be on the disk"));
        }
    }));
}

SqliteStore::SqliteStore(std::shared_ptr<Core> core, News news, std::string news_path)
    : core_(std::move(core)), news_(std::move(news)), news_path_(std::move(news_path)) {}

void SqliteStore::commit(std::vector<Transition> batch, Done<std::vector<Answer>> done) {
    core_->submit(std::make_unique<CommitJob>(std::move(batch), std::move(done)));
}

void SqliteStore::claim(ClaimInstances request, Done<ClaimInstances::Answer> done) {
    core_->submit(std::make_unique<ClaimJob<ClaimInstances>>(std::move(request), std::move(done)));
}
void SqliteStore::claim(ClaimActivities request, Done<ClaimActivities::Answer> done) {
    core_->submit(std::make_unique<ClaimJob<ClaimActivities>>(std::move(request), std::move(done)));
}

void SqliteStore::read(ReadInstance request, Done<ReadInstance::Answer> done) {
    core_->read(request, done);
}
void SqliteStore::read(ReadHistory request, Done<ReadHistory::Answer> done) {
    core_->read(request, done);
}
void SqliteStore::read(ListExecutions request, Done<ListExecutions::Answer> done) {
    core_->read(request, done);
}
void SqliteStore::read(ListChildren request, Done<ListChildren::Answer> done) {
    core_->read(request, done);
}
void SqliteStore::read(ListTree request, Done<ListTree::Answer> done) {
    core_->read(request, done);
}
void SqliteStore::read(SelectInstances request, Done<SelectInstances::Answer> done) {
    core_->read(request, done);
}
void SqliteStore::read(ListOutcomes request, Done<ListOutcomes::Answer> done) {
    core_->read(request, done);
}
void SqliteStore::read(ReadRetention request, Done<ReadRetention::Answer> done) {
    core_->read(request, done);
}
void SqliteStore::read(KeyValues request, Done<KeyValues::Answer> done) {
    core_->read(request, done);
}
void SqliteStore::read(ListDeadLetters request, Done<ListDeadLetters::Answer> done) {
    core_->read(request, done);
}
void SqliteStore::read(ListActivities request, Done<ListActivities::Answer> done) {
    core_->read(request, done);
}
void SqliteStore::read(ListStopping request, Done<ListStopping::Answer> done) {
    core_->read(request, done);
}
void SqliteStore::read(ListHeld request, Done<ListHeld::Answer> done) {
    core_->read(request, done);
}
void SqliteStore::read(CheckLeases request, Done<CheckLeases::Answer> done) {
    core_->read(request, done);
}
void SqliteStore::read(ListInstances request, Done<ListInstances::Answer> done) {
    core_->read(request, done);
}
void SqliteStore::read(CountInstances request, Done<CountInstances::Answer> done) {
    core_->read(request, done);
}
void SqliteStore::read(ListKeys request, Done<ListKeys::Answer> done) {
    core_->read(request, done);
}
void SqliteStore::read(CountQueues request, Done<CountQueues::Answer> done) {
    core_->read(request, done);
}
void SqliteStore::read(ListLeases request, Done<ListLeases::Answer> done) {
    core_->read(request, done);
}
void SqliteStore::read(ReadOpenWork request, Done<ReadOpenWork::Answer> done) {
    core_->read(request, done);
}

void SqliteStore::subscribe(StoreListener& listener) {
    core_->listeners().add(listener);
    const std::lock_guard lock(watching_);
    if (watcher_ != nullptr) return;
    if (auto reader = news_.reader()) {
        // Announced before the listener's owner looks at the store for the first time: what is
        // committed later is published.
        watcher_ = Watcher::start(std::move(*reader), news_path_, core_->listeners());
        if (watcher_ != nullptr) core_->lock().announce_listener();
    }
}

void SqliteStore::unsubscribe(StoreListener& listener) { core_->listeners().remove(listener); }

}  // namespace belay::sqlite

namespace belay {

Result<std::unique_ptr<Store>> make_sqlite_store(const std::string& path,
                                                 const SqliteOptions& options,
                                                 Clock& clock) {
    if (auto seen = sqlite::peek(path); !seen) return seen.error();
    auto lock = sqlite::FileLock::open(path + "-lock");
    if (!lock) return lock.error();
    auto news = sqlite::News::open(path + "-news");
    if (!news) return news.error();
    auto reader = news->reader();
    if (!reader) return reader.error();
    auto core =
        std::make_shared<sqlite::Core>(path, options, clock, std::move(*lock), std::move(*news));
    if (auto opened = core->open(); !opened) return opened.error();
    return std::unique_ptr<Store>(
        std::make_unique<sqlite::SqliteStore>(std::move(core), std::move(*reader), path + "-news"));
}

}  // namespace belay
