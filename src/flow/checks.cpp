#include "flow/checks.hpp"

#include "flow/definition/reading.hpp"
#include "schedule/cron.hpp"
#include "schedule/zone.hpp"

#include <string>
#include <utility>
#include <vector>

namespace belay::flow {

ReadOptions with_all_checks() {
    ReadOptions options;
    options.check_cron = [](std::string_view text) -> std::optional<Refusal> {
        const auto cron = schedule::Cron::parse(text);
        if (cron) return std::nullopt;
        return Refusal{cron.error().message,
                       "Write minute, hour, day, month and weekday, as in 0 3 * * *"};
    };
    options.check_zone = [](std::string_view name) -> std::optional<Refusal> {
        const auto zone = schedule::Zone::find(name);
        if (zone) return std::nullopt;
        const std::vector<std::string> all = schedule::Zone::names();
        std::string advice = did_you_mean(name, {all.begin(), all.end()});
        if (advice.empty()) advice = "Use a name like Europe/Brussels, or UTC";
        return Refusal{"", std::move(advice)};
    };
    return options;
}

}  // namespace belay::flow
