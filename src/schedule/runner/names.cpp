#include "schedule/runner/names.hpp"

#include <belay/ids.hpp>

namespace belay::schedule {

namespace {

constexpr std::string_view kPrefix = "belay.schedule.";

}  // namespace

std::string id_of(std::string_view name) { return std::string(kPrefix).append(name); }

std::string name_of(std::string_view id) {
    if (id.starts_with(kPrefix)) id.remove_prefix(kPrefix.size());
    return std::string(id);
}

Result<void> check_schedule_name(std::string_view name) {
    Result<void> checked = check_name("the name of the schedule", name, kLongestName);
    if (!checked) return checked;
    if (name.find('/') == std::string_view::npos) return {};
    return Error(Errc::invalid_argument,
                 "the name of the schedule '" + std::string(name) +
                     "' has a '/', which is reserved for children");
}

}  // namespace belay::schedule
