#include "runtime/retention.hpp"

#include <algorithm>
#include <limits>
#include <utility>
#include <variant>

namespace belay::runtime {

namespace {

/// How many times as long as a commit took is rested after it.
constexpr int kRest = 4;
/// A round that meets with this many errors in a row is over.
constexpr std::uint32_t kMostFailures = 5;

}  // namespace

Retention::Retention(Services& services, OwnRetention own, Random& random)
    : services_(services), own_(std::move(own)) {
    // Some time in the second half of the first interval: not while a process begins its work, and
    // not when the others do.
    const Millis half = services_.policy.retention_interval / 2;
    const auto share = static_cast<std::uint64_t>(half.count()) + 1;
    begin_at_ = services_.clock.monotonic() + half + Millis(random.next() % share);
    due_at_ = begin_at_;
}

std::optional<Millis> Retention::next_due() const {
    if (in_flight_ || stopped_) return std::nullopt;
    return due_at_;
}

bool Retention::step() {
    if (mailbox_.run_one()) return true;
    const Millis now = services_.clock.monotonic();
    if (in_flight_ || stopped_ || now < due_at_) return false;
    if (!reading_ && !pass_) begin(now);
    if (reading_) {
        read_policies();
        return true;
    }
    std::optional<store::RetentionPass::Ask> next = pass_->next();
    if (!next) {
        next_namespace();
        return true;
    }
    in_flight_ = true;
    if (std::holds_alternative<std::vector<Transition>>(*next) && !checked_) {
        check_policy();
    } else {
        std::visit([this](auto& ask) { send(std::move(ask)); }, *next);
    }
    return true;
}

void Retention::begin(Millis now) {
    begin_at_ = now + services_.policy.retention_interval;
    failures_ = 0;
    const bool said = own_.source_says();
    if (const Result<void> read = own_.refresh(); !read) {
        services_.log("retention: " + read.error().describe() + "; what was read before counts");
    } else if (said && !own_.source_says()) {
        services_.log(
            "retention: its source has no policy any more; what the code says counts from now on");
    }
    policies_ = own_.policies();
    reading_.emplace();
}

void Retention::read_policies() {
    in_flight_ = true;
    services_.store.read(*reading_,
                         mailbox_.later<Result<ReadRetention::Answer>>(
                             [this](const Result<ReadRetention::Answer>& page) { take(page); }));
}

void Retention::take(const Result<ReadRetention::Answer>& page) {
    in_flight_ = false;
    if (!page) return fail(page.error());
    for (const StoredRetention& one : *page) policies_.insert_or_assign(one.space, one.policy);
    if (page->size() >= reading_->max) {
        reading_->after = page->back().space;
        return;
    }
    reading_.reset();
    next_namespace();
}

void Retention::next_namespace() {
    pass_.reset();
    while (!policies_.empty() && policies_.begin()->second.keeps_all()) {
        policies_.erase(policies_.begin());
    }
    if (policies_.empty()) return over();
    auto next = policies_.extract(policies_.begin());
    begin_pass(std::move(next.key()), std::move(next.mapped()));
}

void Retention::begin_pass(std::string space, RetentionPolicy policy) {
    space_ = std::move(space);
    policy_ = std::move(policy);
    checked_ = false;
    store::Overdue overdue(space_, policy_, services_.store.now(), services_.policy);
    pass_.emplace(services_.ids,
                  services_.policy,
                  std::numeric_limits<std::uint32_t>::max(),
                  std::move(overdue));
}

void Retention::check_policy() {
    ReadRetention request;
    request.space = space_;
    services_.store.read(
        std::move(request),
        mailbox_.later<Result<ReadRetention::Answer>>(
            [this](const Result<ReadRetention::Answer>& found) { take_check(found); }));
}

void Retention::take_check(const Result<ReadRetention::Answer>& found) {
    in_flight_ = false;
    if (!found) return fail(found.error());
    RetentionPolicy policy;
    const auto own = own_.policies().find(space_);
    if (!found->empty()) {
        policy = found->front().policy;
    } else if (own != own_.policies().end()) {
        policy = own->second;
    }
    if (policy == policy_) {
        checked_ = true;
    } else if (policy.keeps_all()) {
        next_namespace();
    } else {
        begin_pass(space_, std::move(policy));
    }
}

void Retention::over() {
    reading_.reset();
    pass_.reset();
    due_at_ = std::max(begin_at_, services_.clock.monotonic());
}

void Retention::send(ListOutcomes request) {
    services_.store.read(std::move(request),
                         mailbox_.later<Result<ListOutcomes::Answer>>(
                             [this](const Result<ListOutcomes::Answer>& page) {
                                 in_flight_ = false;
                                 if (!page) return fail(page.error());
                                 failures_ = 0;
                                 pass_->take(*page);
                             }));
}

void Retention::send(SelectInstances request) {
    services_.store.read(std::move(request),
                         mailbox_.later<Result<SelectInstances::Answer>>(
                             [this](Result<SelectInstances::Answer> page) {
                                 in_flight_ = false;
                                 if (!page) return fail(page.error());
                                 failures_ = 0;
                                 pass_->take(std::move(*page));
                             }));
}

void Retention::send(std::vector<Transition> batch) {
    const Millis sent_at = services_.clock.monotonic();
    checked_ = false;
    services_.store.commit(std::move(batch),
                           mailbox_.later<Result<std::vector<Answer>>>(
                               [this, sent_at](const Result<std::vector<Answer>>& answers) {
                                   in_flight_ = false;
                                   take(answers, sent_at);
                               }));
}

void Retention::take(const Result<std::vector<Answer>>& answers, Millis sent_at) {
    const Millis now = services_.clock.monotonic();
    due_at_ = now + kRest * (now - sent_at);
    // Nobody knows, or nothing happened: what is asked for anew finds out.
    if (!answers) return fail(answers.error());
    if (const std::optional<Error> error = pass_->take(*answers)) {
        if (error->outcome_unknown()) return fail(*error);
        services_.log("retention: something cannot be removed: " + error->describe());
        return;
    }
    const bool busy = std::any_of(answers->begin(), answers->end(), [](const Answer& one) {
        return one.verdict == Verdict::failed;
    });
    if (busy) return fail(Error(Errc::busy, "the store is busy"));
    failures_ = 0;
    if (pass_->is_overtaken()) next_namespace();
}

void Retention::fail(const Error& error) {
    due_at_ = services_.clock.monotonic() +
              backoff(services_.policy.retry_delay, services_.policy.poll_interval, failures_);
    if (++failures_ < kMostFailures) return;
    services_.log("retention: " + error.describe());
    over();
}

}  // namespace belay::runtime
