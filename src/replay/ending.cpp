#include "replay/ending.hpp"

#include "base/utf8.hpp"
#include "model/thrown.hpp"

#include <utility>

namespace belay::replay {

namespace {

std::string joined(const std::vector<std::string>& problems) {
    std::string all;
    for (const std::string& problem : problems) all += (all.empty() ? "" : "; ") + problem;
    return all;
}

}  // namespace

void Ending::complete(Payload output) {
    phase_ = Phase::code_ended;
    output_ = std::move(output);
}

void Ending::fail(Failure failure) {
    phase_ = Phase::code_ended;
    failure_ = std::move(failure);
    failed_before_cancel_ = !cancellation_.is_requested();
}

void Ending::cancel(const std::string& reason) {
    phase_ = Phase::code_ended;
    if (cancellation_.is_requested()) return;
    if (reason.size() > limits_.reason_bytes) {
        fail(Failure{.kind = FailureKind::limit,
                     .message = "the reason it canceled itself for is " +
                                std::to_string(reason.size()) + " bytes; at most " +
                                std::to_string(limits_.reason_bytes) + " are allowed",
                     .where = identity_.definition});
        return;
    }
    self_cancel_ = CancelRecord{.source = CancelSource::self,
                                .by = identity_.name.id,
                                .reason = reason,
                                .requested_at = clock_.now()};
}

void Ending::skip(std::string reason) {
    phase_ = Phase::code_ended;
    if (reason.size() <= limits_.reason_bytes) {
        skip_reason_ = std::move(reason);
        return;
    }
    fail(Failure{.kind = FailureKind::limit,
                 .message = "the reason it was skipped for is " + std::to_string(reason.size()) +
                            " bytes; at most " + std::to_string(limits_.reason_bytes) +
                            " are allowed",
                 .where = identity_.definition});
}

void Ending::ask_to_continue(Payload input, std::string version) {
    asked_ = std::move(input);
    next_version_ = std::move(version);
}

void Ending::continue_with(Payload input) {
    phase_ = Phase::continued;
    continued_ = std::move(input);
    if (!next_version_.empty()) journal_.record(model::NextVersionChosen{next_version_});
    journal_.record(model::ExecutionContinued{*continued_});
}

void Ending::end(const std::vector<std::string>& cleanup_failures) {
    phase_ = Phase::ended;
    outcome_ = outcome_of(cleanup_failures);
    journal_.record(model::ExecutionEnded{*outcome_});
}

Outcome Ending::outcome_of(const std::vector<std::string>& cleanup_failures) const {
    if (cancellation_.is_requested() || self_cancel_) return canceled_outcome(cleanup_failures);
    if (failure_) return failed_outcome(cleanup_failures);
    Outcome outcome;
    if (skip_reason_) {
        outcome.status = Status::skipped;
        outcome.skip_reason = *skip_reason_;
        return outcome;
    }
    outcome.output = output_;
    return outcome;
}

Outcome Ending::canceled_outcome(std::vector<std::string> problems) const {
    // Code that fails after the cancel fails in its cleanup. A failure before it is the run's.
    if (failure_ && !failed_before_cancel_) problems.push_back(failure_->message);
    Outcome outcome;
    outcome.status = Status::canceled;
    outcome.cancel = cancellation_.is_requested() ? *cancellation_.record() : *self_cancel_;
    outcome.cleanup = problems.empty() ? Cleanup::done : Cleanup::failed;
    if (failed_before_cancel_) {
        problems.push_back("the run failed before the cancel: " + failure_->message);
    }
    outcome.cleanup_detail = base::shortened(joined(problems), limits_.failure_bytes);
    return outcome;
}

Outcome Ending::failed_outcome(const std::vector<std::string>& problems) const {
    Outcome outcome;
    outcome.status = Status::failed;
    outcome.failure = *failure_;
    if (!problems.empty()) {
        outcome.failure.detail += (outcome.failure.detail.empty() ? "" : "; ") +
                                  ("compensation failed: " + joined(problems));
    }
    outcome.failure = model::shortened(std::move(outcome.failure), limits_);
    return outcome;
}

}  // namespace belay::replay
