#include "runtime/activity_dispatcher.hpp"

#include "base/backoff.hpp"
#include "base/policy.hpp"
#include "model/annotations.hpp"
#include "model/payload_check.hpp"
#include "model/thrown.hpp"
#include "runtime/retry_header.hpp"
#include "runtime/unreadable.hpp"
#include <belay/store/operations.hpp>

#include <algorithm>
#include <string>
#include <utility>

namespace belay::runtime {

namespace {

/// The longest time that an activity waits for its executor. It is short beside the lease. It is
/// long enough that giving back costs little if nobody else is there to take the activity.
Millis patience(const Policy& policy) { return std::max(policy.activity_lease / 6, Millis(1)); }

/// The activities of the engine itself that run at once.
constexpr std::uint32_t kEngineSlots = 4;
/// The time between two claims for them. Most are handed over by the turn that scheduled them.
constexpr Millis kEnginePause{100};

}  // namespace

ActivityDispatcher::ActivityDispatcher(Services& services,
                                       LeaseKeeper& keeper,
                                       Commits& commits,
                                       ActivityExecutor& executor,
                                       ActivityOptions options)
    : services_(services),
      keeper_(keeper),
      commits_(commits),
      executor_(executor),
      options_(std::move(options)),
      names_(std::make_shared<const std::vector<std::string>>(services.registry.activities())),
      stop_check_(services, [this](LeaseToken token) { stop(token, StopReason::canceled); }),
      poll_at_(services.clock.monotonic()),
      engine_poll_at_(poll_at_),
      engine_asked_at_(poll_at_ - kEnginePause) {
    for (const ActivityKind kind :
         {ActivityKind::function, ActivityKind::coroutine, ActivityKind::program}) {
        if (services_.registry.has(kind)) kinds_.push_back(kind);
    }
    for (const std::string& name : *names_) {
        const ActivityHandler* const handler = services_.registry.activity(name);
        if (handler->kind() == ActivityKind::engine) engine_names_.push_back(name);
    }
}

ActivityDispatcher::~ActivityDispatcher() {
    // Activities that still run must not call here any more.
    for (const auto& [token, running] : running_) {
        if (running.task) running.task->heartbeats().close();
        if (running.output) running.output->close();
    }
}

bool ActivityDispatcher::step() {
    return mailbox_.run_one() || stop_check_.step() || stop_late() || abandon_overdue() ||
           give_back_waiting() || tell_progress() || write_output() || release_sessions();
}

std::optional<Millis> ActivityDispatcher::next_due() const {
    std::optional<Millis> due = stop_check_.next_due();
    const auto consider = [&](Millis at) { due = due ? std::min(*due, at) : at; };
    if (!claiming() && !shutting_down_) {
        if (free_slots() > 0) {
            consider(poll_at_);
        } else if (free_engine_slots() > 0) {
            consider(engine_due());
        }
    }
    for (const Schedule* const schedule : {&overdue_, &waiting_, &bounded_, &telling_}) {
        if (!schedule->empty()) consider(schedule->begin()->first);
    }
    if (write_at_) consider(*write_at_);
    return due;
}

void ActivityDispatcher::wake() {
    woken_ = true;
    engine_woken_ = true;
}

bool ActivityDispatcher::claim_told() { return claims_.run_one() || (woken_ && claim()); }

bool ActivityDispatcher::claim() {
    if (shutting_down_ || claiming()) return false;
    const std::uint32_t free = free_slots();
    if (free == 0) return claim_for_engine();
    const Millis now = services_.clock.monotonic();
    if (!woken_.exchange(false) && now < poll_at_) return false;
    engine_woken_ = false;
    asked_ = std::min(free, services_.policy.claim_batch);
    poll_at_ = now + services_.policy.poll_interval;
    ask_for(asked_, false);
    return true;
}

bool ActivityDispatcher::claim_for_engine() {
    const std::uint32_t free = free_engine_slots();
    const Millis now = services_.clock.monotonic();
    if (free == 0 || now < engine_due()) return false;
    engine_woken_ = false;
    engine_asked_at_ = now;
    engine_poll_at_ = now + services_.policy.poll_interval;
    asked_for_engine_ = true;
    ask_for(free, true);
    return true;
}

Millis ActivityDispatcher::engine_due() const {
    return engine_woken_ ? engine_asked_at_ + kEnginePause : engine_poll_at_;
}

void ActivityDispatcher::ask_for(std::uint32_t count, bool engine_only) {
    ClaimActivities request;
    request.max = count;
    request.first_token = services_.ids.tokens(request.max);
    request.worker = services_.worker;
    request.lease = services_.policy.activity_lease;
    request.queues = options_.queues;
    request.any_queue = options_.any_queue;
    request.sessions = options_.sessions;
    request.session_idle = services_.policy.session_idle;
    request.names = engine_only ? engine_names_ : *names_;
    // A claim for a few names says nothing of the code for others.
    request.patience = engine_only ? base::kLongest : services_.policy.code_patience;
    services_.store.claim(std::move(request),
                          claims_.later<Result<ClaimActivities::Answer>>(
                              [this, engine_only, now = services_.clock.monotonic()](
                                  Result<ClaimActivities::Answer> result) {
                                  on_claimed(now, engine_only, std::move(result));
                              }));
}

void ActivityDispatcher::on_claimed(Millis sent_at,
                                    bool engine_only,
                                    Result<ClaimActivities::Answer> result) {
    const std::uint32_t asked = std::exchange(asked_, 0);
    asked_for_engine_ = false;
    // Some of the engine's may be behind the last one.
    const bool more_for_engine = engine_only ? result && !result->claimed.empty()
                                             : !result || result->claimed.size() >= asked;
    if (more_for_engine) engine_woken_ = true;
    if (!result) {
        drop_early();
        const Millis next = services_.clock.monotonic() + services_.policy.retry_delay;
        (engine_only ? engine_poll_at_ : poll_at_) = next;
        services_.events.report(store_event(
            EngineCode::claim_failed, "activities could not be claimed", result.error()));
        return;
    }
    if (!engine_only) {
        poll_at_ = next_poll(services_.policy, services_.clock.monotonic(), result->ready_in);
        if (result->ready_in == Millis(0)) woken_ = true;
    }
    services_.counters.unregistered += result->marked;
    if (result->marked > 0) {
        services_.events.report(event_of(
            EngineCode::code_missing,
            LogLevel::warning,
            std::to_string(result->marked) + " activities wait for code that no worker has",
            "belay doctor names them: deploy it, or cancel the runs"));
    }
    for (ClaimedActivity& claim : result->claimed) begin(std::move(claim), sent_at);
    drop_early();
}

/// Drops early notices of leases that nobody here waits for: they were not about ours.
void ActivityDispatcher::drop_early() {
    std::erase_if(stopped_early_, [&](LeaseToken token) { return !is_expected(token); });
    std::erase_if(heard_early_, [&](LeaseToken token) { return !is_expected(token); });
}

// ---- Handed over by a turn ---------------------------------------------------------------------

/// The number of activities that can begin at once, of any kind that has code here.
std::uint32_t ActivityDispatcher::free_slots() const {
    const auto reserved = static_cast<std::uint32_t>(expected_.size());
    const auto taken =
        static_cast<std::uint32_t>(running_.size() - engine_running_.size()) + reserved;
    if (taken >= options_.slots) return 0;
    std::uint32_t free = options_.slots - taken;
    for (const ActivityKind kind : kinds_) {
        const std::uint32_t room = executor_.room(kind);
        free = std::min(free, room > reserved ? room - reserved : 0);
    }
    return free;
}

std::uint32_t ActivityDispatcher::free_engine_slots() const {
    if (engine_names_.empty()) return 0;
    const auto taken = static_cast<std::uint32_t>(engine_running_.size() + engine_expected_.size());
    return taken < kEngineSlots ? kEngineSlots - taken : 0;
}

bool ActivityDispatcher::is_of_engine(const std::string& activity) const {
    return std::ranges::find(engine_names_, activity) != engine_names_.end();
}

/// A claim that is under way has slots for its activities. It mostly brings none, so no room in the
/// executor is kept for it. The few that come on top wait, or are given back.
bool ActivityDispatcher::can_reserve(ActivityKind kind) const {
    if (kind == ActivityKind::engine) return free_engine_slots() > 0;
    const std::size_t reserved = expected_.size();
    const std::size_t running = running_.size() - engine_running_.size();
    return running + reserved + asked_ < options_.slots && executor_.room(kind) > reserved;
}

bool ActivityDispatcher::serves(const std::string& queue) const {
    return options_.any_queue || std::find(options_.queues.begin(), options_.queues.end(), queue) !=
                                     options_.queues.end();
}

std::optional<NewActivity::HandOver> ActivityDispatcher::reserve(const NewActivity& activity) {
    const ActivityHandler* const handler = services_.registry.activity(activity.name);
    if (shutting_down_ || handler == nullptr || activity.delay > Millis(0) ||
        !serves(activity.queue)) {
        return std::nullopt;
    }
    if (!can_reserve(handler->kind())) return std::nullopt;
    const LeaseToken token = services_.ids.tokens(1);
    (handler->kind() == ActivityKind::engine ? engine_expected_ : expected_).insert(token);
    if (!activity.session.empty()) session_holder_ = token.holder;
    return NewActivity::HandOver{token,
                                 services_.policy.activity_lease,
                                 services_.worker,
                                 options_.sessions,
                                 services_.policy.session_idle,
                                 names_};
}

void ActivityDispatcher::begin_reserved(ClaimedActivity claim, Millis sent_at) {
    expected_.erase(claim.token);
    engine_expected_.erase(claim.token);
    ++services_.counters.handed_over;
    begin(std::move(claim), sent_at);
}

void ActivityDispatcher::release(LeaseToken token) {
    expected_.erase(token);
    engine_expected_.erase(token);
    stopped_early_.erase(token);
    heard_early_.erase(token);
}

// ---- Running -----------------------------------------------------------------------------------

void ActivityDispatcher::begin(ClaimedActivity claim, Millis sent_at) {
    // The cancel overtook the answer: the handler must not begin at all.
    const bool canceled = stopped_early_.erase(claim.token) > 0;
    const bool doubtful = heard_early_.erase(claim.token) > 0;
    const LeaseToken token = claim.token;
    Running& running = running_[token];
    running.claim = std::move(claim);
    if (is_of_engine(running.claim.name)) engine_running_.insert(token);
    const ClaimedActivity& claimed = running.claim;
    if (!claimed.session.empty()) session_holder_ = token.holder;
    if (!canceled && services_.clock.monotonic() >= sent_at + services_.policy.activity_lease) {
        // The answer came too late: another worker may have it by now, and then giving it back is
        // refused. If not, it can be claimed at once; nothing of it ran, so it was no attempt.
        ++services_.counters.leases_lost;
        report_lease_lost(claimed);
        send(token, op::abandon_activity(claimed, Millis(0), CountAttempt::no));
        return;
    }
    keeper_.add(
        token,
        claimed.activity,
        services_.policy.activity_lease,
        sent_at,
        std::nullopt,
        [this, token](StopReason reason) { stop(token, reason); },
        [this, token](EngineEvent& event) {
            const auto at = running_.find(token);
            if (at != running_.end()) describe(event, at->second.claim);
        });

    if (canceled) {
        send(token, op::ack_activity(claimed, std::nullopt));
        return;
    }
    if (shutting_down_) {
        send(token, op::abandon_activity(claimed, Millis(0), CountAttempt::no));
        return;
    }
    const ActivityHandler* const handler = services_.registry.activity(claimed.name);
    if (handler == nullptr) {
        ++services_.counters.unregistered;
        services_.events.report(event_of(EngineCode::code_missing,
                                         LogLevel::warning,
                                         claimed,
                                         "activity " + claimed.name + " of '" +
                                             claimed.instance.id +
                                             "' is given back: it is not registered here",
                                         "deploy a worker that has it"));
        give_back_unregistered(claimed);
        return;
    }
    if (const std::optional<Error> why = unreadable(claimed)) {
        cannot_read(running, *why);
        return;
    }
    if (claimed.attempt > services_.policy.max_attempts) {
        ++services_.counters.poisoned;
        const Failure failure{.kind = FailureKind::poison,
                              .message = "given up after " +
                                         std::to_string(services_.policy.max_attempts) +
                                         " attempts, none of which came to an end",
                              .where = claimed.name,
                              .attempt = claimed.attempt - 1};
        services_.events.report(event_of(EngineCode::activity_poisoned,
                                         LogLevel::error,
                                         claimed,
                                         "activity " + claimed.name + " of '" +
                                             claimed.instance.id +
                                             "' has failed: " + failure.message,
                                         "look for what ended the worker each time"));
        send(token, op::ack_activity(claimed, op::activity_failed(claimed.activity, failure)));
        return;
    }
    run(running, *handler);
    if (doubtful) check(token);
}

void ActivityDispatcher::report_lease_lost(const ClaimedActivity& claim) {
    services_.events.report(
        event_of(EngineCode::lease_lost,
                 LogLevel::warning,
                 claim,
                 "the lease of activity " + claim.name + " of '" + claim.instance.id +
                     "' was lost: another worker may run it",
                 "this process stood still for longer than Policy::activity_lease, or the store "
                 "did"));
}

/// Another process may be able to.
void ActivityDispatcher::give_back_unregistered(const ClaimedActivity& claimed) {
    AbandonActivity back =
        op::abandon_activity(claimed,
                             base::backoff(services_.policy.unregistered_backoff,
                                           services_.policy.unregistered_backoff_max,
                                           claimed.unregistered),
                             CountAttempt::no);
    back.reason = AbandonReason::unregistered;
    send(claimed.token, back);
}

/// Fails an activity that nobody can read.
void ActivityDispatcher::cannot_read(const Running& running, const Error& why) {
    const ClaimedActivity& claimed = running.claim;
    services_.events.report(event_of(EngineCode::unreadable,
                                     LogLevel::warning,
                                     claimed,
                                     "activity " + claimed.name + " of '" + claimed.instance.id +
                                         "' is not begun: " + why.message(),
                                     "give this worker the key or the coder"));
    if (why.code() == Errc::unreadable) {
        ++services_.counters.unreadable;
        give_back_unregistered(claimed);
        return;
    }
    const Failure failure{.kind = FailureKind::infrastructure,
                          .message = why.message(),
                          .where = claimed.name,
                          .attempt = claimed.attempt,
                          .retryable = false};
    send(claimed.token, op::ack_activity(claimed, op::activity_failed(claimed.activity, failure)));
}

void ActivityDispatcher::run(Running& running, const ActivityHandler& handler) {
    const ClaimedActivity& claimed = running.claim;
    const LeaseToken token = claimed.token;
    const Attempt attempt = attempt_of(claimed.headers);
    running.output = make_output(token);
    running.task =
        std::make_shared<ActivityTask>(ActivityDetails{claimed.instance,
                                                       claimed.activity,
                                                       claimed.definition,
                                                       claimed.version,
                                                       claimed.name,
                                                       services_.worker,
                                                       claimed.attempt + attempt.number - 1,
                                                       attempt.first,
                                                       model::given_headers(claimed.headers),
                                                       services_.lines.of_activities(),
                                                       services_.for_activities,
                                                       running.output},
                                       claimed.input,
                                       handler,
                                       claimed.progress);
    watch(running);
    std::string problem;
    try {
        executor_.begin(running.task,
                        mailbox_.later<ActivityResult>([this, token](const ActivityResult& result) {
                            on_ended(token, result);
                        }));
        ++services_.counters.activities_begun;
        set_begun_by(running, services_.clock.monotonic() + patience(services_.policy));
        return;
    } catch (...) {
        problem = model::failure_of_current_exception().message;
    }
    services_.events.report(event_of(EngineCode::activity_not_begun,
                                     LogLevel::warning,
                                     claimed,
                                     "activity " + claimed.name + " of '" + claimed.instance.id +
                                         "' could not be begun and is given back: " + problem));
    drop_task(running);
    // This process is in trouble, not the activity: nothing of it ran, so it was no attempt.
    send(token, op::abandon_activity(claimed, services_.policy.poll_interval, CountAttempt::no));
}

/// The handler has really ended. The report depends on whether it had been told to stop.
void ActivityDispatcher::on_ended(LeaseToken token, const ActivityResult& result) {
    const auto at = running_.find(token);
    if (at == running_.end()) return;  // Abandoned before.
    Running& running = at->second;
    if (!running.task) return;  // Its executor threw when it began, and it was given back.
    std::optional<Payload> progress;
    if (running.stop == StopReason::shutdown) progress = unwritten(running);
    drop_task(running);
    const ClaimedActivity& claim = running.claim;
    switch (running.stop) {
        case StopReason::lease_lost: forget(token); return;
        case StopReason::canceled: send(token, op::ack_activity(claim, std::nullopt)); return;
        case StopReason::shutdown:
            // It may have failed for being stopped, whatever it says; not so if it says that
            // nobody need try again.
            if (const auto* failure = std::get_if<Failure>(&result);
                failure != nullptr && failure->retryable) {
                AbandonActivity back = op::abandon_activity(claim, Millis(0), CountAttempt::no);
                back.reason = AbandonReason::interrupted;
                back.progress = std::move(progress);
                send(token, back);
                return;
            }
            break;  // It came to an end all the same: keep what it did.
        case StopReason::timeout: report_late(running); return;
        case StopReason::none: break;
    }
    if (const auto* failure = std::get_if<Failure>(&result)) {
        report_failure(running, *failure);
        return;
    }
    const auto& output = std::get<Payload>(result);
    if (output.bytes.size() > services_.limits.payload_bytes) {
        report_limit(running,
                     "the result is " + std::to_string(output.bytes.size()) + " bytes; at most " +
                         std::to_string(services_.limits.payload_bytes) + " are allowed");
        return;
    }
    if (const Result<void> plain = model::check_plain("the result", output); !plain) {
        // Its codec does so every time.
        report_failure(running,
                       Failure{.message = plain.error().message(),
                               .where = claim.name,
                               .attempt = claim.attempt,
                               .retryable = false});
        return;
    }
    finish(running, op::activity_completed(claim.activity, output));
}

void ActivityDispatcher::forget(LeaseToken token) {
    keeper_.remove(token);
    stop_check_.remove(token);
    engine_running_.erase(token);
    if (const auto at = running_.find(token); at != running_.end()) {
        drop_task(at->second);
        running_.erase(at);
    }
}

}  // namespace belay::runtime
