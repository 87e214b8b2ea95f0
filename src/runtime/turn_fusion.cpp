// Turns that share a commit with their causes.
#include "runtime/turn_dispatcher.hpp"
#include <belay/store/operations.hpp>

#include <algorithm>
#include <iterator>
#include <utility>

namespace belay::runtime {

namespace {

/// The most starts that are taken on with their first turn at once. Starts on top of that are
/// committed by themselves, and claimed when there is time.
constexpr std::size_t kMostFused = 4'096;

}  // namespace

/// Not before it can be sent: until then more activities may end. Starts and ends take turns, so
/// that neither keeps the other waiting.
bool TurnDispatcher::take_on_one() {
    if (!commits_.can_send()) return false;
    starts_first_ = !starts_first_;
    return starts_first_ ? starts_.run_one() || fuse_one() : fuse_one() || starts_.run_one();
}

// ---- The end of activities ---------------------------------------------------------------------

bool TurnDispatcher::take_on(Finished& finished) {
    const RunKey run = finished.activity.run.key;
    if (shutting_down_) return false;
    auto at = gathered_.find(run);
    if (at == gathered_.end()) {
        const Resident* const resident = residents_.find(run);
        if (resident == nullptr || !resident->execution || resident->claims_first > 0 ||
            !resident->execution->is(finished.activity.execution)) {
            return false;
        }
        at = gathered_.emplace(run, std::vector<Finished>()).first;
        to_fuse_.push_back(run);
    }
    at->second.push_back(std::move(finished));
    return true;
}

/// Takes the turn of one run whose activities have ended here. All of them that have by now go
/// into it: this is done when everything else that can be done now has been.
bool TurnDispatcher::fuse_one() {
    if (to_fuse_.empty()) return false;
    const RunKey run = to_fuse_.front();
    to_fuse_.pop_front();
    std::vector<Finished>& gathered = gathered_.at(run);
    Resident resident = residents_.take(run);
    if (shutting_down_ || !resident.execution ||
        !resident.execution->is(gathered.front().activity.execution)) {
        // Evicted or claimed meanwhile.
        if (resident.execution) residents_.put(run, std::move(resident));
        std::vector<Finished> finished = std::move(gathered);
        gathered_.erase(run);
        report_all(std::move(finished));
        return true;
    }
    const LeaseToken name = services_.ids.tokens(1);
    Job& job = jobs_[name];
    job.claim = std::move(resident.about);
    job.claim.token = name;
    job.claim.claimed_at = services_.store.now();
    job.resident = std::move(resident);
    const auto most = static_cast<std::ptrdiff_t>(
        std::min<std::size_t>(gathered.size(), services_.policy.message_batch));
    const auto rest = gathered.begin() + most;
    std::move(gathered.begin(), rest, std::back_inserter(job.finished));
    gathered.erase(gathered.begin(), rest);
    ++services_.counters.resident_turns;

    job.cause.commit = services_.ids.commit_id();
    job.cause.stop = services_.stop_terms();
    for (const Finished& one : job.finished) {
        if (one.output) job.cause.parts.emplace_back(*one.output);
        job.cause.parts.emplace_back(AckActivity{one.activity, one.token, std::nullopt});
    }
    hand_out(job);
    return true;
}

/// Puts activities that ended while the last turn was being committed into the next one.
void TurnDispatcher::go_on_gathering(RunKey run) {
    const auto at = gathered_.find(run);
    if (at->second.empty()) {
        gathered_.erase(at);
    } else {
        to_fuse_.push_back(run);
    }
}

void TurnDispatcher::report_all(std::vector<Finished> finished) {
    for (Finished& one : finished) activities_.report(std::move(one));
}

// ---- Starts ------------------------------------------------------------------------------------

void TurnDispatcher::start(Transition transition, std::function<void(Answer)> done) {
    starts_.post([this, transition = std::move(transition), done = std::move(done)]() mutable {
        begin_start(std::move(transition), std::move(done));
    });
}

void TurnDispatcher::begin_start(Transition transition, std::function<void(Answer)> done) {
    const auto& start = std::get<Start>(transition.parts.front());
    const NewInstance& instance = start.instance;
    Documents::Code code = code_of(start);
    if (code == nullptr || shutting_down_ || !options_.share_commits ||
        jobs_.size() >= kMostFused) {
        commits_.send(
            std::move(transition),
            [done](const Transition&, const Answer& answer) { done(answer); },
            Retry::no);
        return;
    }
    const LeaseToken name = services_.ids.tokens(1);
    Job& job = jobs_[name];
    job.claim.run = instance.run;
    job.claim.name = instance.name;
    job.claim.definition = instance.definition;
    job.claim.version = instance.version;
    job.claim.owner = instance.owner;
    job.claim.input = instance.input;
    job.claim.headers = instance.headers;
    job.claim.document = instance.document;
    job.claim.attempts = 1;
    job.claim.token = name;
    job.claim.claimed_at = services_.store.now();
    job.code = std::move(code);
    job.resident.execution = new_execution(job);
    job.started = std::move(done);
    ++services_.counters.cold_replays;
    job.cause = std::move(transition);
    hand_out(job);
}

/// Commits the start of a run whose first turn takes long. The turn goes on under the lock that the
/// run is created with.
void TurnDispatcher::start_alone(Job& job) {
    const RunRef run = job.run->given().claim.run;
    const LeaseToken token = job.run->given().claim.token;
    Transition start = std::exchange(job.cause, Transition());
    std::get<Start>(start.parts.front()).lock =
        StartLock{token, services_.worker, services_.policy.turn_lease};
    job.awaits_lock = true;
    commits_.send(
        std::move(start),
        [this,
         run,
         token,
         sent_at = services_.clock.monotonic(),
         done = std::exchange(job.started, nullptr)](const Transition&, const Answer& answer) {
            done(answer);
            on_started_alone(run, token, sent_at, answer);
        },
        Retry::no);
    set_look_at(job, next_look(job));
}

void TurnDispatcher::on_started_alone(RunRef run,
                                      LeaseToken token,
                                      Millis sent_at,
                                      const Answer& answer) {
    const auto at = jobs_.find(token);
    const bool has_lock = answer.verdict == Verdict::applied;
    if (at != jobs_.end() && has_lock) {
        Job& job = at->second;
        job.awaits_lock = false;
        keep_lock(job, run, token, sent_at);
        if (job.run) {
            keeper_.renew_until(token, std::nullopt);
        } else {
            go_on_after(job, std::move(job.reached));
        }
        return;
    }
    if (at != jobs_.end()) discard(at->second);
    // Its turn was given up meanwhile, or nobody knows whether the run was created.
    if (has_lock || answer.verdict == Verdict::failed) {
        commits_.send(AbandonTurn{run, token, Millis(0), CountAttempt::no, AbandonReason::released},
                      [](const Transition&, const Answer&) {});
    }
}

/// Its run was created by somebody else, or not at all.
void TurnDispatcher::discard(Job& job) {
    if (job.run && !let_go(job)) take_back(job);
    drop(std::move(job.resident.execution));
    forget(job.claim.token);
}

// ---- Refused -----------------------------------------------------------------------------------

void TurnDispatcher::on_fused_refused(Job& job, Transition& sent, const Answer& answer) {
    if (job.started) {
        // The definition may be paused: its run can be started, but takes no turn.
        const bool turn_at_fault = answer.refused_with(Errc::limit_exceeded) ||
                                   answer.refused_with(Errc::unreadable) ||
                                   answer.refused_with(Errc::still_running) ||
                                   (answer.error && is_permanent(answer.error->code()));
        if (!turn_at_fault) {
            job.started(answer);
            return;
        }
        job.cause = std::move(sent);
        job.cause.parts.pop_back();
        unfuse(job, Resident());
        return;
    }
    Resident left;
    left.refusals = std::min(job.resident.refusals + 1, 20U);
    left.claims_first = 1U << left.refusals;
    unfuse(job, std::move(left));
}

/// Commits the cause by itself; then the turn is claimed, and its trouble becomes the run's and
/// not that of a client that started it. `left`: what is remembered of the run here.
void TurnDispatcher::unfuse(Job& job, Resident left) {
    const RunKey run = job.claim.run.key;
    if (left.claims_first > 0 || left.overruns > 0) residents_.put(run, std::move(left));
    if (job.started) {
        commits_.send(
            std::move(job.cause),
            [done = std::move(job.started)](const Transition&, const Answer& last) { done(last); },
            Retry::no);
        return;
    }
    report_all(std::move(job.finished));
    if (const auto at = gathered_.find(run); at != gathered_.end()) {
        std::vector<Finished> finished = std::move(at->second);
        gathered_.erase(at);
        report_all(std::move(finished));
    }
}

}  // namespace belay::runtime
