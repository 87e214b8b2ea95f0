// Schedules: when a flow starts by itself.
#include "flow/definition/draft.hpp"
#include "flow/definition/limits.hpp"
#include "flow/definition/params.hpp"

#include <algorithm>

namespace belay::flow {

namespace {

using OverlapName = std::pair<std::string_view, Overlap>;
using CatchUpName = std::pair<std::string_view, CatchUp>;

constexpr OverlapName kOverlaps[] = {{"skip", Overlap::skip},
                                     {"queue", Overlap::queue},
                                     {"queue_all", Overlap::queue_all},
                                     {"cancel", Overlap::cancel},
                                     {"allow", Overlap::allow}};
constexpr CatchUpName kCatchUps[] = {
    {"none", CatchUp::none}, {"one", CatchUp::one}, {"all", CatchUp::all}};

constexpr Millis kShortestInterval{1'000};

void read_checked(Reading& in,
                  const Entry& entry,
                  const ReadOptions::Check& check,
                  std::string_view what,
                  std::string& out) {
    if (!in.text(entry, out) || !check) return;
    if (const auto wrong = check(out)) {
        in.report(entry.value.place,
                  std::string(what) + " " + in_quotes(out) +
                      (wrong->why.empty() ? "" : ": " + wrong->why),
                  wrong->advice);
    }
}

void read_given_params(Reading& in, const Entry& entry, Schedule& schedule) {
    if (!in.is_map(entry.value, in_quotes(entry.name))) return;
    for (std::size_t i = 0; i < entry.value.keys.size(); ++i) {
        if (auto value = in.constant(entry.value.items[i])) {
            schedule.params.emplace_back(entry.value.keys[i].name, *std::move(value));
        }
    }
}

constexpr Field<Schedule> kScheduleFields[] = {
    {"name",
     [](Reading& in, const Entry& entry, Schedule& schedule) {
         (void)in.flow_name(entry, schedule.name);
     }},
    {"cron",
     [](Reading& in, const Entry& entry, Schedule& schedule) {
         read_checked(in, entry, in.options.check_cron, "bad cron expression", schedule.cron);
     }},
    {"every",
     [](Reading& in, const Entry& entry, Schedule& schedule) {
         (void)in.duration(entry, kShortestInterval, schedule.every);
     }},
    {"at",
     [](Reading& in, const Entry& entry, Schedule& schedule) {
         (void)in.time(entry, schedule.at);
     }},
    {"zone",
     [](Reading& in, const Entry& entry, Schedule& schedule) {
         read_checked(in, entry, in.options.check_zone, "unknown time zone", schedule.zone);
     }},
    {"starts",
     [](Reading& in, const Entry& entry, Schedule& schedule) {
         (void)in.time(entry, schedule.starts);
     }},
    {"ends",
     [](Reading& in, const Entry& entry, Schedule& schedule) {
         if (!in.time(entry, schedule.ends)) return;
         if (!schedule.starts || *schedule.starts < *schedule.ends) return;
         in.report(entry.value.place, "the schedule ends before it starts");
     }},
    {"overlap",
     [](Reading& in, const Entry& entry, Schedule& schedule) {
         (void)in.choice<Overlap>(entry, kOverlaps, schedule.overlap);
     }},
    {"catch_up",
     [](Reading& in, const Entry& entry, Schedule& schedule) {
         (void)in.choice<CatchUp>(entry, kCatchUps, schedule.catch_up);
     }},
    {"catch_up_within",
     [](Reading& in, const Entry& entry, Schedule& schedule) {
         (void)in.duration(entry, Millis(1), schedule.catch_up_within);
     }},
    {"jitter",
     [](Reading& in, const Entry& entry, Schedule& schedule) {
         (void)in.duration(entry, Millis(0), schedule.jitter);
     }},
    {"pause_on_failure",
     [](Reading& in, const Entry& entry, Schedule& schedule) {
         (void)in.boolean(entry, schedule.pause_on_failure);
     }},
    {"params", read_given_params},
};

void read_schedule(Reading& in, const yaml::Value& object, std::vector<Schedule>& out) {
    Schedule schedule;
    schedule.place = object.place;
    if (!read_object<Schedule>(in, object, "a schedule", kScheduleFields, schedule)) return;
    static constexpr std::string_view kTicks[] = {"cron", "every", "at"};
    const auto given = std::ranges::count_if(
        kTicks, [&](std::string_view field) { return object.find(field) != nullptr; });
    if (given != 1) {
        in.report(object.place,
                  given == 0 ? "the schedule has no ticks" : "the schedule has two kinds of ticks",
                  "Give it one of cron, every or at");
    }
    const bool twice = !schedule.name.empty() &&
                       std::ranges::find(out, schedule.name, &Schedule::name) != out.end();
    if (twice) in.report(object.place, "two schedules have the name " + in_quotes(schedule.name));
    out.push_back(std::move(schedule));
}

/// Returns the place of a param in a schedule, or that of the schedule.
Place place_of(const yaml::Value& object, std::string_view param) {
    const yaml::Value* const params = object.find("params");
    const yaml::Value* const value = params == nullptr ? nullptr : params->find(param);
    return value == nullptr ? object.place : value->place;
}

void check_schedule(Reading& in,
                    const yaml::Value& object,
                    const std::vector<Param>& params,
                    Schedule& schedule) {
    for (auto& [name, value] : schedule.params) {
        const auto param = std::ranges::find(params, name, &Param::name);
        if (param == params.end()) {
            in.report(place_of(object, name),
                      "unknown param " + in_quotes(name),
                      did_you_mean(name, names_of(params)));
            continue;
        }
        auto fitted = fit(*param, value);
        if (!fitted) {
            in.report(place_of(object, name), "param " + in_quotes(name) + " " + fitted.error());
        } else {
            value = *std::move(fitted);
        }
    }
    for (const Param& param : params) {
        const bool given = std::ranges::any_of(
            schedule.params, [&](const auto& one) { return one.first == param.name; });
        if (given || !param.required) continue;
        in.report(object.place,
                  "the schedule gives no " + in_quotes(param.name),
                  "Write it under \"params\", or give the param a default");
    }
}

}  // namespace

void read_schedules(Reading& in, const Entry& entry, std::vector<Schedule>& out) {
    if (!in.is_list(entry)) return;
    if (entry.value.items.size() > kMostSchedules) {
        in.report(entry.key,
                  "there are more than " + std::to_string(kMostSchedules) + " schedules");
        return;
    }
    for (const yaml::Value& item : entry.value.items) read_schedule(in, item, out);
}

void check_schedules(Reading& in, const yaml::Value& document, Definition& definition) {
    const yaml::Value* const list = document.find("schedules");
    if (list == nullptr) return;
    for (Schedule& schedule : definition.schedules) {
        for (const yaml::Value& item : list->items) {
            if (item.place != schedule.place) continue;
            check_schedule(in, item, definition.params, schedule);
            break;
        }
    }
}

std::vector<ObjectFields> schedule_fields() {
    return {{"a schedule", names_of<Schedule>(kScheduleFields)}};
}

}  // namespace belay::flow
