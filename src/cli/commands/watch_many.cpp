#include "cli/commands/watch_many.hpp"

#include "cli/commands/input.hpp"
#include "cli/instance_view.hpp"
#include "cli/payload_view.hpp"
#include "cli/text.hpp"
#include "cli/values.hpp"
#include <belay/shown_status.hpp>

#include <algorithm>
#include <optional>

namespace belay::cli {

namespace {

/// One of them, as it was seen last.
struct Watched {
    InstanceBrief brief;
    std::optional<InstanceInfo> info;
    bool gone = false;

    [[nodiscard]] bool is_over() const { return gone || (info && has_ended(*info)); }
    [[nodiscard]] bool is_well() const { return info && !gone && ended_well(info->status); }
};

bool is_same(const InstanceInfo& a, const InstanceInfo& b) {
    return shown_status(a) == shown_status(b) && a.execution == b.execution && a.held == b.held &&
           a.custom_status_version == b.custom_status_version;
}

/// Looks at the run, also if another one has its name by now. True if anything is new.
bool look(Context& context, Watched& one) {
    auto found = context.service().ask(requests::Inspect{one.brief.name, one.brief.run});
    if (!found && found.error().code() == Errc::not_found) {
        one.gone = true;
        return true;
    }
    InstanceInfo info = or_throw(std::move(found));
    const bool news = !one.info || !is_same(*one.info, info);
    one.info = std::move(info);
    return news;
}

/// Returns the remark beside its status, as a safe line.
std::string remark_of(const Watched& one) {
    if (!one.info || one.gone) return {};
    const InstanceInfo& info = *one.info;
    if (info.outcome && has_ended(info)) return outcome_line(*info.outcome);
    if (info.held) return safe("held: " + info.held_detail);
    std::string text;
    if (info.execution > 1) text = "execution " + std::to_string(info.execution);
    const auto add = [&](const std::string& more) { text += (text.empty() ? "" : ", ") + more; };
    if (info.cancel) add(cancel_line(*info.cancel));
    if (info.code_missing_since) add("nobody has its code");
    if (info.custom_status) add("says " + safe(payload_line(*info.custom_status)));
    return text;
}

void print_change(Context& context, const Watched& one) {
    const Timestamp now = context.store_now();
    const std::string remark = remark_of(one);
    const std::string_view status = one.gone ? "deleted" : to_string(shown_status(*one.info));
    if (!context.json()) {
        // An outcome begins with the status.
        const bool says_it = one.info && one.info->outcome && has_ended(*one.info) && !one.gone;
        context.print_line(
            format_time(now) + "  " + safe(one.brief.name.id) + "  " +
            (says_it ? remark : std::string(status) + (remark.empty() ? "" : ", " + remark)));
        return;
    }
    JsonWriter line;
    line.open_object();
    write_time(line, "at", now);
    line.field("id", one.brief.name.id)
        .field("space", one.brief.name.space)
        .field("run", to_string(one.brief.run))
        .field("status", status);
    if (!one.gone) {
        line.field("execution", one.info->execution).field("held", one.info->held);
        if (one.info->outcome) write_outcome(line, *one.info->outcome);
    }
    line.close_object();
    context.print(line);
}

void draw(Context& context, const std::vector<Watched>& all) {
    const Terminal& terminal = context.terminal();
    const Timestamp now = context.store_now();
    std::vector<const Watched*> rows;
    rows.reserve(all.size());
    std::size_t ended = 0;
    for (const bool over : {false, true}) {
        for (const Watched& one : all) {
            if (one.is_over() != over) continue;
            rows.push_back(&one);
            if (over) ++ended;
        }
    }
    // The first line, the titles, and the last line are there too.
    const std::size_t fit = std::max<std::size_t>(terminal.height, 8) - 4;
    const std::size_t left_out = rows.size() > fit ? rows.size() - fit : 0;
    rows.resize(rows.size() - left_out);

    Table table({id_column("ID"),
                 {.title = "STATUS"},
                 {.title = "DEFINITION", .least = 8},
                 {.title = "AGE"},
                 remark_column("REMARK")});
    for (const Watched* one : rows) {
        table.add(
            {one->brief.name.id,
             one->gone ? Cell("deleted", Colour::red) : status_cell(shown_status(*one->info)),
             one->info ? one->info->definition : "",
             one->info ? format_duration(std::max(now - one->info->created_at, Millis(0))) : "",
             remark_of(*one)});
    }
    std::string text = std::string(kClearScreen) + std::to_string(ended) + " of " +
                       counted(all.size(), "instance") + " ended\n" + table.render(terminal);
    if (left_out > 0) text += "... and " + std::to_string(left_out) + " more\n";
    context.print(text);
}

}  // namespace

bool wait_a_little(Context& context, Millis interval) {
    Terminal& terminal = context.terminal();
    terminal.out.flush();
    return terminal.out.good() && terminal.pause(interval);
}

bool ended_well(Status status) noexcept {
    return status == Status::completed || status == Status::skipped;
}

Exit watch_many(Context& context, const std::vector<InstanceBrief>& which, Millis interval) {
    const bool drawn = context.terminal().out_is_terminal && !context.json();
    std::vector<Watched> all;
    all.reserve(which.size());
    for (const InstanceBrief& brief : which) all.push_back(Watched{brief, std::nullopt});
    while (true) {
        for (Watched& one : all) {
            if (!one.is_over() && look(context, one) && !drawn) print_change(context, one);
        }
        if (drawn) draw(context, all);
        if (std::all_of(all.begin(), all.end(), [](const Watched& one) { return one.is_over(); })) {
            break;
        }
        if (!wait_a_little(context, interval)) return Exit::ok;
    }
    const bool well =
        std::all_of(all.begin(), all.end(), [](const Watched& one) { return one.is_well(); });
    return well ? Exit::ok : Exit::failed;
}

}  // namespace belay::cli
