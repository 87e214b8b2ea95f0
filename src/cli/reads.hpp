// Reads of an instance in several steps.
#pragma once

#include "cli/context.hpp"
#include "cli/exit_code.hpp"
#include "model/event.hpp"
#include <belay/finding.hpp>

#include <vector>

namespace belay::cli {

/// Returns the timeline of an execution of an instance, the current one or another. Returns an
/// empty one if its history cannot be read: people look at runs in trouble, and the rest can be
/// shown.
[[nodiscard]] Timeline timeline_of(Context& context,
                                   const InstanceDescription& description,
                                   ExecutionNo execution = 0);

/// Gives the instances of a list the status that people see: a canceled flow whose handlers still
/// run reads `canceling`.
void show_stopping(Context& context, std::vector<ListedInstance>& listed);

/// An event with its place and its time: that of the turn it belongs to.
struct PlacedEvent {
    EventNo number = 0;
    Timestamp at{};
    model::Event event;
};

/// Reads a history page by page.
class HistoryReader {
public:
    HistoryReader(Service& service, RunRef run, ExecutionNo execution)
        : service_(&service), run_(run), execution_(execution) {}

    /// Returns the next events; none if that was all there is now. Throws a Problem for events that
    /// this program does not know.
    [[nodiscard]] std::vector<PlacedEvent> next();

private:
    Service* service_;  ///< A pointer, so that one reader can take another's place.
    RunRef run_;
    ExecutionNo execution_;
    EventNo position_ = 0;
    Timestamp at_{};
};

}  // namespace belay::cli
