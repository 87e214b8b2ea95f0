#include "cli/schedule_view.hpp"

#include "cli/instance_view.hpp"
#include "cli/table.hpp"
#include "cli/text.hpp"
#include "cli/values.hpp"
#include "schedule/zone.hpp"

namespace belay::cli {

namespace {

const char* cause_word(ScheduleCause cause) {
    switch (cause) {
        case ScheduleCause::tick: return "tick";
        case ScheduleCause::catch_up: return "catch-up";
        case ScheduleCause::backfill: return "backfill";
        case ScheduleCause::run_now: break;
    }
    return "by hand";
}

void write_run(JsonWriter& out, const ScheduledRun& run) {
    out.open_object();
    if (!run.id.empty()) out.field("id", run.id);
    write_time(out, "tick", run.tick);
    out.field("cause", cause_word(run.cause));
    write_time(out, "started_at", run.started_at);
    if (run.status) out.field("status", to_string(*run.status));
    if (!run.problem.empty()) out.field("problem", run.problem);
    out.close_object();
}

std::string runs_table(Context& context, const std::vector<ScheduledRun>& runs) {
    Table table({id_column("LAST RUNS"),
                 {.title = "DUE"},
                 {.title = "CAUSE"},
                 {.title = "STATUS"},
                 remark_column("PROBLEM")});
    for (const ScheduledRun& run : runs) {
        const Cell missing(run.problem.empty() ? "deleted" : "not started");
        table.add({run.id,
                   format_time(run.tick),
                   cause_word(run.cause),
                   run.status ? status_cell(*run.status) : missing,
                   run.problem});
    }
    return table.render(context.terminal());
}

std::string counts_line(const ScheduleView& view) {
    std::string line = std::to_string(view.fired) + " started, " + std::to_string(view.skipped) +
                       " skipped, " + std::to_string(view.missed) + " missed, " +
                       std::to_string(view.refused) + " refused";
    if (view.waiting > 0) line += ", " + std::to_string(view.waiting) + " waiting";
    return line;
}

std::string pause_line(const ScheduleView& view) {
    std::string line = "paused";
    if (!view.paused_by.empty()) line += " by " + safe(view.paused_by);
    if (view.paused_at) line += " at " + format_time(*view.paused_at);
    if (!view.paused_why.empty()) line += ": " + safe(view.paused_why);
    return line;
}

}  // namespace

std::string tick_line(Timestamp at, const std::string& zone) {
    const auto found = schedule::Zone::find(zone);
    if (zone == "UTC" || !found) return format_time(at);
    std::string local = format_time(Timestamp(std::chrono::minutes(found->local(at))));
    local.resize(local.find('T') + 6);
    local[local.find('T')] = ' ';
    return format_time(at) + "  " + local + " " + safe(zone);
}

std::string state_word(const ScheduleView& view) {
    if (view.ended) return "ended";
    if (view.paused) return "paused";
    return view.problem.empty() ? "active" : "in trouble";
}

void write_schedule(JsonWriter& out, const ScheduleView& view, const ScheduleSpec* spec) {
    out.open_object().field("name", view.name).field("state", state_word(view));
    if (view.paused) {
        out.field("paused_by", view.paused_by).field("paused_why", view.paused_why);
        write_time(out, "paused_at", view.paused_at);
    }
    write_time(out, "next", view.next);
    if (!view.problem.empty()) out.field("problem", view.problem);
    out.field("fired", view.fired).field("skipped", view.skipped).field("missed", view.missed);
    out.field("refused", view.refused).field("waiting", view.waiting);
    if (spec != nullptr) out.field("changes", view.changes);
    out.key("runs").open_array();
    for (const ScheduledRun& run : view.runs) write_run(out, run);
    out.close_array();
    if (spec != nullptr) out.key("spec").raw(spec->json());
    out.close_object();
}

void print_schedule(Context& context,
                    const ScheduleView& view,
                    const std::vector<Timestamp>& ticks) {
    std::string text = safe(view.name) + ": " + state_word(view) + "\n";
    if (view.paused) text += pause_line(view) + "\n";
    if (!view.problem.empty()) text += "problem: " + safe(view.problem) + "\n";
    if (view.changes > 0) {
        text += std::to_string(view.changes) +
                (view.changes == 1 ? " change waits" : " changes wait") +
                " for a worker; what follows is from before\n";
    }
    if (!view.spec.description.empty()) text += safe(view.spec.description) + "\n";
    ScheduleSpec spec = view.spec;
    if (spec.document) text += "with its own definition of '" + safe(spec.definition) + "'\n";
    spec.document.reset();  // Too long for people; --json has it.
    text += safe(spec.json()) + "\n" + counts_line(view) + "\n";
    if (!view.ended) {
        text += view.paused ? "next times, once it is resumed:\n" : "next times:\n";
        for (const Timestamp tick : ticks) text += "  " + tick_line(tick, view.spec.zone) + "\n";
    }
    if (!view.runs.empty()) text += runs_table(context, view.runs);
    context.print(text);
}

}  // namespace belay::cli
