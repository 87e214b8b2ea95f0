// A batch in two round trips: lock and load the rows that it names, decide in the program, write.
#pragma once

#include "session.hpp"

#include <vector>

namespace trial {

/// Locks and loads what turns and cancels name, in one pipeline. See rows_named_by in
/// src/store/rules/named_rows.hpp: it is known before anything is decided.
[[nodiscard]] std::vector<Step> load_steps(const std::vector<Turn>& turns,
                                           const std::vector<Number>& canceled);

/// The transaction begins with the first round trip and is committed by the second. Transitions
/// are decided one after the other, the cancels behind the turns.
[[nodiscard]] Batch in_two(const std::vector<Turn>& turns,
                           const std::vector<Number>& canceled = {});

}  // namespace trial
