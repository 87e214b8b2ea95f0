// The speed of the statements, and their number of round trips.
#pragma once

#include "session.hpp"

namespace trial {

struct Comparison {
    const char* title;
    Number first;               ///< The first run that is used.
    Number batch;               ///< The number of turns.
    int rounds;                 ///< For the set-based forms.
    bool turn_by_turn = false;  ///< With the forms that are not set-based.
};

/// The forms of one batch of turns, side by side.
void compare_forms(Session& session, const Comparison& comparison);
/// The unfused cycle and the rest, each as one round trip for 100 items.
void measure_others(Session& session, Number first);
void show_plans(Session& session);

}  // namespace trial
