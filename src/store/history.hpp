// The history of an execution, read as a whole.
#pragma once

#include "model/event.hpp"
#include <belay/store/store.hpp>

#include <vector>

namespace belay::store {

/// Returns the events of an execution up to and including the one numbered `last`, or as many as
/// there are.
[[nodiscard]] Result<std::vector<model::Event>> read_events(Store& store,
                                                            RunRef run,
                                                            ExecutionNo execution,
                                                            EventNo last);

/// Returns the same, turn by turn.
[[nodiscard]] Result<std::vector<std::vector<model::Event>>> read_turns(Store& store,
                                                                        RunRef run,
                                                                        ExecutionNo execution,
                                                                        EventNo last);

}  // namespace belay::store
