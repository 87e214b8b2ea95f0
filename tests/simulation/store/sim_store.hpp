// The store as one process sees it: through the transport.
#pragma once

#include "simulation/store/transport.hpp"
#include "simulation/store/true_store.hpp"

#include <functional>
#include <utility>
#include <vector>

namespace belay::sim {

/// Every call becomes a StoreCall on the transport; nothing is answered before the call returns.
class SimStore final : public Store {
public:
    SimStore(TrueStore& true_store, Transport& transport, Trace& trace, EndpointNo endpoint)
        : true_store_(true_store), transport_(transport), trace_(trace), endpoint_(endpoint) {}

    [[nodiscard]] Timestamp now() override { return true_store_.now(); }

    void commit(std::vector<Transition> batch, Done<std::vector<Answer>> done) override;

    void claim(ClaimInstances request, Done<ClaimInstances::Answer> done) override;
    void claim(ClaimActivities request, Done<ClaimActivities::Answer> done) override;

    void read_any(Read request, Done<ReadAnswer> done) override;

    void subscribe(StoreListener& listener) override { listeners_.push_back(&listener); }
    void unsubscribe(StoreListener& listener) override { std::erase(listeners_, &listener); }

    /// Asked before a commit is sent; returns true if it has taken it on instead.
    using Divert = std::function<bool(std::vector<Transition>&, Done<std::vector<Answer>>&)>;
    void divert_with(Divert divert) { divert_ = std::move(divert); }

    /// Returns the processes that are known to be dead.
    using Dead = std::function<ReadDeadHolders::Answer()>;
    void know_dead_by(Dead dead) { dead_ = std::move(dead); }

    /// Calls `tell` with each listener of this process that is still there.
    template <class Tell>
    void notify(Tell tell) {
        for (StoreListener* const listener : listeners_) tell(*listener);
    }

private:
    template <class T, class Ask>
    void send(const char* what, Done<T> done, Ask ask);

    TrueStore& true_store_;
    Transport& transport_;
    Trace& trace_;
    EndpointNo endpoint_;
    Divert divert_;
    Dead dead_;
    std::vector<StoreListener*> listeners_;
};

}  // namespace belay::sim
