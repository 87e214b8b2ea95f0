// Reads of the store that block until they are answered.
#pragma once

#include "cli/context.hpp"
#include "cli/exit_code.hpp"
#include "client/blocking.hpp"
#include "model/event.hpp"
#include <belay/store/store.hpp>

#include <utility>
#include <vector>

namespace belay::cli {

template <class Request>
[[nodiscard]] typename Request::Answer read(Store& store, Request request) {
    using Answer = typename Request::Answer;
    return must(client::wait_for_answer<Answer>(
        [&](Done<Answer> done) { store.read(std::move(request), std::move(done)); }));
}

/// The timeline of an instance, of its current execution or another. Empty when its history cannot
/// be read, which is no reason to show nothing: it is the runs in trouble that are looked at.
[[nodiscard]] Timeline timeline_of(Context& context,
                                   const InstanceDescription& description,
                                   ExecutionNo execution = 0);

/// An event with its place and its time: that of the turn it belongs to.
struct PlacedEvent {
    EventNo number = 0;
    Timestamp at{};
    model::Event event;
};

/// Reads a history page by page.
class HistoryReader {
public:
    HistoryReader(Store& store, RunRef run, ExecutionNo execution)
        : store_(&store), run_(run), execution_(execution) {}

    /// What comes next; nothing when that was all there is now. Throws a Problem for events that
    /// this program does not know.
    [[nodiscard]] std::vector<PlacedEvent> next();

private:
    Store* store_;  ///< A pointer, so that one reader can take another's place.
    RunRef run_;
    ExecutionNo execution_;
    EventNo position_ = 0;
    Timestamp at_{};
};

}  // namespace belay::cli
