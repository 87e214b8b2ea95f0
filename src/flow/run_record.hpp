// Reads a run of a flow from a store, to be drawn.
#pragma once

#include "expr/value.hpp"
#include "flow/definition/bundle.hpp"
#include "flow/interpreter/picture.hpp"
#include "model/event.hpp"
#include <belay/client.hpp>

#include <memory>
#include <vector>

namespace belay::flow {

/// A run, and the state of each of its steps and items.
struct DrawnRun {
    InstanceInfo info{};
    std::shared_ptr<const Definition> definition{};
    expr::Value params{};  ///< As they were given.
    FlowPicture picture{};
    std::vector<RunRef> runs{};          ///< Itself, and the children that run items of its maps.
    std::vector<model::Event> events{};  ///< Set by `draw_alone`.
};

/// Returns the definitions that a run has pinned. Returns `invalid_argument` if it is no run of a
/// flow.
[[nodiscard]] Result<Bundle> bundle_of(Client& client, const InstanceInfo& info);

/// Adds what only the queues know: which activities have begun, and what was canceled and still
/// stops. `description` is that of the run in the picture.
void add_queues(Client& client, const InstanceDescription& description, FlowPicture& picture);

/// Reads the history of exactly this run, without those of its children. `bundle`: as it has
/// pinned.
[[nodiscard]] Result<DrawnRun> draw_alone(Client& client,
                                          const InstanceInfo& info,
                                          const Bundle& bundle);

/// The same with the items that children of its large maps have run, and with what the queues know.
[[nodiscard]] Result<DrawnRun> draw_run(Client& client,
                                        const InstanceInfo& info,
                                        const Bundle& bundle);

}  // namespace belay::flow
