#include "cli/flow/presenter.hpp"

#include "base/sort_stably.hpp"
#include "cli/flow/changes.hpp"
#include "cli/flow/live_view.hpp"
#include "cli/flow/screen.hpp"
#include "cli/instance_view.hpp"
#include "cli/text.hpp"
#include "cli/values.hpp"

#include <algorithm>
#include <deque>
#include <map>
#include <optional>
#include <utility>

namespace belay::cli {

namespace {

// ---- On a terminal -----------------------------------------------------------------------------

class LivePresenter final : public Presenter {
public:
    explicit LivePresenter(Terminal& terminal) : terminal_(terminal) { measure(); }
    ~LivePresenter() override { LivePresenter::leave(); }

    void note(const std::string& /*event*/, const std::string& text, Timestamp /*now*/) override {
        write(screen_.print_above({fitted(safe(text), width())}));
    }

    void show(const RunView& view, const std::vector<FedLine>& lines, Timestamp now) override {
        view_ = view;
        for (const FedLine& fed : lines) take_line(fed);
        draw(now);
    }

    void tick(Timestamp now) override {
        if (view_) draw(now);
    }

    void leave() override { write(screen_.leave()); }

    void end(const RunView& view, const RunEnd& end, Timestamp now) override {
        show(view, {}, now);
        leave();
        for (const std::string& line : end_lines(view, end)) terminal_.out << line << "\n";
        terminal_.out.flush();
    }

private:
    [[nodiscard]] std::size_t width() const { return room_.width < 2 ? 1 : room_.width - 1; }

    bool measure() {
        Room room{terminal_.width, terminal_.height};
        if (terminal_.measure != nullptr) terminal_.measure(room.width, room.height);
        const bool changed = room.width != room_.width;
        room_ = room;
        return changed;
    }

    void draw(Timestamp now) {
        const bool resized = measure();
        add_lines(*view_);
        std::vector<std::string> lines = live_lines(*view_, terminal_, room_, now);
        write(resized ? screen_.redraw(std::move(lines), room_.width)
                      : screen_.draw(std::move(lines)));
    }

    /// The last line of a step comes at once from this process. From others it comes by their
    /// heartbeats.
    void take_line(const FedLine& fed) {
        const std::string_view seen = last_written(fed.line.text);
        if (view_ && fed.run.id == view_->id && !seen.empty()) {
            last_[fed.step] = title_of(fed.step, fed.item) + "\n" + std::string(seen);
        }
    }

    /// Returns the text that a terminal shows: a carriage return goes back to the beginning.
    static std::string_view last_written(std::string_view line) {
        while (line.ends_with('\r')) line.remove_suffix(1);
        const std::size_t before = line.rfind('\r');
        return before == std::string_view::npos ? line : line.substr(before + 1);
    }

    void add_lines(RunView& view) const {
        for (ListView& list : view.lists) {
            for (StepView& step : list.steps) {
                const auto found = last_.find(step.id);
                if (found == last_.end()) continue;
                const std::string& both = found->second;
                const std::size_t end = both.find('\n');
                const bool is_item = both.compare(0, end, step.id) != 0;
                step.line = (is_item ? both.substr(0, end) + ": " : "") + both.substr(end + 1);
            }
        }
    }

    void write(const std::string& bytes) {
        if (!bytes.empty()) terminal_.out << bytes << std::flush;
    }

    Terminal& terminal_;
    Screen screen_;
    Room room_{};
    std::optional<RunView> view_;
    std::map<std::string, std::string> last_;  ///< By step: the title and the line.
};

// ---- As lines ----------------------------------------------------------------------------------

/// Tells changes and the lines of programs in the order in which they happened.
class ChangePresenter : public Presenter {
public:
    void show(const RunView& view, const std::vector<FedLine>& lines, Timestamp now) final {
        const RunView* const before = before_ ? &*before_ : nullptr;
        std::vector<Change> changes = changes_between(before, view, now);
        base::sort_stably(changes, [](const Change& a, const Change& b) { return a.at < b.at; });
        held_.insert(held_.end(), lines.begin(), lines.end());
        const std::vector<std::vector<FedLine>> output = output_before(changes, view);
        for (std::size_t i = 0; i <= changes.size(); ++i) {
            for (const FedLine& fed : output[i]) tell_line(fed);
            if (i < changes.size()) tell(changes[i], before, view, now);
        }
        before_ = view;
        flush();
    }

protected:
    virtual void tell(const Change& change,
                      const RunView* before,
                      const RunView& view,
                      Timestamp now) = 0;
    virtual void tell_line(const FedLine& fed) = 0;
    virtual void flush() = 0;

private:
    static bool has_begun(const RunView& view, const std::string& step) {
        for (const ListView& list : view.lists) {
            for (const StepView& one : list.steps) {
                if (one.id == step && one.state != graph::State::pending) return true;
            }
        }
        return false;
    }

    /// Returns the place of a line among the changes: that of its time, but behind the beginning of
    /// its step and before its end. A turn has one time for all that it saw.
    static std::size_t place_of(const FedLine& fed, const std::vector<Change>& changes) {
        const auto later = std::ranges::upper_bound(changes, fed.line.at, {}, &Change::at);
        auto place = static_cast<std::size_t>(later - changes.begin());
        for (std::size_t i = changes.size(); i-- > 0;) {
            const Change& change = changes[i];
            if (change.step != fed.step || (change.item && change.item != fed.item)) continue;
            if (has_ended(change.now.state)) place = std::min(place, i);
            if (change.now.state == graph::State::started) place = std::max(place, i + 1);
        }
        return place;
    }

    /// Output of a step that is not known to have begun waits for the next view.
    std::vector<std::vector<FedLine>> output_before(const std::vector<Change>& changes,
                                                    const RunView& view) {
        std::vector<std::vector<FedLine>> output(changes.size() + 1);
        std::deque<FedLine> kept;
        for (FedLine& fed : held_) {
            const bool other_run = fed.run.id != view.id;
            if (other_run || has_begun(view, fed.step) || is_terminal(view.status)) {
                output[place_of(fed, changes)].push_back(std::move(fed));
            } else {
                kept.push_back(std::move(fed));
            }
        }
        held_ = std::move(kept);
        return output;
    }

    std::optional<RunView> before_;
    std::deque<FedLine> held_;
};

class LinePresenter final : public ChangePresenter {
public:
    explicit LinePresenter(Terminal& terminal) : terminal_(terminal) {}

    void note(const std::string& /*event*/, const std::string& text, Timestamp now) override {
        terminal_.out << clock_time(now) << " " << safe(text) << '\n' << std::flush;
    }
    void end(const RunView& view, const RunEnd& end, Timestamp /*now*/) override {
        for (const std::string& line : end_lines(view, end)) terminal_.out << line << "\n";
        terminal_.out.flush();
    }

protected:
    void tell(const Change& change,
              const RunView* before,
              const RunView& /*view*/,
              Timestamp now) override {
        if (is_told(change, before)) terminal_.out << line_of(change, now) << "\n";
    }
    void tell_line(const FedLine& fed) override {
        terminal_.out << title_of(fed.step, fed.item) << " | " << safe(fed.line.text) << "\n";
    }
    void flush() override { terminal_.out.flush(); }

private:
    Terminal& terminal_;
};

class JsonPresenter final : public ChangePresenter {
public:
    JsonPresenter(Terminal& terminal, std::string run)
        : terminal_(terminal), run_(std::move(run)) {}

    void note(const std::string& event, const std::string& text, Timestamp now) override {
        JsonWriter line;
        line.open_object().field("type", event);
        write_time(line, "at", now);
        line.field("run", run_).field("says", text).close_object();
        terminal_.out << line.str() << '\n' << std::flush;
    }
    void end(const RunView& view, const RunEnd& end, Timestamp now) override {
        JsonWriter line;
        line.open_object().field("type", "outcome");
        write_time(line, "at", now);
        line.field("run", view.id)
            .field("flow", view.flow)
            .field("status", to_string(end.outcome.status))
            .field("took_ms", end.took.count());
        write_early_end(line, view.ended_by, view.ended_why);
        write_outcome(line, end.outcome);
        line.close_object();
        terminal_.out << line.str() << '\n' << std::flush;
    }

protected:
    void tell(const Change& change,
              const RunView* /*before*/,
              const RunView& view,
              Timestamp /*now*/) override {
        terminal_.out << json_of(change, view.id) << "\n";
    }
    void tell_line(const FedLine& fed) override {
        JsonWriter line;
        line.open_object().field("type", "output");
        write_time(line, "at", fed.line.at);
        line.field("run", fed.run.id).field("step", fed.step);
        if (fed.item) line.field("item", *fed.item);
        line.field("attempt", fed.attempt)
            .field("stream", fed.line.stream == ProgramStream::error ? "err" : "out")
            .field("text", fed.line.text);
        line.close_object();
        terminal_.out << line.str() << "\n";
    }
    void flush() override { terminal_.out.flush(); }

private:
    Terminal& terminal_;
    std::string run_;
};

class QuietPresenter final : public Presenter {
public:
    explicit QuietPresenter(Terminal& terminal) : terminal_(terminal) {}

    void note(const std::string& /*event*/,
              const std::string& /*text*/,
              Timestamp /*now*/) override {}
    void show(const RunView& /*view*/,
              const std::vector<FedLine>& /*lines*/,
              Timestamp /*now*/) override {}
    void end(const RunView& view, const RunEnd& end, Timestamp /*now*/) override {
        if (end.outcome.status == Status::completed) {
            if (!end.outcome.output.bytes.empty()) {
                terminal_.out << safe_lines(end.outcome.output.bytes) << "\n";
            }
            return;
        }
        for (const std::string& line : end_lines(view, end)) terminal_.err << line << "\n";
    }

private:
    Terminal& terminal_;
};

constexpr std::size_t kDetailLines = 20;

}  // namespace

std::vector<std::string> end_lines(const RunView& view, const RunEnd& end) {
    const Outcome& outcome = end.outcome;
    const std::string in = " in " + format_duration(end.took);
    std::vector<std::string> lines;
    switch (outcome.status) {
        case Status::failed:
            lines.push_back(
                safe(view.id) + " failed" + in +
                (outcome.failure.where.empty() ? "" : ", in " + safe(outcome.failure.where)) +
                ": " + safe(outcome.failure.message));
            if (!outcome.failure.detail.empty()) {
                lines.push_back(
                    "    " +
                    indented(last_lines(safe_lines(outcome.failure.detail), kDetailLines), 4));
            }
            if (!end.more.empty()) lines.push_back("more: " + end.more);
            break;
        case Status::canceled: lines.push_back(safe(view.id) + " " + outcome_line(outcome)); break;
        case Status::skipped:
            lines.push_back(safe(view.id) + " skipped" +
                            (outcome.skip_reason.empty() ? "" : ": " + safe(outcome.skip_reason)));
            break;
        default:
            lines.push_back(safe(view.id) + " completed" + in);
            if (!view.ended_by.empty()) {
                lines.push_back(early_end_text(view.ended_by, view.ended_why));
            }
            if (!outcome.output.bytes.empty() && outcome.output.bytes != "null") {
                lines.push_back("output: " + safe_lines(outcome.output.bytes));
            }
    }
    return lines;
}

std::unique_ptr<Presenter> make_presenter(Style style, Terminal& terminal, const std::string& run) {
    switch (style) {
        case Style::live: return std::make_unique<LivePresenter>(terminal);
        case Style::json: return std::make_unique<JsonPresenter>(terminal, run);
        case Style::quiet: return std::make_unique<QuietPresenter>(terminal);
        case Style::lines: break;
    }
    return std::make_unique<LinePresenter>(terminal);
}

}  // namespace belay::cli
