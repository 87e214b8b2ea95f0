// Commits and requests that were carried out before and are asked for again.
#pragma once

#include "store/sqlite/change.hpp"

namespace belay::sqlite {

/// Under which name the answer to a part is kept; none when it has no request id.
[[nodiscard]] std::optional<RequestKey> request_of(Tables& tables, const Part& part);
/// How the part just applied was answered.
[[nodiscard]] Request make_request(const Change& change, std::size_t part);

/// The answer to a transition that was applied before, by its commit id or a request id.
[[nodiscard]] std::optional<Answer> find_repeat(Tables& tables, const Transition& transition);

}  // namespace belay::sqlite
