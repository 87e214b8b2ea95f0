#include "runtime/activity_dispatcher.hpp"

#include "base/utf8.hpp"
#include <belay/store/operations.hpp>

#include <algorithm>
#include <exception>
#include <string>
#include <utility>

namespace belay::runtime {

ActivityDispatcher::ActivityDispatcher(Services& services,
                                       LeaseKeeper& keeper,
                                       ActivityExecutor& executor,
                                       ActivityOptions options)
    : services_(services),
      keeper_(keeper),
      executor_(executor),
      options_(std::move(options)),
      stop_check_(services, [this](LeaseToken token) { stop(token, StopReason::canceled); }),
      poll_at_(services.clock.monotonic()) {}

bool ActivityDispatcher::step() {
    return mailbox_.run_one() || stop_check_.step() || abandon_overdue() || send_reports() ||
           claim();
}

std::optional<Millis> ActivityDispatcher::next_due() const {
    std::optional<Millis> due;
    const auto consider = [&](const std::optional<Millis>& at) {
        if (at) due = due ? std::min(*due, *at) : *at;
    };
    if (!claiming_ && !shutting_down_ && running_.size() < options_.slots) consider(poll_at_);
    consider(stop_check_.next_due());
    for (const auto& [token, running] : running_) {
        consider(running.abandon_at);
        if (!running.in_flight) consider(running.report_at);
    }
    return due;
}

void ActivityDispatcher::wake() { woken_ = true; }

void ActivityDispatcher::stop_leases(std::vector<LeaseToken> tokens) {
    mailbox_.post([this, tokens = std::move(tokens)] {
        for (const LeaseToken token : tokens) stop(token, StopReason::canceled);
    });
}

void ActivityDispatcher::check_leases(std::vector<LeaseToken> tokens) {
    mailbox_.post([this, tokens = std::move(tokens)] {
        for (const LeaseToken token : tokens) {
            if (running_.contains(token)) {
                check(token);
            } else if (claiming_) {
                heard_early_.insert(token);
            }
        }
    });
}

/// Only of use while the handler runs: after that the answer to its report tells.
void ActivityDispatcher::check(LeaseToken token) {
    const auto at = running_.find(token);
    if (at == running_.end() || !at->second.task) return;
    if (at->second.stop == StopReason::canceled) return;
    stop_check_.add(token, at->second.claim.activity);
}

void ActivityDispatcher::shut_down() {
    shutting_down_ = true;
    std::vector<LeaseToken> tokens;
    tokens.reserve(running_.size());
    for (const auto& [token, running] : running_) tokens.push_back(token);
    for (const LeaseToken token : tokens) stop(token, StopReason::shutdown);
}

bool ActivityDispatcher::claim() {
    const Millis now = services_.clock.monotonic();
    if (shutting_down_ || claiming_ || running_.size() >= options_.slots) return false;
    if (!woken_.exchange(false) && now < poll_at_) return false;
    claiming_ = true;
    poll_at_ = now + services_.policy.poll_interval;
    const auto free = static_cast<std::uint32_t>(options_.slots - running_.size());
    ClaimActivities request;
    request.max = std::min(free, services_.policy.claim_batch);
    request.first_token = services_.ids.tokens(request.max);
    request.worker = services_.worker;
    request.lease = services_.policy.activity_lease;
    request.queues = options_.queues;
    request.any_queue = options_.any_queue;
    services_.store.claim(std::move(request),
                          mailbox_.later<Result<ClaimActivities::Answer>>(
                              [this, now](Result<ClaimActivities::Answer> result) {
                                  on_claimed(now, std::move(result));
                              }));
    return true;
}

void ActivityDispatcher::on_claimed(Millis sent_at, Result<ClaimActivities::Answer> result) {
    claiming_ = false;
    if (!result) {
        stopped_early_.clear();
        heard_early_.clear();
        poll_at_ = services_.clock.monotonic() + services_.policy.retry_delay;
        return;
    }
    poll_at_ = next_poll(services_.policy, services_.clock.monotonic(), result->ready_in);
    const std::set<LeaseToken> stopped = std::exchange(stopped_early_, {});
    for (ClaimedActivity& claim : result->claimed) {
        // The cancel overtook the answer: the handler must not begin at all.
        const bool canceled = stopped.contains(claim.token);
        begin(std::move(claim), sent_at, canceled);
    }
    for (const LeaseToken token : std::exchange(heard_early_, {})) check(token);
}

void ActivityDispatcher::begin(ClaimedActivity claim, Millis sent_at, bool canceled) {
    const LeaseToken token = claim.token;
    Running& running = running_[token];
    running.claim = std::move(claim);
    const ClaimedActivity& claimed = running.claim;
    if (!canceled && services_.clock.monotonic() >= sent_at + services_.policy.activity_lease) {
        // The answer came too late: another worker may have it by now, and then giving it back is
        // refused. If not, it can be claimed at once; nothing of it ran, so it was no attempt.
        ++services_.counters.leases_lost;
        report(running, op::abandon_work_item(claimed, Millis(0), CountAttempt::no));
        return;
    }
    keeper_.add(token,
                claimed.activity,
                services_.policy.activity_lease,
                sent_at,
                std::nullopt,
                [this, token](StopReason reason) { stop(token, reason); });

    if (canceled) {
        report(running, op::ack_work_item(claimed, std::nullopt));
        return;
    }
    if (shutting_down_) {
        report(running, op::abandon_work_item(claimed, Millis(0), CountAttempt::no));
        return;
    }
    const ActivityHandler* const handler = services_.registry.activity(claimed.name);
    if (handler == nullptr) {
        ++services_.counters.unregistered;
        AbandonActivity back =
            op::abandon_work_item(claimed,
                                  backoff(services_.policy.unregistered_backoff,
                                          services_.policy.unregistered_backoff_max,
                                          claimed.unregistered),
                                  CountAttempt::no);
        back.reason = AbandonReason::unregistered;
        report(running, back);
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
        report(running, op::ack_work_item(claimed, op::activity_failed(claimed.activity, failure)));
        return;
    }
    run(running, *handler);
}

void ActivityDispatcher::run(Running& running, const ActivityHandler& handler) {
    const ClaimedActivity& claimed = running.claim;
    const LeaseToken token = claimed.token;
    running.task = std::make_shared<ActivityTask>(ActivityDetails{claimed.instance,
                                                                  claimed.activity,
                                                                  claimed.definition,
                                                                  claimed.version,
                                                                  claimed.name,
                                                                  services_.worker,
                                                                  claimed.attempt},
                                                  claimed.input,
                                                  handler);
    std::string problem;
    try {
        executor_.begin(running.task,
                        mailbox_.later<ActivityResult>([this, token](const ActivityResult& result) {
                            on_ended(token, result);
                        }));
        ++services_.counters.activities_begun;
        return;
    } catch (const std::exception& thrown) {
        problem = thrown.what();
    } catch (...) {
        problem = "something that is not a std::exception was thrown";
    }
    services_.log("activity " + claimed.name + " of '" + claimed.instance.id +
                  "' could not be begun and is given back: " + problem);
    running.task.reset();
    // This process is in trouble, not the activity: nothing of it ran, so it was no attempt.
    report(running,
           op::abandon_work_item(claimed, services_.policy.poll_interval, CountAttempt::no));
}

/// The handler has really ended. What is reported depends on whether it had been told to stop.
void ActivityDispatcher::on_ended(LeaseToken token, const ActivityResult& result) {
    const auto at = running_.find(token);
    if (at == running_.end()) return;  // Abandoned before.
    Running& running = at->second;
    if (!running.task) return;  // Its executor threw when it began, and it was given back.
    running.abandon_at.reset();
    running.task.reset();
    const ClaimedActivity& claim = running.claim;
    switch (running.stop) {
        case StopReason::lease_lost: forget(token); return;
        case StopReason::canceled: report(running, op::ack_work_item(claim, std::nullopt)); return;
        case StopReason::shutdown:
            if (std::holds_alternative<Failure>(result)) {
                report(running, op::abandon_work_item(claim, Millis(0), CountAttempt::no));
                return;
            }
            break;  // It finished all the same: keep what it did.
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
    report(running, op::ack_work_item(claim, op::activity_completed(claim.activity, output)));
}

void ActivityDispatcher::report_failure(Running& running, Failure failure) {
    const std::size_t most = services_.limits.failure_bytes;
    failure.message = base::shortened(std::move(failure.message), most);
    failure.detail = base::shortened(std::move(failure.detail), most);
    report(running,
           op::ack_work_item(running.claim, op::activity_failed(running.claim.activity, failure)));
}

void ActivityDispatcher::report_limit(Running& running, std::string message) {
    report_failure(running,
                   Failure{.kind = FailureKind::limit,
                           .message = std::move(message),
                           .where = running.claim.name,
                           .attempt = running.claim.attempt});
}

void ActivityDispatcher::stop(LeaseToken token, StopReason reason) {
    const auto at = running_.find(token);
    if (at == running_.end()) {
        if (claiming_ && reason == StopReason::canceled) stopped_early_.insert(token);
        return;
    }
    Running& running = at->second;
    // A cancel overrides a stop for another reason: what is canceled is acked, not given back.
    if (running.stop != StopReason::none && reason != StopReason::canceled) return;
    const bool first = running.stop == StopReason::none;
    running.stop = reason;
    if (reason == StopReason::canceled || reason == StopReason::lease_lost) keeper_.remove(token);
    if (!running.task || !first) return;
    ++services_.counters.stops_requested;
    running.abandon_at = services_.clock.monotonic() + services_.policy.grace;
    executor_.request_stop(running.task, reason);
}

bool ActivityDispatcher::abandon_overdue() {
    const Millis now = services_.clock.monotonic();
    for (auto& [token, running] : running_) {
        if (!running.abandon_at || now < *running.abandon_at) continue;
        ++services_.counters.abandoned;
        services_.log("activity " + running.claim.name + " of '" + running.claim.instance.id +
                      "' did not stop within its grace period and is abandoned (" +
                      std::string(to_string(running.stop)) + ")");
        executor_.abandon(running.task);
        // No ack: its handler has not ended. The stopping record is swept after lease and grace.
        forget(token);
        return true;
    }
    return false;
}

void ActivityDispatcher::report(Running& running, Part part) {
    Transition transition;
    transition.commit = services_.ids.commit_id();
    transition.parts.push_back(std::move(part));
    running.report = std::move(transition);
    running.report_at = services_.clock.monotonic();
}

bool ActivityDispatcher::send_reports() {
    const Millis now = services_.clock.monotonic();
    std::vector<Transition> batch;
    std::vector<LeaseToken> tokens;
    for (auto& [token, running] : running_) {
        if (!running.report_at || running.in_flight || now < *running.report_at) continue;
        running.in_flight = true;
        batch.push_back(*running.report);
        tokens.push_back(token);
    }
    if (batch.empty()) return false;
    services_.store.commit(std::move(batch),
                           mailbox_.later<Result<std::vector<Answer>>>(
                               [this, tokens](const Result<std::vector<Answer>>& result) {
                                   for (std::size_t i = 0; i < tokens.size(); ++i) {
                                       on_reported(tokens[i], result, i);
                                   }
                               }));
    return true;
}

namespace {

/// Whether a report says that the activity succeeded.
bool had_result(const Transition& report) {
    const auto* ack = std::get_if<AckActivity>(&report.parts.front());
    return ack != nullptr && ack->completion &&
           ack->completion->kind == MessageKind::activity_completed;
}

}  // namespace

void ActivityDispatcher::on_reported(LeaseToken token,
                                     const Result<std::vector<Answer>>& result,
                                     std::size_t index) {
    const auto at = running_.find(token);
    if (at == running_.end()) return;
    Running& running = at->second;
    running.in_flight = false;
    const Answer* const answer = result ? &(*result)[index] : nullptr;
    const Error* const error =
        answer == nullptr ? &result.error()
                          : (answer->verdict == Verdict::failed ? &*answer->error : nullptr);
    if (error != nullptr && (error->retryable() || error->outcome_unknown())) {
        // Sent again as it is: the row is the fence, so it cannot count twice.
        running.report_at = services_.clock.monotonic() + services_.policy.retry_delay;
        return;
    }
    const bool had_completion =
        std::holds_alternative<AckActivity>(running.report->parts.front()) &&
        std::get<AckActivity>(running.report->parts.front()).completion.has_value();
    if (error == nullptr && answer->done()) {
        if (had_completion) ++services_.counters.activities_completed;
    } else if (error == nullptr && answer->refused_with(Errc::canceled)) {
        // Canceled just before: the handler has ended, and that is all there is to say.
        if (had_completion) ++services_.counters.completions_refused;
        running.stop = StopReason::canceled;
        report(running, op::ack_work_item(running.claim, std::nullopt));
        return;
    } else if (error == nullptr && answer->refused_with(Errc::limit_exceeded) &&
               had_result(*running.report)) {
        // The store takes less than our limits allow. Run again it would be refused again.
        ++services_.counters.completions_refused;
        report_limit(running, answer->error->message());
        return;
    } else if (had_completion) {
        ++services_.counters.completions_refused;
    }
    forget(token);
}

void ActivityDispatcher::forget(LeaseToken token) {
    keeper_.remove(token);
    stop_check_.remove(token);
    running_.erase(token);
    woken_ = true;  // A slot is free.
}

}  // namespace belay::runtime
