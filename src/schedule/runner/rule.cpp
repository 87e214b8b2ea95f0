#include "schedule/runner/rule.hpp"

#include "base/utc.hpp"
#include "schedule/runner/target.hpp"
#include <belay/ids.hpp>
#include <belay/limits.hpp>

namespace belay::schedule {

namespace {

std::optional<ByCron> by_cron(const ScheduleSpec& spec, Problems& problems) {
    const auto cron = Cron::parse(spec.cron);
    if (!cron) {
        problems.add("cron \"" + spec.cron + "\", character " +
                     std::to_string(cron.error().column) + ": " + cron.error().message);
    }
    const auto zone = Zone::find(spec.zone);
    if (!zone) problems.add("zone: " + zone.error());
    if (!cron || !zone) return std::nullopt;
    return ByCron{*cron, *zone};
}

void check_terms(const ScheduleSpec& spec, Problems& problems) {
    if (spec.starts && spec.ends && *spec.starts >= *spec.ends) {
        problems.add("\"ends\" is not after \"starts\"");
    }
    if (spec.jitter < Millis(0) || spec.jitter > kLongestJitter) {
        problems.add("\"jitter\" must be from 0 to 24 hours");
    }
    if (spec.catch_up_within < Millis(0) || spec.catch_up_within > kLongestTime) {
        problems.add("\"catch_up_within\" must be from 0 to 100 years");
    }
    for (const std::optional<Timestamp>& time : {spec.at, spec.starts, spec.ends}) {
        if (time && !base::stamp(*time)) problems.add("a time that no calendar reaches");
    }
    if (spec.cron.empty() && spec.zone != "UTC") {
        problems.add("\"zone\" is for \"cron\" only: times of other schedules are in UTC");
    }
}

}  // namespace

std::optional<Timing> timing_of(const ScheduleSpec& spec, Problems& problems) {
    const int kinds = (spec.cron.empty() ? 0 : 1) + (spec.every ? 1 : 0) + (spec.at ? 1 : 0);
    if (kinds != 1) {
        problems.add("give exactly one of \"cron\", \"every\" and \"at\"");
        return std::nullopt;
    }
    Timing timing{Once{}, spec.starts, spec.ends};
    if (spec.at) timing.rule = Once{*spec.at};
    if (spec.every) {
        if (*spec.every < kShortestInterval || *spec.every > kLongestTime) {
            problems.add("\"every\" must be from one second to 100 years");
            return std::nullopt;
        }
        timing.rule = Every{*spec.every, spec.starts.value_or(Timestamp{})};
    }
    if (!spec.cron.empty()) {
        const std::optional<ByCron> rule = by_cron(spec, problems);
        if (!rule) return std::nullopt;
        timing.rule = *rule;
    }
    return timing;
}

void check_spec(const ScheduleSpec& spec, Problems& problems) {
    (void)timing_of(spec, problems);
    check_terms(spec, problems);
    check_target(spec, problems);
    const Result<void> text =
        check_text("the description", spec.description, Limits().reason_bytes);
    if (!text) problems.add(text.error().message());
}

}  // namespace belay::schedule
