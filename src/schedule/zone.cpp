#include "schedule/zone.hpp"

#include <date/tz.h>

#include <exception>
#include <filesystem>
#include <stdexcept>
#include <system_error>

namespace belay::schedule {

std::expected<Zone, std::string> Zone::find(std::string_view name) {
    Zone zone;
    if (name == "UTC") return zone;
    try {
        zone.zone_ = date::locate_zone(std::string(name));
    } catch (const std::exception&) {
        return std::unexpected("unknown time zone '" + std::string(name) +
                               "'; use a name like Europe/Brussels, or UTC");
    }
    zone.name_ = name;
    return zone;
}

std::vector<std::string> Zone::names() {
    namespace fs = std::filesystem;
    static constexpr const char* kZoneData = "/usr/share/zoneinfo";
    std::vector<std::string> all{"UTC"};
    std::error_code problem;
    fs::recursive_directory_iterator entries(kZoneData, problem);
    while (!problem && entries != fs::recursive_directory_iterator()) {
        const std::string name = entries->path().lexically_relative(kZoneData).string();
        // Other files and folders have small letters.
        const bool is_zone = name.front() >= 'A' && name.front() <= 'Z';
        if (!is_zone) {
            entries.disable_recursion_pending();
        } else if (!entries->is_directory(problem)) {
            all.push_back(name);
        }
        entries.increment(problem);
    }
    return all;
}

LocalMinutes Zone::local(Timestamp at) const {
    const auto seconds = std::chrono::floor<std::chrono::seconds>(at);
    std::chrono::seconds since = seconds.time_since_epoch();
    if (zone_ != nullptr) since += zone_->get_info(seconds).offset;
    return std::chrono::floor<LocalMinutes>(since);
}

Timestamp Zone::due(LocalMinutes local) const {
    const std::chrono::seconds since = local;
    if (zone_ == nullptr) return Timestamp(since);
    const date::local_info info = zone_->get_info(date::local_seconds(since));
    if (info.result == date::local_info::nonexistent) return info.first.end;
    return Timestamp(since - info.first.offset);
}

}  // namespace belay::schedule
