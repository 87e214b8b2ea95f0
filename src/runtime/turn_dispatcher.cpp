#include "runtime/turn_dispatcher.hpp"

#include "base/backoff.hpp"
#include "base/utf8.hpp"
#include "model/annotations.hpp"
#include "model/thrown.hpp"
#include "runtime/unreadable.hpp"
#include <belay/store/operations.hpp>

#include <algorithm>
#include <utility>

namespace belay::runtime {

namespace {

/// The most bytes of documents kept in memory.
constexpr std::size_t kMostDocumentBytes = std::size_t{16} << 20U;

/// The registry outlives the dispatcher.
Documents::Code unowned(const RegisteredOrchestration* code) {
    return Documents::Code(Documents::Code(), code);
}

}  // namespace

TurnDispatcher::TurnDispatcher(Services& services,
                               LeaseKeeper& keeper,
                               Commits& commits,
                               LocalActivities& activities,
                               TurnExecutor& executor,
                               TurnOptions options)
    : services_(services),
      keeper_(keeper),
      commits_(commits),
      activities_(activities),
      executor_(executor),
      options_(options),
      residents_(options.residents, [this](auto execution) { drop(std::move(execution)); }),
      documents_(services.registry, kMostDocumentBytes),
      poll_at_(services.clock.monotonic()) {
    for (const auto& [name, versions] : services.registry.orchestrations()) {
        code_.push_back(ClaimInstances::Code{name, versions});
    }
}

TurnDispatcher::~TurnDispatcher() {
    for (const auto& [token, job] : jobs_) {
        if (job.run) (void)job.run->give_up();
    }
}

bool TurnDispatcher::step() {
    return mailbox_.run_one() || give_up_late() || give_up_dropped() || take_on_one();
}

std::optional<Millis> TurnDispatcher::next_due() const {
    std::optional<Millis> due;
    if (!running_.empty()) due = running_.begin()->first;
    if (!dropped_.empty()) due = std::min(due.value_or(Millis::max()), dropped_.begin()->first);
    if (claiming_ || shutting_down_ || claimed_ >= options_.slots) return due;
    return due ? std::min(*due, poll_at_) : poll_at_;
}

void TurnDispatcher::wake() { woken_ = true; }

void TurnDispatcher::forget_ended(RunRef run) {
    mailbox_.post([this, run] { residents_.forget(run.key); });
}

// ---- Claiming ----------------------------------------------------------------------------------

bool TurnDispatcher::claim() {
    const Millis now = services_.clock.monotonic();
    if (shutting_down_ || claiming_ || claimed_ >= options_.slots) return false;
    if (!woken_.exchange(false) && now < poll_at_) return false;
    claiming_ = true;
    poll_at_ = now + services_.policy.poll_interval;
    const std::uint32_t free = options_.slots - claimed_;
    ClaimInstances request;
    request.max = std::min(free, services_.policy.claim_batch);
    request.max_messages = services_.policy.message_batch;
    request.first_token = services_.ids.tokens(request.max);
    request.worker = services_.worker;
    request.lease = services_.policy.turn_lease;
    request.code = code_;
    request.interprets = services_.registry.interprets();
    request.patience = services_.policy.code_patience;
    request.backoff = services_.policy.unregistered_backoff;
    request.backoff_max = services_.policy.unregistered_backoff_max;
    services_.store.claim(std::move(request),
                          mailbox_.later<Result<ClaimInstances::Answer>>(
                              [this, now](Result<ClaimInstances::Answer> result) {
                                  on_claimed(now, std::move(result));
                              }));
    return true;
}

void TurnDispatcher::on_claimed(Millis sent_at, Result<ClaimInstances::Answer> result) {
    claiming_ = false;
    if (!result) {
        poll_at_ = services_.clock.monotonic() + services_.policy.retry_delay;
        services_.events.report(
            store_event(EngineCode::claim_failed, "runs could not be claimed", result.error()));
        return;
    }
    poll_at_ = next_poll(services_.policy, services_.clock.monotonic(), result->ready_in);
    services_.counters.unregistered += result->put_off;
    if (result->put_off > 0) {
        services_.events.report(event_of(
            EngineCode::code_missing,
            LogLevel::warning,
            std::to_string(result->put_off) + " ready runs wait for code that no worker has",
            "belay doctor names it: deploy it, or cancel the runs"));
    }
    for (ClaimedInstance& claim : result->claimed) begin(std::move(claim), sent_at);
}

void TurnDispatcher::begin(ClaimedInstance claim, Millis sent_at) {
    Job& job = jobs_[claim.token];
    keep_lock(job, claim.run, claim.token, sent_at);
    job.claim = std::move(claim);
    prepare(job);
}

/// Losing the lock needs no action but to say so: the commit will be refused.
void TurnDispatcher::keep_lock(Job& job, RunRef run, LeaseToken token, Millis sent_at) {
    keeper_.add(
        token,
        run,
        services_.policy.turn_lease,
        sent_at,
        sent_at + services_.policy.turn_limit,
        [this, token](StopReason reason) { on_lock_lost(token, reason); },
        [this, token](EngineEvent& event) {
            const auto at = jobs_.find(token);
            if (at != jobs_.end()) describe(event, claim_of(at->second));
        });
    job.claimed = true;
    ++claimed_;
}

/// A turn that runs has it.
const ClaimedInstance& TurnDispatcher::claim_of(const Job& job) {
    return job.run ? job.run->given().claim : job.claim;
}

void TurnDispatcher::on_lock_lost(LeaseToken token, StopReason reason) {
    const auto at = jobs_.find(token);
    if (at == jobs_.end() || reason != StopReason::lease_lost) return;
    const ClaimedInstance& claim = claim_of(at->second);
    services_.events.report(
        event_of(EngineCode::lease_lost,
                 LogLevel::warning,
                 claim,
                 "the lock of '" + claim.name.id + "' was lost: another worker may take its turn",
                 "this process stood still for longer than Policy::turn_lease, or the store did"));
}

/// Decides about a claimed run: a turn, if this process can.
void TurnDispatcher::prepare(Job& job) {
    const ClaimedInstance& claim = job.claim;
    if (shutting_down_) {
        give_back(job, Millis(0), CountAttempt::no, AbandonReason::released);
        return;
    }
    if (const std::optional<Error> why = unreadable(claim)) {
        cannot_read(job, *why);
        return;
    }
    if (claim.attempts > services_.policy.max_attempts) {
        ++services_.counters.poisoned;
        const std::string why = "given up after " + std::to_string(services_.policy.max_attempts) +
                                " attempts, none of which came to an end";
        services_.events.report(event_of(EngineCode::run_poisoned,
                                         LogLevel::error,
                                         claim,
                                         "'" + claim.name.id + "' has failed: " + why,
                                         "look for what ended the worker each time"));
        fail(job,
             Failure{.kind = FailureKind::poison, .message = why, .attempt = claim.attempts - 1});
        return;
    }
    if (claim.document) {
        prepare_document(job);
        return;
    }
    Documents::Code code =
        unowned(services_.registry.orchestration(claim.definition, claim.version));
    if (code == nullptr) {
        lacks_code(job, "orchestration " + claim.definition + " is not registered here");
    } else {
        go_on_with(job, std::move(code));
    }
}

/// Also when it is canceled: a process with the code may be coming up, and do its cleanup. If none
/// does, the deadline of the cancel ends the run.
void TurnDispatcher::lacks_code(Job& job, const std::string& what) {
    ++services_.counters.unregistered;
    services_.events.report(event_of(EngineCode::code_missing,
                                     LogLevel::warning,
                                     job.claim,
                                     "'" + job.claim.name.id + "' is given back: " + what,
                                     "deploy a worker that has it"));
    give_back_without_code(job);
}

/// Finds the code of a run that has a document, or reads the document first.
void TurnDispatcher::prepare_document(Job& job) {
    const ClaimedInstance& claim = job.claim;
    if (!services_.registry.interprets()) {
        lacks_code(job, "nothing here interprets its document");
        return;
    }
    if (Documents::Code code = documents_.find(claim.name.space, *claim.document)) {
        go_on_with(job, std::move(code));
        return;
    }
    const LeaseToken token = claim.token;
    services_.store.read(
        ReadDocument{claim.name.space, *claim.document},
        mailbox_.later<Result<ReadDocument::Answer>>(
            [this, token](Result<ReadDocument::Answer> r) { on_document(token, std::move(r)); }));
}

void TurnDispatcher::on_document(LeaseToken token, Result<ReadDocument::Answer> result) {
    const auto at = jobs_.find(token);
    if (at == jobs_.end()) return;
    Job& job = at->second;
    if (!result) {
        not_read(job, "the document", result.error());
    } else if (!*result) {
        // A run that is there has its document. If the run was deleted, the store refuses this.
        set_aside(job, Error(Errc::corrupt, "its document is missing"));
    } else {
        const ClaimedInstance& claim = job.claim;
        go_on_with(job,
                   documents_.put(claim.name.space, *claim.document, std::move((*result)->text)));
    }
}

Documents::Code TurnDispatcher::code_of(const Start& start) {
    const NewInstance& instance = start.instance;
    if (!instance.document) {
        return unowned(services_.registry.orchestration(instance.definition, instance.version));
    }
    const std::string& space = instance.name.space;
    return start.document ? documents_.put(space, *instance.document, *start.document)
                          : documents_.find(space, *instance.document);
}

/// Takes the turn of a run whose code is here.
void TurnDispatcher::go_on_with(Job& job, Documents::Code code) {
    const ClaimedInstance& claim = job.claim;
    job.code = std::move(code);
    job.resident = residents_.take(claim.run.key);
    std::unique_ptr<replay::Execution>& execution = job.resident.execution;
    const bool usable =
        execution && execution->is(claim.execution) && execution->position() <= claim.position;
    if (usable) {
        ++services_.counters.resident_turns;
    } else {
        ++services_.counters.cold_replays;
        execution = new_execution(job);
    }
    if (!knows_all_messages(job)) return;
    if (execution->position() == claim.position) {
        hand_out(job);
    } else {
        read_history(job);
    }
}

std::unique_ptr<replay::Execution> TurnDispatcher::new_execution(const Job& job) const {
    const ClaimedInstance& claim = job.claim;
    const auto [high, low] = services_.ids.seed();
    return std::make_unique<replay::Execution>(
        job.code->handler,
        replay::Identity{claim.name,
                         claim.execution,
                         claim.definition,
                         claim.version.empty() ? job.code->version : claim.version,
                         model::RandomSeeded{high, low},
                         model::given_headers(claim.headers)},
        services_.limits,
        services_.lines.of_turns().get());
}

bool TurnDispatcher::knows_all_messages(Job& job) {
    for (const Message& message : job.claim.messages) {
        if (is_known(message.content.kind)) continue;
        const auto kind = static_cast<int>(message.content.kind);
        set_aside(job,
                  Error(Errc::unsupported,
                        "a message of kind " + std::to_string(kind) + " is not known here"));
        return false;
    }
    return true;
}

// ---- History -----------------------------------------------------------------------------------

void TurnDispatcher::read_history(Job& job) {
    ReadHistory request;
    request.run = job.claim.run;
    request.execution = job.claim.execution;
    request.after = job.resident.execution->position();
    const LeaseToken token = job.claim.token;
    services_.store.read(
        request,
        mailbox_.later<Result<ReadHistory::Answer>>(
            [this, token](Result<ReadHistory::Answer> r) { on_history(token, std::move(r)); }));
}

void TurnDispatcher::on_history(LeaseToken token, Result<ReadHistory::Answer> result) {
    const auto at = jobs_.find(token);
    if (at == jobs_.end()) return;
    Job& job = at->second;
    if (result && !result->empty()) {
        hand_out(job, std::move(*result));
        return;
    }
    if (result) {
        history_ends(job);
        return;
    }
    not_read(job, "the history", result.error());
}

void TurnDispatcher::not_read(Job& job, const std::string& what, const Error& why) {
    const Errc code = why.code();
    if (code == Errc::corrupt || code == Errc::unsupported || code == Errc::unreadable) {
        cannot_read(job, why);
    } else {
        services_.events.report(
            store_event(EngineCode::read_failed,
                        what + " of '" + job.claim.name.id + "' could not be read",
                        why));
        give_back(job, services_.policy.retry_delay, CountAttempt::no, AbandonReason::released);
    }
}

void TurnDispatcher::history_ends(Job& job) {
    set_aside(job,
              Error(Errc::corrupt,
                    "history ends at event " + std::to_string(job.resident.execution->position()) +
                        "; the instance says " + std::to_string(job.claim.position)));
}

// ---- Without a turn ----------------------------------------------------------------------------

/// A process with the keys may be coming up: as with code that is missing, nothing is lost by
/// waiting. A run that nobody can read is for a person.
void TurnDispatcher::cannot_read(Job& job, const Error& why) {
    if (why.code() != Errc::unreadable) {
        set_aside(job, why);
        return;
    }
    ++services_.counters.unreadable;
    services_.events.report(event_of(EngineCode::unreadable,
                                     LogLevel::warning,
                                     job.claim,
                                     "'" + job.claim.name.id + "' is given back: " + why.message(),
                                     "give this worker the key or the coder"));
    give_back_without_code(job);
}

/// True if a process that can take this run may be there, or be coming up: little time has passed
/// since the first process could not. The next turn of the run ends the count, and so does a
/// release.
bool TurnDispatcher::may_fit_others(const ClaimedInstance& claim) const {
    if (!claim.code_missing_since) return services_.policy.patch_patience > Millis(0);
    return claim.claimed_at - *claim.code_missing_since < services_.policy.patch_patience;
}

/// This run cannot go on here.
void TurnDispatcher::set_aside(Job& job, const Error& why) {
    const bool mismatch = why.code() == Errc::nondeterminism;
    if (mismatch && job.resident.execution->patch_in_doubt() && may_fit_others(job.claim)) {
        // In the middle of a deploy, one from the other side of it takes the run as it is.
        ++services_.counters.unregistered;
        services_.events.report(
            event_of(EngineCode::code_missing,
                     LogLevel::warning,
                     job.claim,
                     "'" + job.claim.name.id + "' is left to others: " + why.describe()));
        give_back_without_code(job);
        return;
    }
    job.complaint = "'" + job.claim.name.id + "' cannot go on: " + why.describe();
    const bool fails = mismatch && services_.policy.on_mismatch == OnMismatch::fail;
    if (fails || (mismatch && job.claim.cancel)) {
        fail(job, Failure{.kind = FailureKind::nondeterminism, .message = why.message()});
    } else {
        hold(job,
             mismatch ? FailureKind::nondeterminism : FailureKind::infrastructure,
             why.message());
    }
}

/// A person must look at it, unless it is being canceled anyway.
void TurnDispatcher::hold(Job& job, FailureKind kind, const std::string& why) {
    if (job.claim.cancel) {
        fail(job, Failure{.kind = FailureKind::infrastructure, .message = why});
        return;
    }
    submit(job,
           Hold{job.claim.run,
                job.claim.token,
                base::shortened(why, services_.limits.failure_bytes),
                kind});
}

void TurnDispatcher::give_back(Job& job, Millis delay, CountAttempt count, AbandonReason reason) {
    AbandonTurn part = op::abandon_turn(job.claim, delay, count);
    part.reason = reason;
    submit(job, part);
}

/// For longer each time.
void TurnDispatcher::give_back_without_code(Job& job) {
    give_back(job,
              base::backoff(services_.policy.unregistered_backoff,
                            services_.policy.unregistered_backoff_max,
                            job.claim.unregistered),
              CountAttempt::no,
              AbandonReason::unregistered);
}

/// Ends the run without its code: as failed, or if it was canceled, as that with a failed cleanup.
void TurnDispatcher::fail(Job& job, Failure failure) {
    failure.where = job.claim.definition;
    failure = model::shortened(std::move(failure), services_.limits);
    Outcome outcome;
    outcome.status = job.claim.cancel ? Status::canceled : Status::failed;
    if (job.claim.cancel) {
        outcome.cleanup = Cleanup::failed;
        outcome.cleanup_detail = failure.message;
    }
    // The store drops the failure of a canceled run. The kit for tests sees it before that.
    outcome.failure = std::move(failure);
    finish(job, std::move(outcome));
}

void TurnDispatcher::finish(Job& job, Outcome outcome) {
    Finish part;
    part.target = std::make_pair(job.claim.run, job.claim.token);
    part.outcome = std::move(outcome);
    submit(job, std::move(part));
}

}  // namespace belay::runtime
