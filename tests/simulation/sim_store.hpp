// The store as one process sees it: through the wire.
#pragma once

#include "simulation/truth.hpp"
#include "simulation/wire.hpp"

#include <functional>
#include <utility>
#include <vector>

namespace belay::sim {

/// Every call becomes a StoreCall on the wire; nothing is answered before the call returns.
class SimStore final : public Store {
public:
    SimStore(Truth& truth, Wire& wire, Trace& trace, EndpointNo endpoint)
        : truth_(truth), wire_(wire), trace_(trace), endpoint_(endpoint) {}

    [[nodiscard]] Timestamp now() override { return truth_.now(); }

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

    void subscribe(StoreListener& listener) override { listeners_.push_back(&listener); }
    void unsubscribe(StoreListener& listener) override { std::erase(listeners_, &listener); }

    /// Asked before a commit is sent; returns true if it has taken it on instead.
    using Divert = std::function<bool(std::vector<Transition>&, Done<std::vector<Answer>>&)>;
    void divert_with(Divert divert) { divert_ = std::move(divert); }

    /// Calls `tell` with each listener of this process that is still there.
    template <class Tell>
    void notify(Tell tell) {
        for (StoreListener* const listener : listeners_) tell(*listener);
    }

private:
    template <class T, class Ask>
    void send(const char* what, Done<T> done, Ask ask);
    template <class Request>
    void send_read(const char* what, Request request, Done<typename Request::Answer> done);

    Truth& truth_;
    Wire& wire_;
    Trace& trace_;
    EndpointNo endpoint_;
    Divert divert_;
    std::vector<StoreListener*> listeners_;
};

}  // namespace belay::sim
