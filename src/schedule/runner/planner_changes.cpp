// The parts of a planner that follow runs, and that do as people ask.
#include "schedule/runner/planner.hpp"
#include "schedule/runner/spec.hpp"

#include <algorithm>
#include <utility>

namespace belay::schedule {

namespace {

constexpr const char* kBySchedule = "belay";

}  // namespace

void Planner::follow() {
    std::vector<StartedRun*> followed;
    std::vector<const StartedRun*> asked;
    for (StartedRun& run : state_.runs) {
        if (!run.under_way()) continue;
        followed.push_back(&run);
        asked.push_back(&run);
    }
    if (asked.empty()) return;
    const std::vector<std::optional<SeenRun>> seen = runs_.look(asked);
    for (std::size_t i = 0; i < followed.size(); ++i) {
        StartedRun& run = *followed[i];
        const bool had_failed = run.shown.status == Status::failed;
        run.shown.status = seen[i] ? std::optional(seen[i]->status) : std::nullopt;
        run.settled = !seen[i] || seen[i]->settled;
        if (!had_failed && run.shown.status == Status::failed) {
            pause_for("run '" + run.shown.id + "' failed");
        }
    }
}

void Planner::pause_for(std::string why) {
    if (spec_.pause_on_failure && !state_.pause) {
        state_.pause = Pause{kBySchedule, std::move(why), now_};
    }
}

std::size_t Planner::under_way() const {
    return static_cast<std::size_t>(std::ranges::count_if(state_.runs, &StartedRun::under_way));
}

void Planner::start(const RunRequest& request) {
    const BegunRun begun = runs_.start(spec_, request);
    ++starts_;
    StartedRun run;
    run.shown = {.id = begun.id,
                 .tick = request.tick,
                 .cause = request.cause,
                 .started_at = now_,
                 .status = std::nullopt,
                 .problem = begun.refused};
    if (begun.refused.empty()) {
        ++state_.fired;
        run.key = begun.key;
        run.shown.status = begun.status;
    } else {
        ++state_.refused;
        pause_for("a run could not be started: " + begun.refused);
    }
    state_.runs.push_back(std::move(run));
}

void Planner::forget_old_runs() {
    std::size_t ended = state_.runs.size() - under_way();
    std::size_t open = under_way();
    std::erase_if(state_.runs, [&](const StartedRun& run) {
        std::size_t& count = run.under_way() ? open : ended;
        const std::size_t most = run.under_way() ? kMostFollowed : kLastRuns;
        if (count <= most) return false;
        --count;
        return true;
    });
}

void Planner::apply(const Change& change) {
    switch (change.kind) {
        case ChangeKind::pause: state_.pause = Pause{change.by, change.why, now_}; return;
        case ChangeKind::resume: resume(); return;
        case ChangeKind::update: update(change); return;
        case ChangeKind::run_now:
            ++state_.serial;
            start({now_, ScheduleCause::run_now, state_.serial});
            return;
        case ChangeKind::backfill:
            ++state_.serial;
            state_.backfills.push_back(
                {change.from - Millis(1), std::min(change.to - Millis(1), now_), state_.serial});
            return;
    }
}

// The time of a turn never goes back within an execution. After a clock was wrong, a new execution
// sees the corrected time.
void Planner::resume() {
    if (!state_.pause) return;
    state_.pause.reset();
    state_.cursor = runs_.now();
    out_.fresh = true;
}

// The client has checked it, also with zone data that may be missing here.
void Planner::update(const Change& change) {
    Problems problems;
    (void)read_spec(change.spec, problems);
    if (!problems.empty()) return;
    read(change.spec);
    out_.spec = change.spec;
    state_.cursor = runs_.now();
    out_.fresh = true;
}

}  // namespace belay::schedule
