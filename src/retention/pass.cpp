#include "retention/pass.hpp"

#include <algorithm>
#include <utility>

namespace belay::retention {

Pass::Pass(IdSource& ids, const Policy& policy, std::uint32_t limit, OverdueScan scan)
    : ids_(ids), policy_(policy), left_(limit), scan_(std::move(scan)) {}

auto Pass::next() -> std::optional<Ask> {
    if (left_ == 0) {
        result_.more = !overdue_.empty() || scan_.next().has_value();
        return std::nullopt;
    }
    if (overdue_.empty()) {
        std::optional<OverdueScan::Read> read = scan_.next();
        if (!read) return std::nullopt;
        return std::visit([](auto& one) { return Ask(std::move(one)); }, *read);
    }
    sent_ = batch_size();
    std::vector<Transition> batch;
    batch.reserve(sent_);
    for (std::size_t i = 0; i < sent_; ++i) batch.push_back(change(overdue_[i]));
    return Ask(std::move(batch));
}

/// Takes the first one at any size: it must be removed some time.
std::size_t Pass::batch_size() const {
    const std::size_t most = std::min<std::size_t>({overdue_.size(), policy_.bulk_batch, left_});
    std::uint64_t rows = overdue_.front().mark.size;
    std::size_t count = 1;
    for (; count < most; ++count) {
        rows += overdue_[count].mark.size;
        if (rows > policy_.bulk_rows) break;
    }
    return count;
}

Transition Pass::change(Overdue& overdue) {
    Transition transition;
    // The id stays the same until it is answered, so the store recognises a repeat.
    if (overdue.commit == CommitId()) overdue.commit = ids_.commit_id();
    transition.commit = overdue.commit;
    transition.stop = StopTerms{policy_.grace, policy_.cancel_deadline};
    // No request ids: a deletion is known by its commit, and a second pruning finds nothing. A
    // request row for each, kept for a day, would be half of the removed rows.
    if (overdue.whole) {
        Delete part;
        part.name = overdue.mark.instance.name;
        part.run = overdue.mark.instance.run;
        transition.parts.emplace_back(std::move(part));
    } else {
        overdue.prunes.front().max = std::max(1U, policy_.prune_batch);
        overdue.prunes.front().max_events = std::max(1U, policy_.bulk_rows);
        transition.parts.emplace_back(overdue.prunes.front());
    }
    return transition;
}

void Pass::take(SelectInstances::Answer page) {
    for (Overdue& overdue : scan_.take(std::move(page))) {
        if (!overdue.is_needed()) overdue_.push_back(std::move(overdue));
    }
}

std::optional<Error> Pass::take(const std::vector<Answer>& answers) {
    BELAY_ASSERT(answers.size() == sent_);
    std::optional<Error> problem;
    std::vector<Overdue> again;
    overtaken_ = true;
    for (const Answer& answer : answers) {
        Overdue overdue = std::move(overdue_.front());
        overdue_.pop_front();
        if (!answer.refused_with(Errc::not_found)) overtaken_ = false;
        if (answer.verdict == Verdict::failed) {
            const bool passes = answer.error && answer.error->retryable();
            if (!passes && !problem) problem = answer.error;
            // An instance that can never be removed is skipped: others are behind it.
            const bool unknown = answer.error && answer.error->outcome_unknown();
            if (passes || unknown) again.push_back(std::move(overdue));
        } else if (!note(overdue, answer)) {
            overdue.commit = CommitId();  // There are more of its executions.
            again.push_back(std::move(overdue));
        }
    }
    sent_ = 0;
    for (auto overdue = again.rbegin(); overdue != again.rend(); ++overdue) {
        overdue_.push_front(std::move(*overdue));
    }
    return problem;
}

bool Pass::note(Overdue& overdue, const Answer& answer) {
    // Not an error: it was removed meanwhile, or something below it runs.
    if (!answer.done()) return true;
    if (!overdue.whole) return note_pruned(overdue, answer);
    ++result_.roots;
    result_.instances += answer.deleted.instances;
    result_.executions += answer.deleted.executions;
    result_.events += answer.deleted.events;
    result_.messages += answer.deleted.messages;
    --left_;
    return true;
}

bool Pass::note_pruned(Overdue& overdue, const Answer& answer) {
    result_.executions += answer.deleted.executions;
    result_.events += answer.deleted.events;
    if (answer.deleted.executions > 0) overdue.changed = true;
    if (is_full(overdue.prunes.front(), answer.deleted)) return false;
    overdue.prunes.pop_front();
    if (!overdue.prunes.empty()) return false;
    if (overdue.changed) {
        ++result_.chains;
        --left_;
    }
    return true;
}

}  // namespace belay::retention
