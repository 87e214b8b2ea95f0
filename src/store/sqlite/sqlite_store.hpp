// The SQLite store itself. Requests queue, and a caller that finds nobody leading commits for all.
#pragma once

#include "store/sqlite/readers.hpp"
#include "store/sqlite/watcher.hpp"
#include "store/sqlite/writer.hpp"
#include <belay/detail/mutex.hpp>

#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <thread>

namespace belay::sqlite {

/// The part that outlives the store while a thread still leads. The caller that is answered last
/// may destroy the store before the leader has found that nothing is left to do.
class StoreCore : public std::enable_shared_from_this<StoreCore> {
public:
    StoreCore(const std::string& path,
              const SqliteOptions& options,
              Clock& clock,
              FileLock lock,
              NoticeFile news);

    [[nodiscard]] Result<void> open() { return writer_.open(); }
    void submit(std::unique_ptr<Job> job);
    void read(Read request, Done<ReadAnswer> done);

    [[nodiscard]] Timestamp now() { return clock_.wall(); }
    [[nodiscard]] store::Listeners& listeners() noexcept { return listeners_; }
    [[nodiscard]] FileLock& lock() noexcept { return writer_.lock(); }
    [[nodiscard]] StoreCounts counts() const noexcept { return writer_.counts(); }

private:
    /// Registered holders whose locks are gone.
    [[nodiscard]] Result<ReadDeadHolders::Answer> dead_holders(std::uint64_t generation);
    [[nodiscard]] Result<ReadAnswer> answer(const Read& request, std::uint64_t generation);
    /// Returns none if the read may have seen what a loss of power takes back.
    [[nodiscard]] std::optional<Result<ReadAnswer>> read_what_is_safe(const Read& request);
    void lead() noexcept BELAY_EXCLUDES(mutex_);
    [[nodiscard]] bool take_over() BELAY_REQUIRES(mutex_);
    [[nodiscard]] Group next_group() BELAY_EXCLUDES(mutex_);

    Clock& clock_;
    const std::function<void(std::function<void()>)> post_;
    store::Listeners listeners_;
    Writer writer_;
    Readers readers_;

    detail::Mutex mutex_;
    std::deque<std::unique_ptr<Job>> queue_ BELAY_GUARDED_BY(mutex_);
    bool leading_ BELAY_GUARDED_BY(mutex_) = false;
    std::thread::id leader_ BELAY_GUARDED_BY(mutex_);
    std::uint32_t led_ BELAY_GUARDED_BY(mutex_) = 0;  ///< The number of groups that this leader has
                                                      ///< led.
    // True if somebody waits to lead, and may.
    bool successor_ BELAY_GUARDED_BY(mutex_) = false;
    bool handed_over_ BELAY_GUARDED_BY(mutex_) = false;
    detail::Condition succession_;
};

class SqliteStore final : public Store {
public:
    SqliteStore(std::shared_ptr<StoreCore> core, NoticeFile news);

    [[nodiscard]] Timestamp now() override { return core_->now(); }

    void commit(std::vector<Transition> batch, Done<std::vector<Answer>> done) override;
    void commit_shared(std::shared_ptr<const std::vector<Transition>> batch,
                       Done<std::vector<Answer>> done) override;

    void claim(ClaimInstances request, Done<ClaimInstances::Answer> done) override;
    void claim(ClaimActivities request, Done<ClaimActivities::Answer> done) override;

    void read_any(Read request, Done<ReadAnswer> done) override;

    /// One writer. Its calls return when the disk has answered.
    [[nodiscard]] StoreTraits traits() const override { return {}; }
    [[nodiscard]] StoreCounts counts() const override { return core_->counts(); }

    void subscribe(StoreListener& listener) override;
    void unsubscribe(StoreListener& listener) override;

private:
    void announce_followers() BELAY_REQUIRES(watching_);

    const std::shared_ptr<StoreCore> core_;
    NoticeFile news_;
    detail::Mutex watching_;
    /// True if it was announced that somebody here follows runs.
    bool announced_ BELAY_GUARDED_BY(watching_) = false;
    /// Set by the first listener.
    std::unique_ptr<Watcher> watcher_ BELAY_GUARDED_BY(watching_);
};

}  // namespace belay::sqlite
