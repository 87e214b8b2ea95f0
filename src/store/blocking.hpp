// Reads of a store that block until they are answered.
#pragma once

#include <belay/detail/wait_for_answer.hpp>
#include <belay/store/store.hpp>

namespace belay::store {

/// One read.
template <class Request>
[[nodiscard]] Result<typename Request::Answer> ask(Store& store, const Request& request) {
    return detail::wait_for_answer<typename Request::Answer>(
        [&](Done<typename Request::Answer> done) { store.read(request, std::move(done)); });
}

}  // namespace belay::store
