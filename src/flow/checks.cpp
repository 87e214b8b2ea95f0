#include "flow/checks.hpp"

#include "schedule/cron.hpp"
#include "schedule/zone.hpp"

namespace belay::flow {

ReadOptions with_all_checks() {
    ReadOptions options;
    options.check_cron = [](std::string_view text) -> std::optional<std::string> {
        const auto cron = schedule::Cron::parse(text);
        if (cron) return std::nullopt;
        return cron.error().message;
    };
    options.check_zone = [](std::string_view name) -> std::optional<std::string> {
        if (schedule::Zone::find(name)) return std::nullopt;
        return "use a name like Europe/Brussels, or UTC";
    };
    return options;
}

}  // namespace belay::flow
