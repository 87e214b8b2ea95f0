// Reads a run of a flow from a store, to be drawn.
#pragma once

#include "expr/value.hpp"
#include "flow/definition/bundle.hpp"
#include "flow/interpreter/picture.hpp"
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
    std::vector<RunRef> runs{};  ///< Itself, and the children that run items of its maps.
};

/// Returns the definitions that a run has pinned. Returns `invalid_argument` if it is no run of a
/// flow.
[[nodiscard]] Result<Bundle> bundle_of(Client& client, const InstanceInfo& info);

/// Reads the history of exactly this run, and of the children that run items of its maps. `bundle`:
/// as it has pinned.
[[nodiscard]] Result<DrawnRun> draw_run(Client& client,
                                        const InstanceInfo& info,
                                        const Bundle& bundle);

}  // namespace belay::flow
