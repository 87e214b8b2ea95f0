// How fast the statements are, and in how many round trips.
#pragma once

#include "session.hpp"

namespace trial {

/// The first `how_many` forms of one batch of turns, side by side.
void compare_forms(Session& session, Number first, const char* title, std::size_t how_many);
/// The unfused cycle and the rest, each as one round trip for 100 items.
void measure_others(Session& session, Number first);
void show_plans(Session& session);

}  // namespace trial
