// Turns that run: handed out, taken back, and given up when they take too long.
#include "runtime/turn_dispatcher.hpp"

#include <algorithm>
#include <string>
#include <utility>

namespace belay::runtime {

namespace {

/// A run whose turns have passed their limit so often is held: it would cost a thread each time.
constexpr std::uint32_t kMostOverruns = 2;

/// A start waits so long for the first turn of its run to share a commit with it.
constexpr Millis kStartPatience{100};

std::string spoken(Millis time) {
    const auto count = time.count();
    return count % 1'000 == 0 ? std::to_string(count / 1'000) + " s"
                              : std::to_string(count) + " ms";
}

}  // namespace

// ---- Handing out, and taking back --------------------------------------------------------------

void TurnDispatcher::hand_out(Job& job, std::vector<RecordedRow> history) {
    const LeaseToken token = job.claim.token;
    const auto run = std::make_shared<TurnRun>(services_.clock,
                                               TurnRun::Given{std::move(job.claim),
                                                              std::move(job.finished),
                                                              std::move(history),
                                                              std::move(job.resident.execution),
                                                              services_.lines.of_turns(),
                                                              services_.policy.message_batch});
    run->then(mailbox_.poster([this, token, weak = std::weak_ptr(run)] {
        if (const auto over = weak.lock()) on_run(token, over);
    }));
    job.run = run;
    job.handed_out_at = services_.clock.monotonic();
    // Its limit ends it, and its lock with it.
    if (job.claimed) keeper_.renew_until(token, std::nullopt);
    set_look_at(job, next_look(job));
    executor_.begin(run);
    if (run->state() == TurnTask::State::over) on_run(token, run);
}

void TurnDispatcher::on_run(LeaseToken token, const std::shared_ptr<TurnRun>& run) {
    const auto at = jobs_.find(token);
    if (at == jobs_.end() || at->second.run != run) return;
    Job& job = at->second;
    TurnRun::Reached reached = run->take_result();
    take_back(job);
    if (job.awaits_lock) {
        job.reached = std::move(reached);
    } else {
        go_on_after(job, std::move(reached));
    }
}

void TurnDispatcher::go_on_after(Job& job, TurnRun::Reached reached) {
    const EventNo position = job.resident.execution->position();
    switch (reached.came) {
        case TurnRun::Came::taken: submit_turn(job, std::move(reached)); return;
        case TurnRun::Came::unreadable: cannot_read(job, *reached.error); return;
        case TurnRun::Came::inconsistent: set_aside(job, *reached.error); return;
        case TurnRun::Came::needs_more: break;
    }
    if (position > reached.before && position < job.claim.position) {
        read_history(job);  // The next page.
    } else {
        history_ends(job);
    }
}

void TurnDispatcher::take_back(Job& job) {
    const std::shared_ptr<TurnRun> run = std::exchange(job.run, nullptr);
    const Millis now = services_.clock.monotonic();
    job.used += now - *run->begun_at();
    TurnRun::Given& given = run->given_back();
    job.claim = std::move(given.claim);
    job.finished = std::move(given.finished);
    job.resident.execution = std::move(given.execution);
    set_look_at(job, std::nullopt);
    if (job.claimed) keeper_.renew_until(job.claim.token, now + services_.policy.turn_limit);
}

// ---- Limits ------------------------------------------------------------------------------------

/// One that has not begun has all its time before it.
Millis TurnDispatcher::ends_at(const Job& job) const {
    const std::optional<Millis> begun_at = job.run->begun_at();
    const Millis begun = begun_at ? *begun_at : services_.clock.monotonic();
    const Millis at = begun + std::max(services_.policy.turn_limit - job.used, Millis(1));
    return shutting_down_ ? std::min(at, shut_down_by_) : at;
}

/// A start is committed by itself before the turn that it was to share a commit with is given up.
Millis TurnDispatcher::next_look(const Job& job) const {
    const Millis end = ends_at(job);
    return job.started ? std::min(end, job.handed_out_at + kStartPatience) : end;
}

void TurnDispatcher::set_look_at(Job& job, std::optional<Millis> at) {
    const LeaseToken token = job.run ? job.run->given().claim.token : job.claim.token;
    if (job.look_at) running_.erase({*job.look_at, token});
    job.look_at = at;
    if (at) running_.emplace(*at, token);
}

bool TurnDispatcher::give_up_late() {
    if (running_.empty()) return false;
    const Millis now = services_.clock.monotonic();
    if (now < running_.begin()->first) return false;
    Job& job = jobs_.at(running_.begin()->second);
    if (now >= ends_at(job)) {
        give_up(job);
    } else if (now >= next_look(job)) {
        start_alone(job);
    } else {
        set_look_at(job, next_look(job));
    }
    return true;
}

void TurnDispatcher::shut_down() {
    shutting_down_ = true;
    shut_down_by_ = services_.clock.monotonic() + services_.policy.grace;
    for (auto& [token, job] : jobs_) {
        if (job.run) set_look_at(job, next_look(job));
    }
}

/// Gives up the wait for its result. Returns false if the turn is over, and will be heard of.
bool TurnDispatcher::let_go(Job& job) {
    set_look_at(job, std::nullopt);
    const std::shared_ptr<TurnRun> run = job.run;
    const TurnTask::State was = run->give_up();
    if (was == TurnTask::State::over) return false;
    job.run.reset();
    // It may still read its inputs.
    job.claim = run->given().claim;
    job.finished = run->given().finished;
    executor_.gave_up(run);
    if (was == TurnTask::State::waiting) {
        drop(run->take_execution());
    } else {
        job.used += services_.clock.monotonic() - *run->begun_at();
    }
    return true;
}

void TurnDispatcher::give_up(Job& job) {
    if (!let_go(job)) return;
    const Millis limit = services_.policy.turn_limit;
    if (job.claimed) {
        keeper_.renew_until(job.claim.token, services_.clock.monotonic() + limit);
    }
    if (job.used >= limit) {
        after_overrun(job);
    } else if (job.claimed) {
        // This process ends. The turn was none that takes too long.
        give_back(job, Millis(0), CountAttempt::no, AbandonReason::released);
    } else {
        unfuse(job, Resident());
        forget(job.claim.token);
    }
}

void TurnDispatcher::after_overrun(Job& job) {
    ++services_.counters.overruns;
    const std::string took = "ran past the limit of a turn, " +
                             spoken(services_.policy.turn_limit) + " (Policy::turn_limit)";
    services_.events.report(event_of(EngineCode::turn_overran,
                                     LogLevel::error,
                                     job.claim,
                                     "a turn of '" + job.claim.name.id + "' (" +
                                         job.claim.definition + ") " + took +
                                         ": it is given up, and its thread with it",
                                     "move the computation into an activity"));
    const std::uint32_t before = std::max(job.claim.overruns, job.resident.overruns);
    if (!job.claimed) {
        Resident left;
        left.overruns = before + 1;
        // The store counts it too, for the next claim of the turn.
        if (!job.finished.empty()) job.finished.front().turn_overran = true;
        unfuse(job, std::move(left));
        forget(job.claim.token);
    } else if (before + 1 < kMostOverruns) {
        give_back(job, Millis(0), CountAttempt::yes, AbandonReason::overran);
    } else {
        hold(job,
             FailureKind::timeout,
             "its turn " + took + " " + std::to_string(before + 1) + " times, last on worker '" +
                 services_.worker + "': the code loops, or computes more than a turn should");
    }
}

}  // namespace belay::runtime
