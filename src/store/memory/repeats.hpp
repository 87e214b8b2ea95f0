// Commits and requests that were carried out before and are asked for again.
#pragma once

#include "store/memory/change.hpp"

namespace belay::memory {

/// A part that has a request id: under which name it is kept, and what was asked.
struct Asked {
    RequestKey key;
    Request request;
};
/// None when the part has no request id.
[[nodiscard]] std::optional<Asked> request_of(const Tables& tables, const Part& part);
/// Fills in how the part just applied was answered.
void keep_answer(const Change& change, Request& request);
void record_request(Tables& tables, const RequestKey& key, Request request);

/// The answer to a transition that was applied before, by its commit id or a request id.
[[nodiscard]] std::optional<Answer> find_repeat(const Tables& tables,
                                                const Transition& transition,
                                                Timestamp now);

}  // namespace belay::memory
