// Reports the ends of activities to the store, and what follows from its answers.
#include "base/backoff.hpp"
#include "model/thrown.hpp"
#include "runtime/activity_dispatcher.hpp"
#include <belay/store/operations.hpp>

#include <string>
#include <utility>

namespace belay::runtime {

void ActivityDispatcher::report_failure(const Running& running, Failure failure) {
    // An executor of users' own may have made the failure, with any kind and any length.
    const Failure recorded =
        model::shortened(model::with_known_kind(std::move(failure)), services_.limits);
    finish(running, op::activity_failed(running.claim.activity, recorded));
}

void ActivityDispatcher::report_limit(const Running& running, std::string message) {
    report_failure(running,
                   Failure{.kind = FailureKind::limit,
                           .message = std::move(message),
                           .where = running.claim.name,
                           .attempt = running.claim.attempt});
}

void ActivityDispatcher::finish(const Running& running, NewMessage completion) {
    Finished finished{running.claim.activity,
                      running.claim.token,
                      std::move(completion),
                      false,
                      output_of(running)};
    // Told to stop, it will be gone soon, or its process: no turn is taken for it here.
    if (turns_ != nullptr && running.stop == StopReason::none && turns_->take_on(finished)) return;
    report(std::move(finished));
}

void ActivityDispatcher::report(Finished finished) {
    AckActivity part{
        finished.activity, finished.token, std::move(finished.completion), finished.turn_overran};
    send(finished.token, std::move(part));
}

void ActivityDispatcher::recorded(LeaseToken token) {
    ++services_.counters.activities_completed;
    forget(token);
}

void ActivityDispatcher::send(LeaseToken token, Part part) {
    Transition transition;
    transition.commit = services_.ids.commit_id();
    transition.stop = services_.stop_terms();
    if (const auto at = running_.find(token); at != running_.end()) {
        if (auto output = output_of(at->second)) transition.parts.emplace_back(std::move(*output));
    }
    transition.parts.push_back(std::move(part));
    commits_.send(std::move(transition),
                  [this, token](const Transition& sent, const Answer& answer) {
                      on_reported(token, sent, answer);
                  });
}

/// Reports a result that the store did not take because nobody wants it any more.
void ActivityDispatcher::report_refused(const Running& running, const Answer& answer) {
    if (!answer.error || is_permanent(answer.error->code()) ||
        answer.error->code() == Errc::unreadable || answer.error->code() == Errc::limit_exceeded) {
        return;  // Reported with what follows from it.
    }
    // A cancel often overtakes a result. A deletion or another worker seldom does.
    const bool usual = answer.refused_with(Errc::canceled);
    services_.events.report(event_of(EngineCode::result_lost,
                                     usual ? LogLevel::info : LogLevel::warning,
                                     running.claim,
                                     "the result of activity " + running.claim.name + " of '" +
                                         running.claim.instance.id +
                                         "' came too late: " + answer.error->describe()));
}

void ActivityDispatcher::on_reported(LeaseToken token,
                                     const Transition& sent,
                                     const Answer& answer) {
    const auto at = running_.find(token);
    if (at == running_.end()) return;
    Running& running = at->second;
    if (sent.parts.size() > 1 && answer.error &&
        (is_permanent(answer.error->code()) || answer.error->code() == Errc::unreadable)) {
        // Perhaps only its output cannot be written. Its end is more important.
        give_up_output(running, running.unsaved.chunks.size(), *answer.error);
        send(token, sent.parts.back());
        return;
    }
    // Output stands in front of it.
    const auto* ack = std::get_if<AckActivity>(&sent.parts.back());
    const bool had_completion = ack != nullptr && ack->completion;
    if (had_completion) {
        if (answer.done()) {
            ++services_.counters.activities_completed;
        } else if (running.kept == 0) {
            ++services_.counters.completions_refused;
            report_refused(running, answer);
        }
    }
    if (answer.refused_with(Errc::canceled) && !running.given_up) {
        // Canceled just before: the handler has ended, and that is all there is to say.
        running.stop = StopReason::canceled;
        send(token, op::ack_activity(running.claim, std::nullopt));
        return;
    }
    if (answer.refused_with(Errc::limit_exceeded) && had_completion &&
        ack->completion->kind == MessageKind::activity_completed) {
        // The store takes less than our limits allow. Run again it would be refused again.
        report_limit(running, answer.error->message());
        return;
    }
    if (answer.refused_with(Errc::unreadable) && had_completion) {
        keep_unwritable(running, sent, *answer.error);
        return;
    }
    if (answer.error && is_permanent(answer.error->code()) && had_completion) {
        // It is run again, and ends as poison. The reason is said nowhere else.
        services_.events.report(event_of(EngineCode::completion_refused,
                                         LogLevel::error,
                                         running.claim,
                                         "what activity " + running.claim.name + " of '" +
                                             running.claim.instance.id +
                                             "' came to was refused: " + answer.error->describe()));
    }
    const auto* back = std::get_if<AbandonActivity>(&sent.parts.back());
    if (back != nullptr && back->progress && !answer.done() &&
        !answer.refused_with(Errc::canceled) && !answer.refused_with(Errc::lease_lost)) {
        // Its progress cannot be written. It is given back without: nobody waits for its lease.
        AbandonActivity without = *back;
        without.progress.reset();
        send(token, std::move(without));
        return;
    }
    forget(token);
}

/// Keeps the end of an activity that cannot be encoded because a key is missing here, so that the
/// activity does not run again. Its lease is kept too, until the end can be written or nobody wants
/// it any more. Only what needs no key is said before.
void ActivityDispatcher::keep_unwritable(Running& running,
                                         const Transition& end,
                                         const Error& why) {
    const ClaimedActivity& claim = running.claim;
    const LeaseToken token = claim.token;
    const std::string what =
        "what activity " + claim.name + " of '" + claim.instance.id + "' came to";
    const bool unwanted = running.stop == StopReason::lease_lost ||
                          (running.given_up && running.stop != StopReason::timeout);
    if (unwanted) {
        forget(token);
    } else if (running.stop == StopReason::canceled) {
        send(token, op::ack_activity(claim, std::nullopt));
    } else if (running.stop == StopReason::shutdown) {
        services_.events.report(
            event_of(EngineCode::unreadable,
                     LogLevel::warning,
                     claim,
                     what + " is given up, and it is run again elsewhere: " + why.message()));
        AbandonActivity back = op::abandon_activity(claim, Millis(0), CountAttempt::no);
        back.reason = AbandonReason::interrupted;
        send(token, back);
    } else {
        if (running.kept == 0) {
            ++services_.counters.unreadable;
            services_.events.report(
                event_of(EngineCode::unreadable,
                         LogLevel::warning,
                         claim,
                         what + " is kept until it can be written: " + why.message(),
                         "give this worker the key or the coder"));
        }
        const Policy& policy = services_.policy;
        commits_.send_later(
            end,
            base::backoff(policy.retry_delay, policy.unregistered_backoff, running.kept++),
            [this, token](const Transition& again, const Answer& answer) {
                on_reported(token, again, answer);
            });
    }
}

}  // namespace belay::runtime
