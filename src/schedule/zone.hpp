// Time zones: from local time to UTC and back.
#pragma once

#include <belay/time.hpp>

#include <chrono>
#include <expected>
#include <string>
#include <string_view>
#include <vector>

namespace date {
class time_zone;
}

namespace belay::schedule {

/// A time as clocks on a wall show it, in whole minutes since 1970.
using LocalMinutes = std::chrono::duration<std::int64_t, std::ratio<60>>;

/// A time zone of the machine's zone data. Cheap to copy; valid as long as the process.
class Zone {
public:
    /// UTC, which needs no zone data.
    Zone() = default;
    /// Returns the names of the zones of this machine.
    [[nodiscard]] static std::vector<std::string> names();
    /// Finds a zone by its name: "Europe/Brussels". Returns a sentence about the problem if there
    /// is none of that name.
    [[nodiscard]] static std::expected<Zone, std::string> find(std::string_view name);

    [[nodiscard]] std::string_view name() const noexcept { return name_; }

    /// Returns the local time at `at`, without its seconds.
    [[nodiscard]] LocalMinutes local(Timestamp at) const;
    /// Returns the time at which `local` is due: the first time if it comes twice, the end of the
    /// gap if it does not exist. Later local times are never due before.
    [[nodiscard]] Timestamp due(LocalMinutes local) const;

private:
    const date::time_zone* zone_ = nullptr;
    std::string name_ = "UTC";
};

}  // namespace belay::schedule
