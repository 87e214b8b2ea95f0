// A store that passes everything on to another one.
#pragma once

#include <belay/store/store.hpp>

#include <utility>
#include <vector>

namespace belay {

/// Base of stores that do one thing differently and leave the rest to `inner`.
class ForwardingStore : public Store {
public:
    explicit ForwardingStore(Store& inner) noexcept : inner_(inner) {}

    [[nodiscard]] Timestamp now() override { return inner_.now(); }

    void commit(std::vector<Transition> batch, Done<std::vector<Answer>> done) override {
        inner_.commit(std::move(batch), std::move(done));
    }
    void claim(ClaimInstances request, Done<ClaimInstances::Answer> done) override {
        inner_.claim(std::move(request), std::move(done));
    }
    void claim(ClaimActivities request, Done<ClaimActivities::Answer> done) override {
        inner_.claim(std::move(request), std::move(done));
    }
    void read(ReadInstance request, Done<ReadInstance::Answer> done) override {
        inner_.read(std::move(request), std::move(done));
    }
    void read(ReadHistory request, Done<ReadHistory::Answer> done) override {
        inner_.read(request, std::move(done));
    }
    void read(ListExecutions request, Done<ListExecutions::Answer> done) override {
        inner_.read(request, std::move(done));
    }
    void read(ListChildren request, Done<ListChildren::Answer> done) override {
        inner_.read(request, std::move(done));
    }
    void read(ListTree request, Done<ListTree::Answer> done) override {
        inner_.read(std::move(request), std::move(done));
    }
    void read(SelectInstances request, Done<SelectInstances::Answer> done) override {
        inner_.read(std::move(request), std::move(done));
    }
    void read(ListOutcomes request, Done<ListOutcomes::Answer> done) override {
        inner_.read(std::move(request), std::move(done));
    }
    void read(ReadRetention request, Done<ReadRetention::Answer> done) override {
        inner_.read(std::move(request), std::move(done));
    }
    void read(ListKeys request, Done<ListKeys::Answer> done) override {
        inner_.read(std::move(request), std::move(done));
    }
    void read(KeyValues request, Done<KeyValues::Answer> done) override {
        inner_.read(request, std::move(done));
    }
    void read(ListDeadLetters request, Done<ListDeadLetters::Answer> done) override {
        inner_.read(request, std::move(done));
    }
    void read(ListActivities request, Done<ListActivities::Answer> done) override {
        inner_.read(request, std::move(done));
    }
    void read(ListStopping request, Done<ListStopping::Answer> done) override {
        inner_.read(request, std::move(done));
    }
    void read(ListHeld request, Done<ListHeld::Answer> done) override {
        inner_.read(request, std::move(done));
    }
    void read(CheckLeases request, Done<CheckLeases::Answer> done) override {
        inner_.read(std::move(request), std::move(done));
    }
    void read(ListInstances request, Done<ListInstances::Answer> done) override {
        inner_.read(std::move(request), std::move(done));
    }
    void read(CountInstances request, Done<CountInstances::Answer> done) override {
        inner_.read(std::move(request), std::move(done));
    }
    void read(CountQueues request, Done<CountQueues::Answer> done) override {
        inner_.read(request, std::move(done));
    }
    void read(ListLeases request, Done<ListLeases::Answer> done) override {
        inner_.read(request, std::move(done));
    }
    void read(ReadOpenWork request, Done<ReadOpenWork::Answer> done) override {
        inner_.read(std::move(request), std::move(done));
    }

    [[nodiscard]] StoreCounts counts() const override { return inner_.counts(); }

    void subscribe(StoreListener& listener) override { inner_.subscribe(listener); }
    void unsubscribe(StoreListener& listener) override { inner_.unsubscribe(listener); }

protected:
    [[nodiscard]] Store& inner() noexcept { return inner_; }

private:
    Store& inner_;
};

}  // namespace belay
