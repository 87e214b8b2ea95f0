#include "cli/flow/changes.hpp"

#include "cli/instance_view.hpp"
#include "cli/text.hpp"
#include "cli/values.hpp"

#include <algorithm>

namespace belay::cli {

namespace {

using graph::State;

/// A map tells its progress so many times.
constexpr std::uint64_t kTold = 10;

bool same(const WorkView& a, const WorkView& b) {
    return a.state == b.state && a.attempt == b.attempt && a.waits == b.waits;
}

const StepView* find(const RunView* view, std::string_view list, std::string_view step) {
    if (view == nullptr) return nullptr;
    for (const ListView& one : view->lists) {
        if (one.name != list) continue;
        const auto found = std::ranges::find(one.steps, step, &StepView::id);
        return found == one.steps.end() ? nullptr : &*found;
    }
    return nullptr;
}

const ItemView* find(const StepView* step, std::uint64_t item) {
    if (step == nullptr) return nullptr;
    const auto found = std::ranges::lower_bound(step->items, item, {}, &ItemView::item);
    return found == step->items.end() || found->item != item ? nullptr : &*found;
}

/// A list that did not run is not told step by step.
bool is_quiet(const ListView& list) { return list.name != "steps" && !has_begun(list); }

std::uint64_t ended(const StepView* step) {
    return step == nullptr || !step->count ? 0 : step->count->ended;
}

bool waits_for_retry(const WorkView& work) {
    return work.state == State::waiting && work.waits && work.waits->what == WaitView::What::retry;
}

/// True if the result was kept from another run. Its own results need no reason.
bool is_kept(const WorkView& work) { return work.state == State::completed && !work.why.empty(); }

/// True if nobody was told that it has begun. A first attempt waits in line before it begins.
bool was_not_begun(const WorkView* before) {
    if (before == nullptr || before->state == State::pending) return true;
    return before->state == State::queued && before->attempt <= 1;
}

/// Collects the changes of one step or item.
class Collector {
public:
    Collector(const ListView& list, const StepView& step, Timestamp begin, Timestamp now)
        : list_(list), step_(step), begin_(begin), now_(now) {}

    /// Adds all that happened between two states.
    void add(const WorkView* before, const WorkView& after, std::optional<std::uint64_t> item) {
        const bool began = was_not_begun(before) && after.began_at &&
                           after.state != State::started && !is_kept(after);
        if (began && (has_ended(after.state) || waits_for_retry(after))) {
            WorkView started;
            started.state = State::started;
            started.attempt = 1;
            started.attempts = after.attempts;
            started.began_at = after.began_at;
            put(std::move(started), item, *after.began_at);
        }
        if (!is_kept(after)) add_attempts(before, after, item);
        put(after, item, time_of(after));
    }
    void add_progress() {
        put(step_, {}, now_);
        changes_.back().only_count = true;
    }
    [[nodiscard]] std::vector<Change> take() { return std::move(changes_); }

private:
    [[nodiscard]] Timestamp time_of(const WorkView& work) const {
        // Its own times are those of the old run.
        if (is_kept(work)) return begin_;
        if (has_ended(work.state)) return work.ended_at.value_or(now_);
        const bool first = work.state == State::started && work.attempt <= 1;
        return first ? work.began_at.value_or(now_) : now_;
    }

    /// Adds the failures of attempts that came and went unseen. Their causes are not known here.
    void add_attempts(const WorkView* before,
                      const WorkView& after,
                      std::optional<std::uint64_t> item) {
        std::uint32_t told = before == nullptr || before->attempt == 0 ? 0 : before->attempt - 1;
        if (before != nullptr && waits_for_retry(*before)) told = before->attempt;
        for (std::uint32_t attempt = told + 1; attempt < after.attempt; ++attempt) {
            WorkView failed;
            failed.state = State::waiting;
            failed.attempt = attempt;
            failed.attempts = after.attempts;
            failed.began_at = after.began_at;
            failed.waits = WaitView{.what = WaitView::What::retry};
            put(std::move(failed), item, after.ended_at.value_or(now_));
        }
    }

    void put(WorkView work, std::optional<std::uint64_t> item, Timestamp at) {
        Change change{.list = list_.name, .step = step_.id, .item = item, .now = std::move(work)};
        change.at = at;
        if (!item) change.count = step_.count;
        changes_.push_back(std::move(change));
    }

    const ListView& list_;
    const StepView& step_;
    Timestamp begin_;  ///< Of the run.
    Timestamp now_;
    std::vector<Change> changes_;
};

void add_items(Collector& collector, const StepView* before, const StepView& step) {
    for (const ItemView& item : step.items) {
        const ItemView* const old = find(before, item.item);
        const bool is_new = old == nullptr && item.state != State::pending;
        if (is_new || (old != nullptr && !same(*old, item))) collector.add(old, item, item.item);
    }
}

std::vector<Change> changes_of(const ListView& list,
                               const StepView* before,
                               const StepView& step,
                               Timestamp begin,
                               Timestamp now) {
    Collector collector(list, step, begin, now);
    const bool changed = before == nullptr ? step.state != State::pending : !same(*before, step);
    // The end of a map comes after those of its items, and its beginning before.
    if (changed && !has_ended(step.state)) collector.add(before, step, {});
    add_items(collector, before, step);
    if (changed && has_ended(step.state)) collector.add(before, step, {});
    if (!changed && ended(before) != ended(&step)) collector.add_progress();
    return collector.take();
}

std::string wait_line(const WaitView& wait, Timestamp now) {
    const std::string until = until_text(wait, now);
    const std::string end = until.empty() ? "" : " " + until;
    switch (wait.what) {
        case WaitView::What::time: return "sleeps" + end;
        case WaitView::What::event: return "waits for event " + safe(wait.event) + end;
        case WaitView::What::approval:
            return "waits for a person" + end + ": " + safe(wait.prompt) +
                   " Answer: " + wait.answer;
        case WaitView::What::retry: break;
    }
    return "failed";
}

std::string with_attempt(const std::string& text, const WorkView& work) {
    const std::string attempt = attempt_text(work);
    return attempt.empty() ? text : text + ", " + attempt;
}

std::string with_reason(const std::string& text, const WorkView& work) {
    return work.why.empty() ? text : text + ": " + safe(work.why);
}

std::string state_line(const WorkView& work, Timestamp now) {
    switch (work.state) {
        case State::started: return work.attempt > 1 ? with_attempt("started", work) : "started";
        case State::waiting: {
            if (!work.waits) return "waits";
            if (work.waits->what != WaitView::What::retry) return wait_line(*work.waits, now);
            std::string failed = with_reason(with_attempt("failed", work), work);
            if (!work.waits->until) return failed;
            return failed + "; again in " + seconds_left(*work.waits->until - now);
        }
        case State::completed:
            if (is_kept(work)) return safe(work.why);
            if (!work.began_at || !work.ended_at) return "completed";
            return "completed in " + format_duration(*work.ended_at - *work.began_at);
        case State::failed:
            return with_reason(work.attempt > 1 ? with_attempt("failed", work) : "failed", work);
        case State::canceling:
        case State::skipped:
        case State::canceled: return with_reason(std::string(to_string(work.state)), work);
        default: return std::string(to_string(work.state));
    }
}

std::string items_text(const graph::Items& items) {
    std::string text = std::to_string(items.ended) + " of " + std::to_string(items.all) + " items";
    if (items.failed != 0) text += ", " + std::to_string(items.failed) + " failed";
    return text;
}

}  // namespace

std::string title_of(std::string_view step, std::optional<std::uint64_t> item) {
    std::string title = safe(step);
    if (item) title += "[" + std::to_string(*item) + "]";
    return title;
}

std::vector<Change> changes_between(const RunView* before, const RunView& after, Timestamp now) {
    std::vector<Change> changes;
    for (const ListView& list : after.lists) {
        if (is_quiet(list)) continue;
        for (const StepView& step : list.steps) {
            const StepView* const old = find(before, list.name, step.id);
            for (Change& change : changes_of(list, old, step, after.created_at, now)) {
                changes.push_back(std::move(change));
            }
        }
    }
    return changes;
}

bool is_told(const Change& change, const RunView* before) {
    if (change.item) {
        return change.now.state == State::failed || waits_for_retry(change.now);
    }
    if (!change.only_count || !change.count) return change.now.state != State::queued;
    const std::uint64_t part = std::max<std::uint64_t>(change.count->all / kTold, 1);
    return change.count->ended / part != ended(find(before, change.list, change.step)) / part;
}

std::string line_of(const Change& change, Timestamp now) {
    std::string line = clock_time(change.at) + " " + title_of(change.step, change.item) + " ";
    if (change.only_count && change.count) return line + "ended " + items_text(*change.count);
    line += state_line(change.now, now);
    const bool has_count = change.count && has_ended(change.now.state);
    return has_count ? line + " (" + items_text(*change.count) + ")" : line;
}

std::string json_of(const Change& change, std::string_view run) {
    JsonWriter out;
    out.open_object().field("type", "step");
    write_time(out, "at", change.at);
    out.field("run", run).field("list", change.list).field("step", change.step);
    if (change.item) out.field("item", *change.item);
    out.field("state", to_string(change.now.state));
    write_work(out, change.now);
    if (change.count) {
        out.key("items").open_object();
        out.field("ended", change.count->ended)
            .field("failed", change.count->failed)
            .field("all", change.count->all);
        out.close_object();
    }
    out.close_object();
    return out.str();
}

}  // namespace belay::cli
