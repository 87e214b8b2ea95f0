// A store that counts the writes to the one behind it.
#pragma once

#include "store/forwarding_store.hpp"

#include <algorithm>
#include <cstdint>
#include <utility>
#include <variant>
#include <vector>

namespace belay::bench {

/// Only for counting: timed code talks to the store itself.
class CountingStore final : public ForwardingStore {
public:
    explicit CountingStore(Store& store) : ForwardingStore(store) {}

    /// Commits, and claims that found something. A sweep is nobody's instance and is left out.
    [[nodiscard]] std::uint64_t writes() const noexcept { return writes_; }

    void commit(std::vector<Transition> batch, Done<std::vector<Answer>> done) override {
        const bool sweep = std::all_of(batch.begin(), batch.end(), [](const Transition& t) {
            return t.parts.size() == 1 && std::holds_alternative<Sweep>(t.parts.front());
        });
        writes_ += sweep ? 0 : 1;
        inner().commit(std::move(batch), std::move(done));
    }
    void claim(ClaimInstances request, Done<ClaimInstances::Answer> done) override {
        inner().claim(std::move(request), counted(std::move(done)));
    }
    void claim(ClaimActivities request, Done<ClaimActivities::Answer> done) override {
        inner().claim(std::move(request), counted(std::move(done)));
    }

private:
    template <class Items>
    [[nodiscard]] Done<Items> counted(Done<Items> done) {
        return [this, done = std::move(done)](Result<Items> result) {
            if (result && !result->claimed.empty()) ++writes_;
            done(std::move(result));
        };
    }

    std::uint64_t writes_ = 0;
};

}  // namespace belay::bench
