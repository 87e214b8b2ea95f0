#include "cli/flow/live_view.hpp"

#include "cli/flow/screen.hpp"
#include "cli/instance_view.hpp"
#include "cli/text.hpp"
#include "cli/values.hpp"
#include "graph/rails.hpp"

#include <algorithm>
#include <array>
#include <utility>

namespace belay::cli {

namespace {

using graph::State;

constexpr std::size_t kWidestTitle = 28;
constexpr std::size_t kBar = 12;

Colour state_colour(State state) noexcept {
    switch (state) {
        case State::completed: return Colour::green;
        case State::failed: return Colour::red;
        case State::started: return Colour::cyan;
        case State::waiting:
        case State::canceling:
        case State::canceled: return Colour::yellow;
        default: return Colour::dim;
    }
}

// ---- One line ----------------------------------------------------------------------------------

/// A line that is filled from the left until its room is used up.
class Line {
public:
    Line(const Terminal& terminal, std::size_t room) : terminal_(&terminal), room_(room) {}

    Line& add(Colour colour, std::string_view text) {
        const std::string shown = fitted(text, room_);
        room_ -= columns_of(shown);
        text_ += terminal_->paint(colour, shown);
        return *this;
    }
    Line& add(std::string_view text) { return add(Colour::none, text); }
    /// Adds spaces up to a column, counted from `from`, the room that was left there.
    Line& pad(std::size_t from, std::size_t columns) {
        const std::size_t used = from - room_;
        return used < columns ? add(std::string(columns - used, ' ')) : *this;
    }
    [[nodiscard]] std::size_t room() const noexcept { return room_; }
    [[nodiscard]] std::string take() {
        while (text_.ends_with(' ')) text_.pop_back();
        return std::move(text_);
    }

private:
    const Terminal* terminal_;
    std::size_t room_;
    std::string text_;
};

/// Returns a bar of twelve columns, to an eighth of a column.
std::string bar_of(const graph::Items& items) {
    constexpr std::array<std::string_view, 8> kPart{"", "▏", "▎", "▍", "▌", "▋", "▊", "▉"};
    const std::uint64_t all = std::max<std::uint64_t>(items.all, 1);
    const std::uint64_t eighths = std::min(items.ended, all) * kBar * 8 / all;
    std::string bar;
    for (std::uint64_t i = 0; i < eighths / 8; ++i) bar += "█";
    bar += kPart.at(eighths % 8);
    const std::size_t used = eighths / 8 + (eighths % 8 == 0 ? 0 : 1);
    for (std::size_t i = used; i < kBar; ++i) bar += "░";
    return bar;
}

std::string counts_of(const graph::Items& items) {
    std::string text = std::to_string(items.ended) + "/" + std::to_string(items.all);
    if (items.failed != 0) text += ", " + std::to_string(items.failed) + " failed";
    return text;
}

std::string wait_text(const StepView& step, Timestamp now) {
    const WaitView& wait = *step.waits;
    const std::string until = until_text(wait, now);
    const std::string end = until.empty() ? "" : ", " + until;
    switch (wait.what) {
        case WaitView::What::time: return until.empty() ? "sleeps" : "sleeps " + until;
        case WaitView::What::event: return "waits for event " + safe(wait.event) + end;
        case WaitView::What::approval: return "waits for a person" + end;
        case WaitView::What::retry: break;
    }
    const std::string again = wait.until ? "again in " + seconds_left(*wait.until - now) : "";
    return (step.why.empty() ? "failed" : safe(step.why)) + "; " + again;
}

void add_part(std::string& text, const std::string& part) {
    if (part.empty()) return;
    if (!text.empty()) text += ", ";
    text += part;
}

std::string elapsed(const WorkView& work, Timestamp now) {
    if (!work.began_at) return {};
    if (work.ended_at) return format_duration(*work.ended_at - *work.began_at);
    return whole_seconds(now - *work.began_at);
}

/// Adds the state of a step, behind its title.
void add_state(Line& line, const StepView& step, Timestamp now) {
    if (step.count) {
        line.add(step.count->failed != 0 ? Colour::yellow : Colour::cyan, bar_of(*step.count));
        line.add(" " + counts_of(*step.count) + "  ");
    }
    std::string text;
    switch (step.state) {
        case State::none:
        case State::pending: break;
        case State::queued: add_part(text, "queued"); break;
        case State::started:
            add_part(text, attempt_text(step));
            add_part(text, elapsed(step, now));
            break;
        case State::waiting:
            if (step.waits && step.waits->what == WaitView::What::retry) {
                add_part(text, attempt_text(step));
                text += text.empty() ? "" : ": ";
                text += wait_text(step, now);
            } else {
                add_part(text, step.waits ? wait_text(step, now) : "waits");
            }
            break;
        case State::completed: add_part(text, elapsed(step, now)); break;
        case State::failed:
            add_part(text, "failed");
            if (step.attempt > 1) add_part(text, attempt_text(step));
            if (!step.why.empty()) text += ": " + safe(step.why);
            break;
        case State::canceling:
        case State::skipped:
        case State::canceled:
            text = to_string(step.state);
            if (!step.why.empty()) text += ": " + safe(step.why);
            break;
    }
    const bool quiet = step.state == State::completed || step.state == State::started;
    line.add(quiet ? Colour::none : state_colour(step.state), text);
    if (step.state != State::started) return;
    if (!step.child.empty()) line.add(Colour::dim, "  run " + safe(step.child));
    if (!step.line.empty()) line.add(Colour::dim, "  " + safe(step.line));
}

// ---- Lists -------------------------------------------------------------------------------------

class Drawing {
public:
    Drawing(const Terminal& terminal, std::size_t width, Timestamp now)
        : terminal_(terminal), width_(width < 2 ? 1 : width - 1), now_(now) {}

    [[nodiscard]] Line line() const { return Line(terminal_, width_); }

    [[nodiscard]] std::vector<std::string> list(const ListView& list) const {
        const std::vector<graph::Rail> rails = rails_of(graph_of(list));
        std::size_t lanes = 0;
        for (const graph::Rail& rail : rails) lanes = std::max(lanes, rail.columns);
        lanes = std::min(lanes, width_ / 3);
        std::vector<std::string> lines;
        lines.reserve(rails.size());
        for (const graph::Rail& rail : rails) lines.push_back(drawn(list, rail, lanes));
        return lines;
    }

    /// One step without the edges beside it.
    [[nodiscard]] std::string step(const StepView& step, std::size_t title) const {
        Line line = this->line();
        line.add(state_colour(step.state), graph::sign_of(step.state)).add(" ");
        add_step(line, step, title);
        return line.take();
    }

private:
    [[nodiscard]] static graph::Graph graph_of(const ListView& list) {
        graph::Graph graph;
        for (const StepView& step : list.steps) {
            graph.nodes.push_back(
                graph::Node{.title = step.id, .kind = step.kind, .state = step.state});
        }
        graph.edges = list.edges;
        return graph;
    }

    [[nodiscard]] std::string drawn(const ListView& list,
                                    const graph::Rail& rail,
                                    std::size_t lanes) const {
        Line line = this->line();
        const std::size_t from = line.room();
        line.add(Colour::dim, rail.before);
        if (!rail.node) return line.take();
        const StepView& step = list.steps[*rail.node];
        line.add(state_colour(step.state), graph::sign_of(step.state));
        line.add(Colour::dim, rail.after).pad(from, lanes);
        add_step(line, step, title_columns(list));
        return line.take();
    }

    [[nodiscard]] static std::size_t title_columns(const ListView& list) {
        std::size_t most = 0;
        for (const StepView& step : list.steps) most = std::max(most, columns_of(step.id));
        return std::min(most, kWidestTitle);
    }

    void add_step(Line& line, const StepView& step, std::size_t title) const {
        const std::size_t from = line.room();
        const bool quiet = step.state == State::pending || step.state == State::skipped;
        line.add(quiet ? Colour::dim : Colour::none, fitted(safe(step.id), title));
        line.pad(from, title + 2);
        add_state(line, step, now_);
    }

    const Terminal& terminal_;
    std::size_t width_;
    Timestamp now_;
};

// ---- The whole ---------------------------------------------------------------------------------

bool is_under_way(const StepView& step) {
    return step.state == State::started || step.state == State::waiting ||
           step.state == State::queued || step.state == State::canceling ||
           step.state == State::failed;
}

std::string header(const RunView& view, const Drawing& drawing, Timestamp now) {
    Line line = drawing.line();
    line.add(Colour::bold, safe(view.flow)).add("  " + safe(view.id) + "  ");
    line.add(colour_of(view.status), to_string(view.status));
    const Timestamp end = view.ended_at.value_or(now);
    line.add("  " + (view.ended_at ? format_duration(end - view.created_at)
                                   : whole_seconds(end - view.created_at)));
    // Programs have so long to end after they were asked to.
    if (view.ended_at && !view.settled) {
        line.add(Colour::yellow,
                 "  waits " + whole_seconds(now - *view.ended_at) + " for programs that still run");
    }
    return line.take();
}

/// The questions that wait for a person.
std::vector<std::string> questions(const RunView& view, const Drawing& drawing) {
    std::vector<std::string> lines;
    for (const ListView& list : view.lists) {
        for (const StepView& step : list.steps) {
            if (!step.waits || step.waits->what != WaitView::What::approval) continue;
            lines.push_back(
                drawing.line().add(Colour::yellow, "? ").add(safe(step.waits->prompt)).take());
            lines.push_back(drawing.line().add("  ").add(Colour::bold, step.waits->answer).take());
        }
    }
    return lines;
}

std::vector<std::string> all_lists(const RunView& view, const Drawing& drawing) {
    std::vector<std::string> lines;
    for (std::size_t i = 0; i < view.lists.size(); ++i) {
        const ListView& list = view.lists[i];
        if (i > 0 && !has_begun(list)) continue;
        if (i > 0) lines.push_back(drawing.line().add(Colour::dim, list.name).take());
        for (std::string& line : drawing.list(list)) lines.push_back(std::move(line));
    }
    return lines;
}

/// The steps under way, and the number of the others.
std::vector<std::string> active_only(const RunView& view,
                                     const Drawing& drawing,
                                     std::size_t most) {
    std::vector<const StepView*> active;
    std::size_t ended = 0;
    std::size_t all = 0;
    std::size_t title = 0;
    for (const ListView& list : view.lists) {
        if (&list != &view.lists.front() && !has_begun(list)) continue;
        all += list.steps.size();
        ended += ended_steps(list);
        for (const StepView& step : list.steps) {
            if (!is_under_way(step)) continue;
            active.push_back(&step);
            title = std::max(title, std::min(columns_of(step.id), kWidestTitle));
        }
    }
    std::vector<std::string> lines;
    const std::size_t shown = std::min(active.size(), most > 1 ? most - 1 : 0);
    // The latest ones: a failure of long ago makes room.
    for (std::size_t i = active.size() - shown; i < active.size(); ++i) {
        lines.push_back(drawing.step(*active[i], title));
    }
    std::string rest = std::to_string(ended) + " of " + std::to_string(all) + " steps ended";
    if (shown < active.size()) {
        rest += ", " + std::to_string(active.size() - shown) + " more under way";
    }
    if (most > 0) lines.push_back(drawing.line().add(Colour::dim, rest).take());
    return lines;
}

}  // namespace

std::vector<std::string> graph_lines(const RunView& view,
                                     const Terminal& terminal,
                                     std::size_t width,
                                     Timestamp now) {
    return all_lists(view, Drawing(terminal, width, now));
}

std::vector<std::string> live_lines(const RunView& view,
                                    const Terminal& terminal,
                                    Room room,
                                    Timestamp now) {
    const Drawing drawing(terminal, room.width, now);
    const std::size_t most = room.height < 2 ? 1 : room.height - 1;
    std::vector<std::string> lines{header(view, drawing, now)};
    if (!view.ended_by.empty()) {
        lines.push_back(drawing.line().add(early_end_text(view.ended_by, view.ended_why)).take());
    }
    if (view.held) {
        lines.push_back(drawing.line().add(Colour::red, "held: ").add(safe(view.held_why)).take());
    }
    std::vector<std::string> asked = questions(view, drawing);
    std::vector<std::string> steps = all_lists(view, drawing);
    if (lines.size() + steps.size() + asked.size() > most) {
        asked.resize(std::min(asked.size(), most / 3 / 2 * 2));
        const std::size_t used = lines.size() + asked.size();
        steps = active_only(view, drawing, most > used ? most - used : 0);
    }
    lines.insert(lines.end(), steps.begin(), steps.end());
    lines.insert(lines.end(), asked.begin(), asked.end());
    lines.resize(std::min(lines.size(), most));
    return lines;
}

}  // namespace belay::cli
