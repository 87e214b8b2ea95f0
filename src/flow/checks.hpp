// The checks that the reader of definitions takes from other layers.
#pragma once

#include "flow/definition/reader.hpp"

namespace belay::flow {

/// Returns options with which cron expressions and time zones are checked, too.
[[nodiscard]] ReadOptions with_all_checks();

}  // namespace belay::flow
