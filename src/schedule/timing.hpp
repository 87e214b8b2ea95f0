// The times at which a schedule is due.
#pragma once

#include "schedule/cron.hpp"
#include "schedule/zone.hpp"
#include <belay/time.hpp>

#include <cstddef>
#include <optional>
#include <string_view>
#include <variant>
#include <vector>

namespace belay::schedule {

/// The local times of a cron expression.
struct ByCron {
    Cron cron;
    Zone zone{};
};

/// `anchor`, and every `period` after it. `period` is positive.
struct Every {
    Millis period{0};
    Timestamp anchor{};
};

/// One time.
struct Once {
    Timestamp at{};
};

struct Timing {
    std::variant<ByCron, Every, Once> rule;
    std::optional<Timestamp> start{};  ///< Not due before.
    std::optional<Timestamp> end{};    ///< Not due at or after it.
};

/// Returns the first time after `after` at which it is due; none if there is none.
[[nodiscard]] std::optional<Timestamp> next_after(const Timing& timing, Timestamp after);

/// Returns at most `most` times after `after`, up to and including `until`, in order.
[[nodiscard]] std::vector<Timestamp> due_between(const Timing& timing,
                                                 Timestamp after,
                                                 Timestamp until,
                                                 std::size_t most);

/// Returns a delay from zero to `most`, the same for the same schedule and time in every process.
/// So schedules that are due at once spread, and no tick is begun twice.
[[nodiscard]] Millis jitter_of(std::string_view schedule, Timestamp due, Millis most);

}  // namespace belay::schedule
