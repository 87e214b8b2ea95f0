// The store as a runtime on threads calls it.
#pragma once

#include "runtime/signal.hpp"
#include "store/forwarding_store.hpp"
#include <belay/detail/mutex.hpp>

#include <atomic>
#include <deque>
#include <functional>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

namespace belay::runtime {

/// Keeps the core's calls until they are taken. The core is stepped under a lock, and a call may
/// take as long as a disk does, so it is made when the lock has been let go of. Calls are taken one
/// at a time. Where calls block (StoreTraits), the store may keep a caller to commit for others;
/// then another thread makes the next call. Tells `signal` of every answer and every notice.
class DeferredStore final : public ForwardingStore, private StoreListener {
public:
    using Call = std::function<void()>;

    DeferredStore(Store& store, std::shared_ptr<Signal> signal)
        : ForwardingStore(store), signal_(std::move(signal)) {}
    DeferredStore(const DeferredStore&) = delete;
    DeferredStore& operator=(const DeferredStore&) = delete;
    ~DeferredStore() override = default;

    /// Something else to be done when the lock has been let go of; it does not take long.
    void defer(Call call) {
        const detail::MutexLock lock(mutex_);
        others_.push_back(std::move(call));
        has_others_ = true;
    }
    [[nodiscard]] std::vector<Call> take_others() {
        if (!has_others_) return {};
        const detail::MutexLock lock(mutex_);
        has_others_ = false;
        return std::exchange(others_, {});
    }

    struct Taken {
        Call call;
        bool more = false;  ///< There are others.
    };
    /// True if there is one.
    [[nodiscard]] bool has_call() const noexcept { return has_calls_; }
    /// The next call of the store. Any thread.
    [[nodiscard]] std::optional<Taken> take_call() {
        if (!has_calls_) return std::nullopt;
        const detail::MutexLock lock(mutex_);
        if (calls_.empty()) return std::nullopt;
        Taken taken{std::move(calls_.front())};
        calls_.pop_front();
        taken.more = !calls_.empty();
        has_calls_ = taken.more;
        return taken;
    }

    void commit(std::vector<Transition> batch, Done<std::vector<Answer>> done) override {
        ask([this, batch = std::move(batch), done = then_signal(std::move(done))]() mutable {
            inner().commit(std::move(batch), std::move(done));
        });
    }
    void commit_shared(std::shared_ptr<const std::vector<Transition>> batch,
                       Done<std::vector<Answer>> done) override {
        ask([this, batch = std::move(batch), done = then_signal(std::move(done))]() mutable {
            inner().commit_shared(std::move(batch), std::move(done));
        });
    }
    void claim(ClaimInstances request, Done<ClaimInstances::Answer> done) override {
        ask([this, request = std::move(request), done = then_signal(std::move(done))]() mutable {
            inner().claim(std::move(request), std::move(done));
        });
    }
    void claim(ClaimActivities request, Done<ClaimActivities::Answer> done) override {
        ask([this, request = std::move(request), done = then_signal(std::move(done))]() mutable {
            inner().claim(std::move(request), std::move(done));
        });
    }
    void read_any(Read request, Done<ReadAnswer> done) override {
        ask([this, request = std::move(request), done = then_signal(std::move(done))]() mutable {
            inner().read_any(std::move(request), std::move(done));
        });
    }

    /// One listener at a time: the core.
    void subscribe(StoreListener& listener) override {
        listener_ = &listener;
        inner().subscribe(*this);
    }
    void unsubscribe(StoreListener& /*listener*/) override {
        inner().unsubscribe(*this);
        listener_ = nullptr;
    }

private:
    void ask(Call call) {
        const detail::MutexLock lock(mutex_);
        calls_.push_back(std::move(call));
        has_calls_ = true;
    }

    template <class T>
    [[nodiscard]] Done<T> then_signal(Done<T> done) {
        return [done = std::move(done), signal = signal_](Result<T> result) {
            done(std::move(result));
            signal->tell();
        };
    }

    void instances_ready() override {
        listener_->instances_ready();
        signal_->tell();
    }
    void activities_ready() override {
        listener_->activities_ready();
        signal_->tell();
    }
    void leases_stopped(const std::vector<LeaseToken>& tokens) override {
        listener_->leases_stopped(tokens);
        signal_->tell();
    }
    void instance_ended(RunRef run) override {
        // Only frees memory: not worth waking anybody for.
        listener_->instance_ended(run);
    }

    std::shared_ptr<Signal> signal_;
    StoreListener* listener_ = nullptr;
    detail::Mutex mutex_;
    std::deque<Call> calls_ BELAY_GUARDED_BY(mutex_);
    std::vector<Call> others_ BELAY_GUARDED_BY(mutex_);
    // True if there are any. Every thread that has ended an activity looks.
    std::atomic<bool> has_calls_{false};
    std::atomic<bool> has_others_{false};
};

}  // namespace belay::runtime
