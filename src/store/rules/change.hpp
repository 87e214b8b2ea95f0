// The state that the effects of one transition work with.
#pragma once

#include "store/rules/rows.hpp"

#include <deque>

namespace belay::store {

/// A cancel that follows from something else in the same commit.
struct CascadedCancel {
    RunKey run;
    CancelRecord record;
};

/// One transition being applied. All its guards hold, so nothing here can be refused. A failure
/// throws, and the whole group is rolled back.
struct Change {
    Rows& rows;
    const StoreOptions& options;
    Timestamp now{};
    CommitId commit;
    StopTerms stop;
    Answer& answer;
    /// Emptied by `finish_cascade`. A queue and not recursion, because trees can be deep.
    std::deque<CascadedCancel> cascade;
};

}  // namespace belay::store
