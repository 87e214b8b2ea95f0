// A store that counts what is written to the one behind it.
#pragma once

#include <belay/store/store.hpp>

#include <algorithm>
#include <cstdint>
#include <utility>

namespace belay::bench {

/// Only for counting: what is timed talks to the store itself.
class CountingStore final : public Store {
public:
    explicit CountingStore(Store& store) : store_(store) {}

    /// Commits, and claims that found something. A sweep is nobody's instance and is left out.
    [[nodiscard]] std::uint64_t writes() const noexcept { return writes_; }

    [[nodiscard]] Timestamp now() override { return store_.now(); }
    void commit(std::vector<Transition> batch, Done<std::vector<Answer>> done) override {
        const bool sweep = std::all_of(batch.begin(), batch.end(), [](const Transition& t) {
            return t.parts.size() == 1 && std::holds_alternative<Sweep>(t.parts.front());
        });
        writes_ += sweep ? 0 : 1;
        store_.commit(std::move(batch), std::move(done));
    }
    void claim(ClaimInstances request, Done<ClaimInstances::Answer> done) override {
        store_.claim(std::move(request), counted(std::move(done)));
    }
    void claim(ClaimActivities request, Done<ClaimActivities::Answer> done) override {
        store_.claim(std::move(request), counted(std::move(done)));
    }

    void read(ReadInstance request, Done<ReadInstance::Answer> done) override {
        store_.read(std::move(request), std::move(done));
    }
    void read(ReadHistory request, Done<ReadHistory::Answer> done) override {
        store_.read(request, std::move(done));
    }
    void read(ListExecutions request, Done<ListExecutions::Answer> done) override {
        store_.read(request, std::move(done));
    }
    void read(ListChildren request, Done<ListChildren::Answer> done) override {
        store_.read(request, std::move(done));
    }
    void read(KeyValues request, Done<KeyValues::Answer> done) override {
        store_.read(request, std::move(done));
    }
    void read(ListDeadLetters request, Done<ListDeadLetters::Answer> done) override {
        store_.read(request, std::move(done));
    }
    void read(ListActivities request, Done<ListActivities::Answer> done) override {
        store_.read(request, std::move(done));
    }
    void read(ListStopping request, Done<ListStopping::Answer> done) override {
        store_.read(request, std::move(done));
    }
    void read(ListHeld request, Done<ListHeld::Answer> done) override {
        store_.read(request, std::move(done));
    }
    void read(CheckLeases request, Done<CheckLeases::Answer> done) override {
        store_.read(std::move(request), std::move(done));
    }

    void subscribe(StoreListener& listener) override { store_.subscribe(listener); }
    void unsubscribe(StoreListener& listener) override { store_.unsubscribe(listener); }

private:
    template <class Items>
    [[nodiscard]] Done<Items> counted(Done<Items> done) {
        return [this, done = std::move(done)](Result<Items> result) {
            if (result && !result->claimed.empty()) ++writes_;
            done(std::move(result));
        };
    }

    Store& store_;
    std::uint64_t writes_ = 0;
};

}  // namespace belay::bench
