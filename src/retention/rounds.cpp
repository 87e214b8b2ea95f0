#include "retention/rounds.hpp"

#include "base/backoff.hpp"

#include <algorithm>
#include <limits>
#include <utility>

namespace belay::retention {

namespace {

/// The rest after a commit, as a multiple of the time that the commit took.
constexpr int kRest = 4;
/// The number of errors in a row that ends a round.
constexpr std::uint32_t kMostFailures = 5;

/// Returns a time in the second half of the first interval: not while a process begins its work,
/// and not when the others do.
Millis first_delay(const Policy& terms, Random& random) {
    const Millis half = terms.retention_interval / 2;
    const auto share = static_cast<std::uint64_t>(half.count()) + 1;
    return half + Millis(random.next() % share);
}

}  // namespace

Rounds::Rounds(
    ProcessPolicies own, IdSource& ids, const Policy& policy, Random& random, Millis now, Warn warn)
    : own_(std::move(own)),
      ids_(ids),
      terms_(policy),
      warn_(std::move(warn)),
      begin_at_(now + first_delay(policy, random)),
      due_at_(begin_at_) {}

auto Rounds::next(Millis now, Timestamp store_time) -> std::optional<Ask> {
    if (now < due_at_) return std::nullopt;
    if (!in_round_) begin(now);
    if (reading_) return Ask(*reading_);
    std::optional<Pass::Ask> ask;
    while (!ask) {
        if (!pass_ && !begin_pass(store_time)) {
            end(now);
            return std::nullopt;
        }
        ask = pass_->next();
        if (!ask) pass_.reset();
    }
    if (std::holds_alternative<std::vector<Transition>>(*ask)) {
        if (!checked_) {
            ReadRetention check;
            check.space = space_;
            return Ask(std::move(check));
        }
        checked_ = false;
        sent_at_ = now;
    }
    return std::visit([](auto& one) { return Ask(std::move(one)); }, *ask);
}

void Rounds::begin(Millis now) {
    in_round_ = true;
    begin_at_ = now + terms_.retention_interval;
    failures_ = 0;
    const bool had_policies = own_.source_has_policies();
    if (const Result<void> read = own_.refresh(); !read) {
        warn_("retention: " + read.error().describe() + "; what was read before counts");
    } else if (had_policies && !own_.source_has_policies()) {
        warn_(
            "retention: its source has no policy any more; what the code says counts from now on");
    }
    waiting_ = own_.policies();
    reading_.emplace();
}

void Rounds::end(Millis now) {
    in_round_ = false;
    reading_.reset();
    pass_.reset();
    due_at_ = std::max(begin_at_, now);
}

bool Rounds::begin_pass(Timestamp store_time) {
    std::erase_if(waiting_, [](const auto& one) { return one.second.keeps_all(); });
    if (waiting_.empty()) return false;
    auto first = waiting_.extract(waiting_.begin());
    space_ = std::move(first.key());
    policy_ = std::move(first.mapped());
    checked_ = false;
    OverdueScan scan(space_, policy_, store_time, terms_);
    pass_.emplace(ids_, terms_, std::numeric_limits<std::uint32_t>::max(), std::move(scan));
    return true;
}

void Rounds::take(const ReadRetention::Answer& found) {
    if (reading_) {
        take_set(found);
    } else {
        take_check(found);
    }
}

void Rounds::take_set(const ReadRetention::Answer& page) {
    for (const StoredRetention& one : page) waiting_.insert_or_assign(one.space, one.policy);
    if (page.size() >= reading_->max) {
        reading_->after = page.back().space;
    } else {
        reading_.reset();
    }
}

void Rounds::take_check(const ReadRetention::Answer& found) {
    RetentionPolicy policy = policy_now(found);
    if (policy == policy_) {
        checked_ = true;
        return;
    }
    // Its namespace sorts before the waiting ones, so the next pass is over it again.
    pass_.reset();
    waiting_.insert_or_assign(space_, std::move(policy));
}

RetentionPolicy Rounds::policy_now(const ReadRetention::Answer& found) const {
    if (!found.empty()) return found.front().policy;
    const auto own = own_.policies().find(space_);
    return own == own_.policies().end() ? RetentionPolicy() : own->second;
}

void Rounds::take(const ListOutcomes::Answer& page) {
    failures_ = 0;
    pass_->take(page);
}

void Rounds::take(SelectInstances::Answer page) {
    failures_ = 0;
    pass_->take(std::move(page));
}

void Rounds::take(const std::vector<Answer>& answers, Millis now) {
    due_at_ = now + kRest * (now - sent_at_);
    if (const std::optional<Error> error = pass_->take(answers)) {
        if (error->outcome_unknown()) return fail(*error, now);
        warn_("retention: something cannot be removed: " + error->describe());
        return;
    }
    const bool busy = std::any_of(answers.begin(), answers.end(), [](const Answer& one) {
        return one.verdict == Verdict::failed;
    });
    if (busy) return fail(Error(Errc::busy, "the store is busy"), now);
    failures_ = 0;
    if (pass_->is_overtaken()) pass_.reset();
}

void Rounds::fail(const Error& error, Millis now) {
    due_at_ = now + base::backoff(terms_.retry_delay, terms_.poll_interval, failures_);
    if (++failures_ < kMostFailures) return;
    warn_("retention: " + error.describe());
    end(now);
}

}  // namespace belay::retention
