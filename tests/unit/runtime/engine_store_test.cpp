// The engine reads only what a store must answer for workers.
#include "runtime/engine_store.hpp"

#include "runtime/services.hpp"

#include <gtest/gtest.h>

#include <type_traits>

namespace belay::runtime_tests::engine_store {
namespace {

template <class Store, class Request>
concept CanRead = requires(Store& store, Request request, Done<typename Request::Answer> done) {
    store.read(request, done);
};

template <class Store, class... Requests>
constexpr bool reads_any(reads::List<Requests...>) {
    return (CanRead<Store, Requests> || ...);
}
template <class Store, class... Requests>
constexpr bool reads_all(reads::List<Requests...>) {
    return (CanRead<Store, Requests> && ...);
}

TEST(EngineStore, HasTheReadsOfTheEngineAndNoOthers) {
    using Used = decltype(runtime::Services::store);
    static_assert(std::is_same_v<Used, runtime::EngineStore>);
    static_assert(reads_all<Used>(reads::OfEngine()));
    static_assert(!reads_any<Used>(reads::OfOperators()));
    static_assert(reads_any<Store>(reads::OfOperators()), "the concept tells reads apart");
}

}  // namespace
}  // namespace belay::runtime_tests::engine_store
