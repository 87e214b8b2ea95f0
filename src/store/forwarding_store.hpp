// A store that passes all calls on to another one.
#pragma once

#include <belay/store/store.hpp>

#include <utility>
#include <vector>

namespace belay {

/// The base of stores that do one thing differently and leave the rest to `inner`.
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
    void read_any(Read request, Done<ReadAnswer> done) override {
        inner_.read_any(std::move(request), std::move(done));
    }

    [[nodiscard]] StoreTraits traits() const override { return inner_.traits(); }
    [[nodiscard]] StoreCounts counts() const override { return inner_.counts(); }

    void subscribe(StoreListener& listener) override { inner_.subscribe(listener); }
    void unsubscribe(StoreListener& listener) override { inner_.unsubscribe(listener); }

protected:
    [[nodiscard]] Store& inner() noexcept { return inner_; }

private:
    Store& inner_;
};

}  // namespace belay
