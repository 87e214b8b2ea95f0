// Ids of children.
//
// The id of a child is a path: its parent's id, a '/' and its name. A path that is longer than
// Limits::name_bytes is shortened. All names before the last, or all names, are replaced by an
// empty name and a segment that stands for the run at that level:
//
//   path                                 id
//   order-7/ship                         order-7/ship
//   r/1/1/... (127 levels)/1             r//127.<digest of the parent's id>/1
//   r/<a name of 254 bytes>              r//1.<digest of the path>
//
// No name of a child is empty or has a '/', so only a shortened path has "//". It keeps the root's
// id, because the shard of a tree is a hash of that. The same path has the same id for ever: ids
// are recorded, and a replay must arrive at the recorded ones.
#pragma once

#include "replay/identity.hpp"
#include "replay/journal.hpp"
#include <belay/detail/engine.hpp>
#include <belay/limits.hpp>

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace belay::replay {

/// The bytes by which the id of the run for a failure is longer than that of the run that fails.
inline constexpr std::size_t kRoomForFailure = 30;

/// Returns the number of runs above the one that has this id: 0 for a root.
[[nodiscard]] std::uint64_t level_of(std::string_view id) noexcept;

/// Makes the id of a child of this execution. Its name is the one that the spec gives it, or the
/// number of its command. Throws std::invalid_argument for a name that another child may have for
/// an id. Throws LimitExceeded for a name that is too long, and for a child that is too deep.
[[nodiscard]] std::string child_id(const Identity& parent,
                                   const Limits& limits,
                                   const Journal& journal,
                                   const detail::OperationSpec& spec,
                                   CommandNo command,
                                   std::uint32_t attempt);

/// Throws std::invalid_argument if `id` cannot be the id of a run without a parent.
void require_detached_id(const std::string& id, const Limits& limits);

}  // namespace belay::replay
