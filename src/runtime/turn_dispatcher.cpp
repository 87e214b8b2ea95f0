#include "runtime/turn_dispatcher.hpp"

#include "runtime/turn_builder.hpp"
#include <belay/store/operations.hpp>

#include <algorithm>
#include <set>
#include <utility>

namespace belay::runtime {

TurnDispatcher::TurnDispatcher(Services& services,
                               LeaseKeeper& keeper,
                               TurnOptions options,
                               Stopped stopped)
    : services_(services),
      keeper_(keeper),
      options_(options),
      stopped_(std::move(stopped)),
      residents_(options.residents),
      poll_at_(services.clock.monotonic()) {}

bool TurnDispatcher::step() { return mailbox_.run_one() || send_commits() || claim(); }

std::optional<Millis> TurnDispatcher::next_due() const {
    std::optional<Millis> due;
    if (!claiming_ && !shutting_down_ && jobs_.size() < options_.slots) due = poll_at_;
    for (const auto& [token, job] : jobs_) {
        if (!job.commit_at || job.in_flight) continue;
        due = due ? std::min(*due, *job.commit_at) : *job.commit_at;
    }
    return due;
}

void TurnDispatcher::wake() { woken_ = true; }

void TurnDispatcher::forget_ended(RunRef run) {
    mailbox_.post([this, run] { (void)residents_.take(run.key); });
}

// ---- Claiming ----------------------------------------------------------------------------------

bool TurnDispatcher::claim() {
    const Millis now = services_.clock.monotonic();
    if (shutting_down_ || claiming_ || jobs_.size() >= options_.slots) return false;
    if (!woken_.exchange(false) && now < poll_at_) return false;
    claiming_ = true;
    poll_at_ = now + services_.policy.poll_interval;
    const auto free = static_cast<std::uint32_t>(options_.slots - jobs_.size());
    ClaimInstances request;
    request.max = std::min(free, services_.policy.claim_batch);
    request.max_messages = services_.policy.message_batch;
    request.first_token = services_.ids.tokens(request.max);
    request.worker = services_.worker;
    request.lease = services_.policy.turn_lease;
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
        return;
    }
    poll_at_ = next_poll(services_.policy, services_.clock.monotonic(), result->ready_in);
    for (ClaimedInstance& claim : result->claimed) begin(std::move(claim), sent_at);
}

void TurnDispatcher::begin(ClaimedInstance claim, Millis sent_at) {
    const LeaseToken token = claim.token;
    // Losing the lock needs no action: the commit will be refused.
    keeper_.add(token,
                claim.run,
                services_.policy.turn_lease,
                sent_at,
                sent_at + services_.policy.turn_limit,
                nullptr);
    Job& job = jobs_[token];
    job.claim = std::move(claim);
    prepare(job);
}

/// Decides what is to be done with a claimed run: a turn, if this process can.
void TurnDispatcher::prepare(Job& job) {
    const ClaimedInstance& claim = job.claim;
    if (shutting_down_) {
        give_back(job, Millis(0), CountAttempt::no, AbandonReason::released);
        return;
    }
    if (claim.attempts > services_.policy.max_attempts) {
        ++services_.counters.poisoned;
        const std::string why = "given up after " + std::to_string(services_.policy.max_attempts) +
                                " attempts, none of which came to an end";
        fail(job,
             Failure{.kind = FailureKind::poison, .message = why, .attempt = claim.attempts - 1});
        return;
    }
    job.code = services_.registry.orchestration(claim.definition);
    if (job.code == nullptr) {
        // Also when it is canceled: who has the code may be coming up, and do its cleanup. If
        // nobody does, the deadline of the cancel ends it.
        ++services_.counters.unregistered;
        give_back(job,
                  backoff(services_.policy.unregistered_backoff,
                          services_.policy.unregistered_backoff_max,
                          claim.unregistered),
                  CountAttempt::no,
                  AbandonReason::unregistered);
        return;
    }
    job.execution = residents_.take(claim.run.key);
    const bool usable = job.execution && job.execution->is(claim.execution) &&
                        job.execution->position() <= claim.position;
    if (usable) {
        ++services_.counters.resident_turns;
    } else {
        ++services_.counters.cold_replays;
        job.execution = std::make_unique<replay::Execution>(
            job.code->handler,
            replay::Identity{claim.name,
                             claim.execution,
                             claim.definition,
                             claim.version.empty() ? job.code->version : claim.version},
            services_.limits);
    }
    if (job.execution->position() == claim.position) {
        take_turn(job);
    } else {
        read_history(job);
    }
}

// ---- History -----------------------------------------------------------------------------------

void TurnDispatcher::read_history(Job& job) {
    ReadHistory request;
    request.run = job.claim.run;
    request.execution = job.claim.execution;
    request.after = job.execution->position();
    const LeaseToken token = job.claim.token;
    services_.store.read(
        request,
        mailbox_.later<Result<ReadHistory::Answer>>(
            [this, token](const Result<ReadHistory::Answer>& r) { on_history(token, r); }));
}

void TurnDispatcher::on_history(LeaseToken token, const Result<ReadHistory::Answer>& result) {
    const auto at = jobs_.find(token);
    if (at == jobs_.end()) return;
    Job& job = at->second;
    if (!result) {
        if (result.error().code() == Errc::corrupt || result.error().code() == Errc::unsupported) {
            set_aside(job, result.error());
        } else {
            give_back(job, services_.policy.retry_delay, CountAttempt::no, AbandonReason::released);
        }
        return;
    }
    const EventNo before = job.execution->position();
    for (const RecordedRow& row : *result) {
        const Result<std::vector<model::Event>> events = model::decode_events(row.row);
        if (!events) {
            set_aside(job, events.error());
            return;
        }
        if (row.first_event != job.execution->position() + 1) {
            set_aside(job,
                      Error(Errc::corrupt,
                            "history has a gap: event " + std::to_string(row.first_event) +
                                " follows event " + std::to_string(job.execution->position())));
            return;
        }
        if (const Result<void> same = job.execution->replay(*events); !same) {
            set_aside(job, same.error());
            return;
        }
    }
    const EventNo position = job.execution->position();
    if (position == job.claim.position) {
        take_turn(job);
    } else if (position > before && position < job.claim.position) {
        read_history(job);  // The next page.
    } else {
        set_aside(job,
                  Error(Errc::corrupt,
                        "history ends at event " + std::to_string(position) +
                            "; the instance says " + std::to_string(job.claim.position)));
    }
}

// ---- Turns -------------------------------------------------------------------------------------

namespace {

/// A timer has its number from when it was set; it came when it was due.
bool came_before(const Message& message, const CancelRecord& cancel) {
    if (message.id >= cancel.sequence) return false;
    return message.content.kind != MessageKind::timer_fired ||
           message.sent_at <= cancel.requested_at;
}

}  // namespace

void TurnDispatcher::take_turn(Job& job) {
    const ClaimedInstance& claim = job.claim;
    replay::Execution& execution = *job.execution;
    for (const Message& message : claim.messages) {
        if (is_known(message.content.kind)) continue;
        const auto kind = static_cast<int>(message.content.kind);
        set_aside(job,
                  Error(Errc::unsupported,
                        "a message of kind " + std::to_string(kind) + " is not known here"));
        return;
    }
    execution.begin_turn(claim.claimed_at, claim.input, claim.cancel.has_value());
    std::set<MessageNo> left;
    const auto apply = [&](const Message& message) {
        // Once it has continued as new, what was sent to the run is for the next execution.
        if (execution.continued() && message.content.execution == 0) {
            left.insert(message.id);
        } else {
            execution.apply(message.content);
        }
    };
    // What came before the cancel is applied before it.
    for (const Message& message : claim.messages) {
        if (!claim.cancel || came_before(message, *claim.cancel)) apply(message);
    }
    if (claim.cancel) {
        execution.apply_cancel(*claim.cancel);
        for (const Message& message : claim.messages) {
            if (!came_before(message, *claim.cancel)) apply(message);
        }
    }
    Turn turn = build_turn(claim,
                           execution,
                           execution.take_recorded(),
                           services_.registry,
                           services_.policy,
                           services_.ids);
    std::erase_if(turn.consumed, [&](MessageNo message) { return left.contains(message); });
    submit(job, std::move(turn), true);
}

/// This run cannot go on here: a person must look at it, unless it is being canceled anyway.
void TurnDispatcher::set_aside(Job& job, const Error& why) {
    services_.log("'" + job.claim.name.id + "' cannot go on: " + why.describe());
    const bool mismatch = why.code() == Errc::nondeterminism;
    if (job.claim.cancel || (mismatch && services_.policy.on_mismatch == OnMismatch::fail)) {
        fail(job,
             Failure{.kind = mismatch ? FailureKind::nondeterminism : FailureKind::infrastructure,
                     .message = why.message()});
        return;
    }
    ++services_.counters.held;
    submit(job, Hold{job.claim.run, job.claim.token, why.message()}, false);
}

void TurnDispatcher::give_back(Job& job, Millis delay, CountAttempt count, AbandonReason reason) {
    AbandonTurn part = op::abandon_orchestration_item(job.claim, delay, count);
    part.reason = reason;
    submit(job, part, false);
}

/// Ends the run without its code: as failed, or if it was canceled, as that with a failed cleanup.
void TurnDispatcher::fail(Job& job, Failure failure) {
    failure.where = job.claim.definition;
    Outcome outcome;
    outcome.status = job.claim.cancel ? Status::canceled : Status::failed;
    outcome.cleanup = Cleanup::failed;
    outcome.cleanup_detail = failure.message;
    outcome.failure = std::move(failure);
    finish(job, std::move(outcome));
}

void TurnDispatcher::finish(Job& job, Outcome outcome) {
    Finish part;
    part.target = std::make_pair(job.claim.run, job.claim.token);
    part.outcome = std::move(outcome);
    submit(job, std::move(part), false);
}

// ---- Committing --------------------------------------------------------------------------------

void TurnDispatcher::submit(Job& job, Part part, bool turn) {
    Transition transition;
    transition.commit = services_.ids.commit_id();
    transition.parts.push_back(std::move(part));
    transition.stop = services_.stop_terms();
    job.commit = std::move(transition);
    job.commit_at = services_.clock.monotonic();
    job.turn = turn;
    if (!turn) job.execution.reset();
}

bool TurnDispatcher::send_commits() {
    const Millis now = services_.clock.monotonic();
    std::vector<Transition> batch;
    std::vector<LeaseToken> tokens;
    for (auto& [token, job] : jobs_) {
        if (!job.commit_at || job.in_flight || now < *job.commit_at) continue;
        job.in_flight = true;
        batch.push_back(*job.commit);
        tokens.push_back(token);
    }
    if (batch.empty()) return false;
    services_.store.commit(std::move(batch),
                           mailbox_.later<Result<std::vector<Answer>>>(
                               [this, tokens](const Result<std::vector<Answer>>& result) {
                                   for (std::size_t i = 0; i < tokens.size(); ++i) {
                                       on_committed(tokens[i], result, i);
                                   }
                               }));
    return true;
}

void TurnDispatcher::on_committed(LeaseToken token,
                                  const Result<std::vector<Answer>>& result,
                                  std::size_t index) {
    const auto at = jobs_.find(token);
    if (at == jobs_.end()) return;
    Job& job = at->second;
    job.in_flight = false;
    const Answer* const answer = result ? &(*result)[index] : nullptr;
    const Error* const failure =
        answer == nullptr ? &result.error()
                          : (answer->verdict == Verdict::failed ? &*answer->error : nullptr);
    if (failure != nullptr) {
        if (failure->retryable() || failure->outcome_unknown()) {
            // The identical commit again: it carries its id, so it is applied once at most.
            job.commit_at = services_.clock.monotonic() + services_.policy.retry_delay;
        } else {
            services_.log("a commit for '" + job.claim.name.id +
                          "' failed: " + failure->describe());
            forget(token);
        }
        return;
    }
    if (!answer->done()) {
        on_refused(job, *answer->error);
        return;
    }
    if (!answer->stopped.empty()) stopped_(answer->stopped);
    if (job.turn) {
        ++services_.counters.turns_committed;
        if (!job.execution->finished()) {
            residents_.put(job.claim.run.key, std::move(job.execution));
        }
    }
    forget(token);
}

/// The execution has run past history: it must go before anything else happens.
void TurnDispatcher::on_refused(Job& job, const Error& error) {
    job.execution.reset();
    if (job.turn) ++services_.counters.turns_refused;
    const Errc code = error.code();
    if (job.turn && (code == Errc::cancel_unseen || code == Errc::run_key_taken)) {
        // The lock is still held: let go of it, so that the run can be claimed with the cancel in
        // view.
        give_back(job, Millis(0), CountAttempt::no, AbandonReason::released);
        return;
    }
    if (job.turn && code == Errc::limit_exceeded) {
        // The same turn will be refused again: say what was too much instead of trying.
        fail(job, Failure{.kind = FailureKind::limit, .message = error.message()});
        return;
    }
    if (job.turn && code == Errc::invalid_argument) {
        // The same turn will be refused again; attempts are counted, so this ends as poison.
        services_.log("a turn of '" + job.claim.name.id + "' was refused: " + error.describe());
        give_back(job, services_.policy.retry_delay, CountAttempt::yes, AbandonReason::released);
        return;
    }
    forget(job.claim.token);
}

void TurnDispatcher::forget(LeaseToken token) {
    keeper_.remove(token);
    jobs_.erase(token);
    woken_ = true;
}

}  // namespace belay::runtime
