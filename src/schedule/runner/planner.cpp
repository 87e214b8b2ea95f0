#include "schedule/runner/planner.hpp"

#include "schedule/runner/rule.hpp"
#include "schedule/runner/spec.hpp"

#include <algorithm>
#include <deque>
#include <utility>

namespace belay::schedule {

namespace {

/// A tick that is later than this was missed.
constexpr Millis kOnTime{60'000};
/// The most runs that one step starts, and the most ticks that it looks at.
constexpr std::size_t kMostStarts = 100;
constexpr std::size_t kMostTicks = 100'000;
/// The wait before the times of a schedule are computed again that could not be.
constexpr Millis kProblemWait{10 * 60'000};
/// The wait before runs are looked at again: a part of their age, within bounds.
constexpr Millis kShortestPoll{500};
constexpr Millis kLongestPoll{60'000};
constexpr int kPollPart = 8;

bool is_backfill(ScheduleCause cause) { return cause == ScheduleCause::backfill; }

/// True if nobody has asked for the run.
bool is_by_clock(ScheduleCause cause) {
    return cause == ScheduleCause::tick || cause == ScheduleCause::catch_up;
}

}  // namespace

Planner::Planner(std::string name, std::string_view spec, Runs& runs, Timestamp now)
    : name_(std::move(name)), runs_(runs), now_(now) {
    read(spec);
}

void Planner::read(std::string_view spec) {
    Problems problems;
    spec_ = read_spec(spec, problems);
    timing_.reset();
    if (problems.empty()) timing_ = timing_of(spec_, problems);
    problem_ = problems.text();
}

Step Planner::step(State state, const std::vector<Payload>& messages) {
    state_ = std::move(state);
    follow();
    if (timing_ && !state_.pause) fire_due();
    for (const Payload& message : messages) {
        if (const std::optional<Change> change = decode_change(message)) apply(*change);
    }
    expand_backfills();
    start_waiting();
    forget_old_runs();
    return finish();
}

Timestamp Planner::fire_time(Timestamp tick) const {
    return tick + jitter_of(name_, tick, spec_.jitter);
}

/// True if a later tick that is due as well does not make this one missed: its jitter, or that of a
/// tick before it, has kept it until just now.
bool Planner::is_fresh(const DueTick& one) const {
    return now_ - one.since <= std::min(kOnTime, spec_.jitter);
}

// Each tick but the last one that is due was missed, unless jitter kept it. The last one was, too,
// if it is late. Ticks are started in their order, so each waits for the jitter of those before it.
void Planner::fire_due() {
    std::deque<DueTick> due;
    Timestamp since{};
    for (std::size_t looked_at = 0;; ++looked_at) {
        const std::optional<Timestamp> next = next_after(*timing_, state_.cursor);
        if (!next || fire_time(*next) > now_) break;
        since = std::max(since, fire_time(*next));
        while (!due.empty() && due.front().since < since && !is_fresh(due.front())) {
            miss(due.front().tick);
            due.pop_front();
        }
        if (looked_at == kMostTicks) {
            again_ = true;
            break;
        }
        due.push_back({*next, since});
        state_.cursor = *next;
    }
    for (const DueTick& one : due) {
        const bool is_last = !again_ && one.tick == state_.cursor;
        if (is_last || is_on_time(one)) {
            fire_last(one);
        } else {
            miss(one.tick);
        }
    }
}

void Planner::miss(Timestamp tick) {
    if (spec_.catch_up == CatchUp::all && now_ - tick <= spec_.catch_up_within) {
        wait_in_line(tick, ScheduleCause::catch_up);
    } else {
        ++state_.missed;
    }
}

bool Planner::is_on_time(const DueTick& one) const { return now_ - one.since <= kOnTime; }

void Planner::fire_last(const DueTick& one) {
    const bool after_others =
        waits([](const WaitingTick& waiting) { return waiting.cause == ScheduleCause::catch_up; });
    if (is_on_time(one) && after_others) {
        wait_in_line(one.tick, ScheduleCause::tick);
    } else if (is_on_time(one)) {
        fire(one.tick, ScheduleCause::tick);
    } else if (spec_.catch_up == CatchUp::one && now_ - one.tick <= spec_.catch_up_within) {
        fire(one.tick, ScheduleCause::catch_up);
    } else {
        miss(one.tick);
    }
}

// A backfill gives way to ticks: of the two, it can wait.
void Planner::fire(Timestamp tick, ScheduleCause cause) {
    const bool in_line = waits([](const WaitingTick& one) { return !is_backfill(one.cause); });
    if ((under_way() == 0 && !in_line) || spec_.overlap == Overlap::allow) {
        start({tick, cause});
        return;
    }
    switch (spec_.overlap) {
        case Overlap::queue:
            if (!waits([](const WaitingTick& one) { return one.cause == ScheduleCause::tick; })) {
                wait_in_line(tick, ScheduleCause::tick);
            } else {
                ++state_.skipped;
            }
            return;
        case Overlap::queue_all: wait_in_line(tick, cause); return;
        case Overlap::cancel: cancel_for(tick, cause); return;
        default:
            if (!in_line && only_backfills_run()) {
                wait_in_line(tick, cause);
            } else {
                ++state_.skipped;
            }
            return;
    }
}

bool Planner::only_backfills_run() const {
    return std::ranges::none_of(state_.runs, [](const StartedRun& run) {
        return run.under_way() && !is_backfill(run.shown.cause);
    });
}

// Runs that people have asked for go on. Ticks that wait and are due by themselves give way to the
// newest one.
void Planner::cancel_for(Timestamp tick, ScheduleCause cause) {
    for (const StartedRun& run : state_.runs) {
        if (!run.under_way() || !is_by_clock(run.shown.cause)) continue;
        runs_.cancel(run);
        state_.canceled_at = now_;
    }
    state_.skipped += std::erase_if(state_.waiting,
                                    [](const WaitingTick& one) { return is_by_clock(one.cause); });
    state_.waiting.insert(state_.waiting.begin(), WaitingTick{tick, cause});
}

void Planner::wait_in_line(Timestamp tick, ScheduleCause cause) {
    const auto first_backfill = std::ranges::find_if(
        state_.waiting, [](const WaitingTick& one) { return is_backfill(one.cause); });
    if (state_.waiting.size() < kMostWaiting) {
        state_.waiting.insert(first_backfill, WaitingTick{tick, cause});
    } else {
        ++state_.skipped;
    }
}

void Planner::expand_backfills() {
    while (timing_ && !state_.backfills.empty() && state_.waiting.size() < kMostStarts) {
        Backfill& first = state_.backfills.front();
        const std::size_t room = kMostStarts - state_.waiting.size();
        const auto ticks = due_between(*timing_, first.after, first.until, room);
        for (const Timestamp tick : ticks) {
            state_.waiting.push_back({tick, ScheduleCause::backfill, first.serial});
            first.after = tick;
        }
        if (ticks.size() < room) state_.backfills.erase(state_.backfills.begin());
    }
}

// A person who asks for the past while the schedule is paused means it.
std::vector<WaitingTick>::iterator Planner::first_eligible() {
    return std::ranges::find_if(state_.waiting, [&](const WaitingTick& one) {
        return !state_.pause || one.cause == ScheduleCause::backfill;
    });
}

void Planner::start_waiting() {
    for (auto next = first_eligible(); next != state_.waiting.end(); next = first_eligible()) {
        if (spec_.overlap != Overlap::allow && under_way() > 0) return;
        if (starts_ >= kMostStarts) {
            again_ = true;
            return;
        }
        const WaitingTick one = *next;
        state_.waiting.erase(next);
        start({one.tick, one.cause, one.serial});
        expand_backfills();
    }
}

std::optional<Timestamp> Planner::poll_time() {
    const bool awaited =
        first_eligible() != state_.waiting.end() || (spec_.pause_on_failure && !state_.pause);
    std::optional<Timestamp> since;
    for (const StartedRun& run : state_.runs) {
        if (run.under_way()) since = std::max(since, std::optional(run.shown.started_at));
    }
    if (!awaited || !since) return std::nullopt;
    since = std::max(since, state_.canceled_at);
    return now_ + std::clamp((now_ - *since) / kPollPart, kShortestPoll, kLongestPoll);
}

Step Planner::finish() {
    state_.problem = problem_;
    state_.next.reset();
    if (timing_ && !state_.pause) {
        const std::optional<Timestamp> tick = next_after(*timing_, state_.cursor);
        if (tick) state_.next = fire_time(*tick);
        out_.ended = !tick && state_.waiting.empty() && state_.backfills.empty();
    }
    for (const std::optional<Timestamp>& time : {state_.next, poll_time()}) {
        if (time && (!out_.wake || *time < *out_.wake)) out_.wake = time;
    }
    if (!timing_ && !out_.wake) out_.wake = now_ + kProblemWait;
    if (again_) out_.wake = now_;
    return std::move(out_);
}

}  // namespace belay::schedule
