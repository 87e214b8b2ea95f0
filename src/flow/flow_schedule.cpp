#include "flow/flow_schedule.hpp"

#include "flow/definition/params.hpp"
#include "flow/flow_code.hpp"
#include "flow/flow_start.hpp"
#include "flow/interpreter/values.hpp"

#include <utility>

namespace belay::flow {

namespace {

belay::Overlap engine_choice(Overlap choice) noexcept {
    switch (choice) {
        case Overlap::queue: return belay::Overlap::queue;
        case Overlap::queue_all: return belay::Overlap::queue_all;
        case Overlap::cancel: return belay::Overlap::cancel;
        case Overlap::allow: return belay::Overlap::allow;
        case Overlap::skip: break;
    }
    return belay::Overlap::skip;
}

belay::CatchUp engine_choice(CatchUp choice) noexcept {
    switch (choice) {
        case CatchUp::none: return belay::CatchUp::none;
        case CatchUp::all: return belay::CatchUp::all;
        case CatchUp::one: break;
    }
    return belay::CatchUp::one;
}

ScheduleSpec times_of(const Schedule& schedule) {
    ScheduleSpec spec;
    spec.cron = schedule.cron;
    spec.every = schedule.every;
    spec.at = schedule.at;
    spec.zone = schedule.zone;
    spec.starts = schedule.starts;
    spec.ends = schedule.ends;
    spec.jitter = schedule.jitter;
    spec.overlap = engine_choice(schedule.overlap);
    spec.catch_up = engine_choice(schedule.catch_up);
    spec.catch_up_within = schedule.catch_up_within.value_or(spec.catch_up_within);
    spec.pause_on_failure = schedule.pause_on_failure;
    return spec;
}

expr::Value params_of(const Schedule& schedule) {
    Fields fields;
    for (const auto& [name, value] : schedule.params) fields.emplace_back(name, value);
    return expr::Value(map_of(std::move(fields)));
}

}  // namespace

Result<void> set_target(const Bundle& bundle, const expr::Value& params, ScheduleSpec& spec) {
    const Definition& main = bundle.main_flow();
    const auto checked = check_params(main, params);
    if (!checked) return Error(Errc::invalid_argument, described(checked.error()));
    Result<std::optional<belay::Concurrency>> key = concurrency_of(main, *checked);
    if (!key) return key.error();
    Result<Payload> input = start_input(params);
    if (!input) return input.error();
    spec.definition = bundle.main;
    spec.input = std::move(*input);
    spec.document = document_of(bundle);
    spec.version = std::string(kInterpreterVersion);
    for (const auto& [label, value] : main.labels) spec.labels.emplace(label, value);
    if (spec.priority == 0) spec.priority = main.priority;
    if (!spec.expires) spec.expires = main.expires;
    if (!spec.concurrency) spec.concurrency = std::move(*key);
    if (!spec.rate) spec.rate = rate_of(main);
    spec.on_fail = !main.on_fail.empty();
    return {};
}

Result<ScheduleSpec> schedule_flow(const Bundle& bundle,
                                   const expr::Value& params,
                                   const std::string& name,
                                   ScheduleSpec times) {
    ScheduleSpec spec = std::move(times);
    if (Result<void> set = set_target(bundle, params, spec); !set) return set.error();
    spec.headers[kStartedByHeader] = "schedule " + name;
    if (Result<void> usable = spec.check(); !usable) return usable.error();
    return spec;
}

Result<std::vector<NamedSchedule>> schedules_of(const Bundle& bundle) {
    std::vector<NamedSchedule> all;
    std::size_t number = 0;
    for (const Schedule& schedule : bundle.main_flow().schedules) {
        ++number;
        const std::string own = schedule.name.empty() ? std::to_string(number) : schedule.name;
        std::string name = bundle.main + "-" + own;
        auto spec = schedule_flow(bundle, params_of(schedule), name, times_of(schedule));
        if (!spec) {
            return Error(spec.error().code(), "schedule '" + name + "': " + spec.error().message());
        }
        all.push_back({std::move(name), std::move(*spec)});
    }
    return all;
}

}  // namespace belay::flow
