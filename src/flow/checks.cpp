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
        const auto zone = schedule::Zone::find(name);
        if (zone) return std::nullopt;
        return zone.error();
    };
    return options;
}

}  // namespace belay::flow
