#include "cli/flow/apply_schedules.hpp"

#include "cli/exit_code.hpp"
#include "cli/text.hpp"
#include "flow/flow_schedule.hpp"
#include <belay/schedules.hpp>

#include <algorithm>
#include <utility>

namespace belay::cli {

namespace {

const char* apply_one(Schedules& schedules,
                      const flow::NamedSchedule& schedule,
                      const ScheduleNote& note) {
    const Result<ScheduleView> found = schedules.show(schedule.name);
    if (!found && found.error().code() != Errc::not_found) or_throw(Result<void>(found.error()));
    if (!found || found->ended) {
        or_throw(schedules.create(schedule.name, schedule.spec, note));
        return "added";
    }
    if (found->spec == schedule.spec) return "unchanged";
    or_throw(schedules.update(schedule.name, schedule.spec, note));
    return "updated";
}

/// The schedules of this flow that have a name as if its file had made them, and are not in it.
std::vector<std::string> left_over(Schedules& schedules,
                                   const std::string& flow,
                                   const std::vector<flow::NamedSchedule>& wanted) {
    std::vector<std::string> names;
    for (const ScheduleView& view : or_throw(schedules.list())) {
        const bool is_wanted =
            std::ranges::find(wanted, view.name, &flow::NamedSchedule::name) != wanted.end();
        if (view.ended || is_wanted || !view.name.starts_with(flow + "-")) continue;
        const Result<ScheduleView> whole = schedules.show(view.name);
        if (whole && whole->spec.definition == flow) names.push_back(view.name);
    }
    return names;
}

}  // namespace

std::vector<AppliedSchedule> apply_schedules(Context& context,
                                             const Pipeline& pipeline,
                                             const std::string& by) {
    const auto wanted = or_throw(flow::schedules_of(pipeline.bundle));
    Client& client = context.client(Opening::create);
    client.default_namespace(context.space());
    Schedules schedules(client);
    const ScheduleNote note = ScheduleNote().by(by).why("from " + pipeline.path);
    std::vector<AppliedSchedule> applied;
    applied.reserve(wanted.size());
    for (const flow::NamedSchedule& schedule : wanted) {
        applied.push_back({schedule.name, apply_one(schedules, schedule, note)});
    }
    for (std::string& name : left_over(schedules, pipeline.bundle.main, wanted)) {
        applied.push_back({std::move(name), "not in the file"});
    }
    return applied;
}

void print_applied(Context& context, const std::vector<AppliedSchedule>& applied) {
    for (const AppliedSchedule& one : applied) {
        if (context.json()) {
            JsonWriter line;
            line.open_object().field("name", one.name).field("result", one.what).close_object();
            context.print(line);
        } else {
            context.print_line("schedule " + safe(one.name) + ": " + one.what);
        }
        if (one.what != "not in the file") continue;
        context.terminal().err << "the file has no schedule '" << safe(one.name)
                               << "' any more; 'belay schedules remove' ends it\n";
    }
}

}  // namespace belay::cli
