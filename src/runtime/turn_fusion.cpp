// Turns that share a commit with what causes them.
#include "runtime/turn_dispatcher.hpp"
#include <belay/store/operations.hpp>

#include <algorithm>
#include <iterator>
#include <utility>

namespace belay::runtime {

namespace {

/// Starts under way at once that are taken on with their first turn. What comes on top is started
/// by itself and claimed when there is time.
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
    job.code = services_.registry.orchestration(job.claim.definition, job.claim.version);
    job.resident = std::move(resident);
    const auto most = static_cast<std::ptrdiff_t>(
        std::min<std::size_t>(gathered.size(), services_.policy.message_batch));
    const auto rest = gathered.begin() + most;
    std::move(gathered.begin(), rest, std::back_inserter(job.finished));
    gathered.erase(gathered.begin(), rest);
    ++services_.counters.resident_turns;

    job.turn = true;
    Transition transition;
    transition.commit = services_.ids.commit_id();
    transition.stop = services_.stop_terms();
    for (const Finished& one : job.finished) {
        transition.parts.emplace_back(AckActivity{one.activity, one.token, std::nullopt});
    }
    transition.parts.emplace_back(turn_of(job));
    submit(job, std::move(transition));
    return true;
}

/// What ended while the last turn was being committed goes into the next one.
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
    const auto& instance = std::get<Start>(transition.parts.front()).instance;
    const RegisteredOrchestration* const code =
        services_.registry.orchestration(instance.definition, instance.version);
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
    job.claim.attempts = 1;
    job.claim.token = name;
    job.claim.claimed_at = services_.store.now();
    job.code = code;
    job.resident.execution = new_execution(job);
    job.started = std::move(done);
    ++services_.counters.cold_replays;

    job.turn = true;
    transition.parts.emplace_back(turn_of(job));
    submit(job, std::move(transition), Retry::no);
}

// ---- Refused -----------------------------------------------------------------------------------

void TurnDispatcher::on_fused_refused(Job& job, Transition& sent, const Answer& answer) {
    if (job.started) {
        const bool turn_at_fault = answer.refused_with(Errc::limit_exceeded) ||
                                   answer.refused_with(Errc::unreadable) ||
                                   (answer.error && is_for_ever(answer.error->code()));
        if (!turn_at_fault) {
            job.started(answer);
            return;
        }
        // By itself the start may well be fine; then the turn is claimed, and its trouble becomes
        // the run's and not the client's.
        sent.parts.pop_back();
        commits_.send(
            std::move(sent),
            [done = std::move(job.started)](const Transition&, const Answer& last) { done(last); },
            Retry::no);
        return;
    }
    Resident left;
    left.refusals = std::min(job.resident.refusals + 1, 20U);
    left.claims_first = 1U << left.refusals;
    const RunKey run = job.claim.run.key;
    residents_.put(run, std::move(left));
    report_all(std::move(job.finished));
    if (const auto at = gathered_.find(run); at != gathered_.end()) {
        std::vector<Finished> finished = std::move(at->second);
        gathered_.erase(at);
        report_all(std::move(finished));
    }
}

}  // namespace belay::runtime
