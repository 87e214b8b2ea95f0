// The store as the clients of a process with a runtime see it.
#pragma once

#include "runtime/turn_dispatcher.hpp"
#include <belay/store/store.hpp>

#include <utility>
#include <vector>

namespace belay::runtime {

/// Passes everything on, except that a lone Start goes to the runtime, which commits it together
/// with the run's first turn.
class LocalStore final : public Store {
public:
    LocalStore(Store& store, TurnDispatcher& turns) : store_(store), turns_(turns) {}

    [[nodiscard]] Timestamp now() override { return store_.now(); }
    void commit(std::vector<Transition> batch, Done<std::vector<Answer>> done) override;

    void claim(ClaimInstances request, Done<ClaimInstances::Answer> done) override {
        store_.claim(std::move(request), std::move(done));
    }
    void claim(ClaimActivities request, Done<ClaimActivities::Answer> done) override {
        store_.claim(std::move(request), std::move(done));
    }

    void read(ReadInstance request, Done<ReadInstance::Answer> done) override {
        pass_on(std::move(request), std::move(done));
    }
    void read(ReadHistory request, Done<ReadHistory::Answer> done) override {
        pass_on(std::move(request), std::move(done));
    }
    void read(ListExecutions request, Done<ListExecutions::Answer> done) override {
        pass_on(std::move(request), std::move(done));
    }
    void read(ListChildren request, Done<ListChildren::Answer> done) override {
        pass_on(std::move(request), std::move(done));
    }
    void read(KeyValues request, Done<KeyValues::Answer> done) override {
        pass_on(std::move(request), std::move(done));
    }
    void read(ListDeadLetters request, Done<ListDeadLetters::Answer> done) override {
        pass_on(std::move(request), std::move(done));
    }
    void read(ListActivities request, Done<ListActivities::Answer> done) override {
        pass_on(std::move(request), std::move(done));
    }
    void read(ListStopping request, Done<ListStopping::Answer> done) override {
        pass_on(std::move(request), std::move(done));
    }
    void read(ListHeld request, Done<ListHeld::Answer> done) override {
        pass_on(std::move(request), std::move(done));
    }
    void read(CheckLeases request, Done<CheckLeases::Answer> done) override {
        pass_on(std::move(request), std::move(done));
    }

    void subscribe(StoreListener& listener) override { store_.subscribe(listener); }
    void unsubscribe(StoreListener& listener) override { store_.unsubscribe(listener); }

private:
    template <class Request>
    void pass_on(Request request, Done<typename Request::Answer> done) {
        store_.read(std::move(request), std::move(done));
    }

    Store& store_;
    TurnDispatcher& turns_;
};

}  // namespace belay::runtime
