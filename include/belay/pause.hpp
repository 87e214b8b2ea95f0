// Pauses: an operator stops the work of a queue or of a definition for a while.
#pragma once

#include <belay/time.hpp>

#include <cstdint>
#include <string>

namespace belay {

/// Things that can be paused. Stored as these integers for ever.
enum class PauseKind : std::uint8_t {
    queue = 1,       ///< A queue of activities: no attempt of it begins.
    definition = 2,  ///< An orchestration: its runs take no turns, unless they are canceled.
};

/// A pause as a store keeps it, over all namespaces.
struct Pause {
    PauseKind kind = PauseKind::queue;
    std::string paused;  ///< The queue (empty: the default queue), or the definition.
    Timestamp since{};
    std::string by;
    std::string reason;
    bool operator==(const Pause&) const = default;
};

}  // namespace belay
