// Commits and requests that were carried out before and are asked for again.
#pragma once

#include "store/rules/facts.hpp"

namespace belay::store {

/// A part that has a request id: under which name it is kept, and what was asked.
struct Asked {
    RequestKey key;
    Request request;
};
/// None when the part has no request id.
[[nodiscard]] std::optional<Asked> request_of(Lookup& rows, const Part& part);
/// The name under which a part's request is kept, as far as the part itself says it. A run that is
/// ended by its key has its namespace in its row.
[[nodiscard]] std::optional<RequestKey> request_named_by(const Part& part);
/// Fills in how the part just applied was answered.
void keep_answer(const Answer& answer, Request& request);

/// The answer to a transition that was applied before, by its commit id or a request id.
[[nodiscard]] std::optional<Answer> find_repeat(Lookup& rows, const Transition& transition);

}  // namespace belay::store
