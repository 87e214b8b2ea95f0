// The memory store itself: one mutex around the tables.
#pragma once

#include "store/listeners.hpp"
#include "store/memory/tables.hpp"
#include <belay/detail/mutex.hpp>
#include <belay/store/memory.hpp>

namespace belay::memory {

/// Listeners are told and requests answered after the mutex is released. Listeners come first,
/// because a caller that is answered may destroy the store.
class MemoryStore final : public Store {
public:
    MemoryStore(Clock& clock, StoreOptions options) : clock_(clock), options_(options) {}

    [[nodiscard]] Timestamp now() override { return clock_.wall(); }

    void commit(std::vector<Transition> batch, Done<std::vector<Answer>> done) override;
    /// Copies what it keeps of the batch, and nothing else.
    void commit_shared(std::shared_ptr<const std::vector<Transition>> batch,
                       Done<std::vector<Answer>> done) override;

    void claim(ClaimInstances request, Done<ClaimInstances::Answer> done) override;
    void claim(ClaimActivities request, Done<ClaimActivities::Answer> done) override;

    void read_any(Read request, Done<ReadAnswer> done) override;

    /// There is no disk to wait for.
    [[nodiscard]] StoreTraits traits() const override { return {.calls_block = false}; }

    void subscribe(StoreListener& listener) override { listeners_.add(listener); }
    void unsubscribe(StoreListener& listener) override { listeners_.remove(listener); }

    /// Calls `use(tables)` under the lock.
    template <class Use>
    auto with_tables(Use use) {
        const detail::MutexLock lock(mutex_);
        return use(tables_);
    }

private:
    void commit_now(const std::vector<Transition>& batch, const Done<std::vector<Answer>>& done);
    template <class Request>
    void claim_now(const Request& request, const Done<typename Request::Answer>& done);

    Clock& clock_;
    const StoreOptions options_;
    detail::Mutex mutex_;
    Tables tables_ BELAY_GUARDED_BY(mutex_);
    store::Listeners listeners_;
};

}  // namespace belay::memory
