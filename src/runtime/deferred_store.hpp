// The store as a runtime on threads calls it.
#pragma once

#include "runtime/signal.hpp"
#include "store/forwarding_store.hpp"

#include <functional>
#include <memory>
#include <utility>
#include <vector>

namespace belay::runtime {

/// Keeps the core's calls until they are taken: it is stepped under a lock, and a call may take as
/// long as a disk does, so it is made when the lock has been let go of. Tells `signal` of every
/// answer and every notice. Calls, `defer` and `take_calls`: under that lock.
class DeferredStore final : public ForwardingStore, private StoreListener {
public:
    using Call = std::function<void()>;

    DeferredStore(Store& store, std::shared_ptr<Signal> signal)
        : ForwardingStore(store), signal_(std::move(signal)) {}
    DeferredStore(const DeferredStore&) = delete;
    DeferredStore& operator=(const DeferredStore&) = delete;
    ~DeferredStore() override = default;

    /// Something else to be done when the lock has been let go of.
    void defer(Call call) { calls_.push_back(std::move(call)); }
    [[nodiscard]] std::vector<Call> take_calls() { return std::exchange(calls_, {}); }

    using ForwardingStore::read;  // The core does not ask for the others.

    void commit(std::vector<Transition> batch, Done<std::vector<Answer>> done) override {
        defer([this, batch = std::move(batch), done = told(std::move(done))]() mutable {
            inner().commit(std::move(batch), std::move(done));
        });
    }
    void claim(ClaimInstances request, Done<ClaimInstances::Answer> done) override {
        defer([this, request = std::move(request), done = told(std::move(done))]() mutable {
            inner().claim(std::move(request), std::move(done));
        });
    }
    void claim(ClaimActivities request, Done<ClaimActivities::Answer> done) override {
        defer([this, request = std::move(request), done = told(std::move(done))]() mutable {
            inner().claim(std::move(request), std::move(done));
        });
    }
    void read(ReadHistory request, Done<ReadHistory::Answer> done) override {
        defer([this, request, done = told(std::move(done))]() mutable {
            inner().read(request, std::move(done));
        });
    }
    void read(CheckLeases request, Done<CheckLeases::Answer> done) override {
        defer([this, request = std::move(request), done = told(std::move(done))]() mutable {
            inner().read(std::move(request), std::move(done));
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
    template <class T>
    [[nodiscard]] Done<T> told(Done<T> done) {
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
    std::vector<Call> calls_;
};

}  // namespace belay::runtime
