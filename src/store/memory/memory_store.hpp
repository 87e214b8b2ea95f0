// The memory store itself: one mutex around the tables.
#pragma once

#include "store/memory/tables.hpp"
#include <belay/store/memory.hpp>

#include <mutex>

namespace belay::memory {

/// Listeners are told, and requests answered, after the mutex is released; the listeners first,
/// since whoever is answered may destroy the store.
class MemoryStore final : public Store {
public:
    MemoryStore(Clock& clock, StoreOptions options) : clock_(clock), options_(options) {}

    [[nodiscard]] Timestamp now() override { return clock_.wall(); }

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

    void subscribe(StoreListener& listener) override { listeners_.add(listener); }
    void unsubscribe(StoreListener& listener) override { listeners_.remove(listener); }

    /// Calls `use(tables)` under the lock.
    template <class Use>
    auto with_tables(Use use) {
        const std::lock_guard lock(mutex_);
        return use(tables_);
    }

private:
    Answer commit_one(Transition& transition, Timestamp now);
    template <class Request>
    void claim_now(const Request& request, const Done<typename Request::Answer>& done);
    template <class Request>
    void read_now(const Request& request, const Done<typename Request::Answer>& done);

    Clock& clock_;
    const StoreOptions options_;
    std::mutex mutex_;
    Tables tables_;
    store::Listeners listeners_;
};

}  // namespace belay::memory
