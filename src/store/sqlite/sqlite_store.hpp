// The SQLite store itself: requests queue, and whoever finds nobody leading commits for all.
#pragma once

#include "store/sqlite/readers.hpp"
#include "store/sqlite/watcher.hpp"
#include "store/sqlite/writer.hpp"

#include <deque>
#include <memory>
#include <mutex>
#include <optional>

namespace belay::sqlite {

/// What outlives the store for as long as a thread still leads: whoever is answered last may
/// destroy the store, while the leader has yet to find that nothing is left to do.
class Core : public std::enable_shared_from_this<Core> {
public:
    Core(const std::string& path,
         const SqliteOptions& options,
         Clock& clock,
         FileLock lock,
         News news);

    [[nodiscard]] Result<void> open() { return writer_.open(); }
    void submit(std::unique_ptr<Job> job);
    template <class Request>
    void read(const Request& request, const Done<typename Request::Answer>& done);

    [[nodiscard]] Timestamp now() { return clock_.wall(); }
    [[nodiscard]] store::Listeners& listeners() noexcept { return listeners_; }
    [[nodiscard]] FileLock& lock() noexcept { return writer_.lock(); }
    [[nodiscard]] StoreCounts counts() const noexcept { return writer_.counts(); }

private:
    /// None when it may have seen what a loss of power takes back.
    template <class Request>
    [[nodiscard]] std::optional<Result<typename Request::Answer>> read_what_is_safe(
        const Request& request);
    void lead() noexcept;
    [[nodiscard]] Group next_group();

    Clock& clock_;
    const std::function<void(std::function<void()>)> post_;
    store::Listeners listeners_;
    Writer writer_;
    Readers readers_;

    std::mutex mutex_;
    std::deque<std::unique_ptr<Job>> queue_;
    bool leading_ = false;
};

class SqliteStore final : public Store {
public:
    SqliteStore(std::shared_ptr<Core> core, News news, std::string news_path);

    [[nodiscard]] Timestamp now() override { return core_->now(); }

    void commit(std::vector<Transition> batch, Done<std::vector<Answer>> done) override;

    void claim(ClaimInstances request, Done<ClaimInstances::Answer> done) override;
    void claim(ClaimActivities request, Done<ClaimActivities::Answer> done) override;

    void read(ReadInstance request, Done<ReadInstance::Answer> done) override;
    void read(ReadHistory request, Done<ReadHistory::Answer> done) override;
    void read(ListExecutions request, Done<ListExecutions::Answer> done) override;
    void read(ListChildren request, Done<ListChildren::Answer> done) override;
    void read(ListTree request, Done<ListTree::Answer> done) override;
    void read(SelectInstances request, Done<SelectInstances::Answer> done) override;
    void read(ListOutcomes request, Done<ListOutcomes::Answer> done) override;
    void read(ReadRetention request, Done<ReadRetention::Answer> done) override;
    void read(KeyValues request, Done<KeyValues::Answer> done) override;
    void read(ListDeadLetters request, Done<ListDeadLetters::Answer> done) override;
    void read(ListActivities request, Done<ListActivities::Answer> done) override;
    void read(ListStopping request, Done<ListStopping::Answer> done) override;
    void read(ListHeld request, Done<ListHeld::Answer> done) override;
    void read(CheckLeases request, Done<CheckLeases::Answer> done) override;
    void read(ListInstances request, Done<ListInstances::Answer> done) override;
    void read(CountInstances request, Done<CountInstances::Answer> done) override;
    void read(ListKeys request, Done<ListKeys::Answer> done) override;
    void read(CountQueues request, Done<CountQueues::Answer> done) override;
    void read(ListLeases request, Done<ListLeases::Answer> done) override;
    void read(ReadOpenWork request, Done<ReadOpenWork::Answer> done) override;

    [[nodiscard]] StoreCounts counts() const override { return core_->counts(); }

    void subscribe(StoreListener& listener) override;
    void unsubscribe(StoreListener& listener) override;

private:
    const std::shared_ptr<Core> core_;
    News news_;
    const std::string news_path_;
    std::mutex watching_;
    std::unique_ptr<Watcher> watcher_;  ///< From the first listener on.
};

}  // namespace belay::sqlite
