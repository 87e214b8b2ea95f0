// Commits and requests that were carried out before and are asked for again.
#pragma once

#include "store/guards/facts.hpp"

namespace belay::store {

/// A part that has a request id: under which name it is kept, and what was asked.
struct Asked {
    RequestKey key;
    Request request;
};
/// None when the part has no request id.
[[nodiscard]] std::optional<Asked> request_of(Lookup& rows, const Part& part);
/// Fills in how the part just applied was answered.
void keep_answer(const Answer& answer, Request& request);

/// The answer to a transition that was applied before, by its commit id or a request id.
[[nodiscard]] std::optional<Answer> find_repeat(Lookup& rows, const Transition& transition);

}  // namespace belay::store
