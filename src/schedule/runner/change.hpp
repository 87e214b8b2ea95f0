// Changes that people send to a schedule, as messages.
#pragma once

#include <belay/payload.hpp>
#include <belay/time.hpp>

#include <cstdint>
#include <optional>
#include <string>

namespace belay::schedule {

enum class ChangeKind : std::uint8_t { pause = 1, resume, run_now, backfill, update };

struct Change {
    ChangeKind kind = ChangeKind::pause;
    std::string by{};
    std::string why{};
    Timestamp from{};    ///< backfill
    Timestamp to{};      ///< backfill
    std::string spec{};  ///< update: the JSON form.
};

[[nodiscard]] Payload encode(const Change& change);
/// Returns none for a message that is no change: anybody can send one.
[[nodiscard]] std::optional<Change> decode_change(const Payload& message);

}  // namespace belay::schedule
