// The store as the engine uses it.
#pragma once

#include <belay/store/store.hpp>

#include <memory>
#include <utility>
#include <vector>

namespace belay::runtime {

/// A read that the engine may ask for. The reads that answer people are none of them.
template <class Request>
concept EngineRead = reads::OfEngine::has<Request>();

/// Passes everything on. Has no reads but the engine's: a store need not answer others quickly, and
/// a worker must not wait for a list of everything. Refers to a store that outlives it.
class EngineStore {
public:
    explicit EngineStore(Store& store) noexcept : store_(store) {}

    [[nodiscard]] Timestamp now() { return store_.now(); }
    [[nodiscard]] StoreTraits traits() const { return store_.traits(); }

    void commit(std::vector<Transition> batch, Done<std::vector<Answer>> done) {
        store_.commit(std::move(batch), std::move(done));
    }
    void commit_shared(std::shared_ptr<const std::vector<Transition>> batch,
                       Done<std::vector<Answer>> done) {
        store_.commit_shared(std::move(batch), std::move(done));
    }
    template <class Request>
    void claim(Request request, Done<typename Request::Answer> done) {
        store_.claim(std::move(request), std::move(done));
    }
    template <EngineRead Request>
    void read(Request request, Done<typename Request::Answer> done) {
        store_.read(std::move(request), std::move(done));
    }

    void subscribe(StoreListener& listener) { store_.subscribe(listener); }
    void unsubscribe(StoreListener& listener) { store_.unsubscribe(listener); }

private:
    Store& store_;
};

}  // namespace belay::runtime
