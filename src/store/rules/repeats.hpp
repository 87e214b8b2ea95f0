// Commits and requests that were carried out before and are sent again.
#pragma once

#include "store/rules/facts.hpp"

namespace belay::store {

/// A part that has a request id: the key under which it is kept, and the request.
struct Asked {
    RequestKey key;
    Request request;
};
/// Returns none if the part has no request id.
[[nodiscard]] std::optional<Asked> request_of(Lookup& rows, const Part& part);
/// Returns the key under which a part's request is kept, as far as the part itself has it. A run
/// that is ended by its key has its namespace in its row.
[[nodiscard]] std::optional<RequestKey> request_named_by(const Part& part);
/// Fills in the answer to the part that was just applied.
void keep_answer(const Answer& answer, Request& request);

/// Returns the answer to a transition that was applied before. Found by its commit id or a request
/// id.
[[nodiscard]] std::optional<Answer> find_repeat(Lookup& rows, const Transition& transition);

}  // namespace belay::store
