#include "store/retention/pass.hpp"

#include <algorithm>
#include <utility>

namespace belay::store {

RetentionPass::RetentionPass(IdSource& ids,
                             const Policy& policy,
                             std::uint32_t limit,
                             Overdue overdue)
    : ids_(ids), policy_(policy), left_(limit), overdue_(std::move(overdue)) {}

auto RetentionPass::next() -> std::optional<Ask> {
    if (left_ == 0) {
        result_.more = !due_.empty() || overdue_.next().has_value();
        return std::nullopt;
    }
    if (due_.empty()) {
        std::optional<Overdue::Read> read = overdue_.next();
        if (!read) return std::nullopt;
        return std::visit([](auto& one) { return Ask(std::move(one)); }, *read);
    }
    sent_ = batch_size();
    std::vector<Transition> batch;
    batch.reserve(sent_);
    for (std::size_t i = 0; i < sent_; ++i) batch.push_back(change(due_[i]));
    return Ask(std::move(batch));
}

/// The first is taken whatever its size: it must go some time.
std::size_t RetentionPass::batch_size() const {
    const std::size_t most = std::min<std::size_t>({due_.size(), policy_.bulk_batch, left_});
    std::uint64_t rows = due_.front().mark.size;
    std::size_t count = 1;
    for (; count < most; ++count) {
        rows += due_[count].mark.size;
        if (rows > policy_.bulk_rows) break;
    }
    return count;
}

Transition RetentionPass::change(Due& due) {
    Transition transition;
    // The same until it is answered: what was done and not answered is recognised.
    if (due.commit == CommitId()) due.commit = ids_.commit_id();
    transition.commit = due.commit;
    transition.stop = StopTerms{policy_.grace, policy_.cancel_deadline};
    // No request ids: a deletion is known by its commit, pruning finds nothing the second time, and
    // a row for each that is kept for a day would be half of what goes.
    if (due.goes) {
        Delete part;
        part.name = due.mark.instance.name;
        part.run = due.mark.instance.run;
        transition.parts.emplace_back(std::move(part));
    } else {
        due.prunes.front().max = std::max(1U, policy_.prune_batch);
        due.prunes.front().max_events = std::max(1U, policy_.bulk_rows);
        transition.parts.emplace_back(due.prunes.front());
    }
    return transition;
}

void RetentionPass::take(SelectInstances::Answer page) {
    for (Due& due : overdue_.saw(std::move(page))) {
        if (!due.is_needed()) due_.push_back(std::move(due));
    }
}

std::optional<Error> RetentionPass::take(const std::vector<Answer>& answers) {
    BELAY_ASSERT(answers.size() == sent_);
    std::optional<Error> problem;
    std::vector<Due> again;
    overtaken_ = true;
    for (const Answer& answer : answers) {
        Due due = std::move(due_.front());
        due_.pop_front();
        if (!answer.refused_with(Errc::not_found)) overtaken_ = false;
        if (answer.verdict == Verdict::failed) {
            const bool passes = answer.error && answer.error->retryable();
            if (!passes && !problem) problem = answer.error;
            // What can never go is left where it is: others are behind it.
            const bool unknown = answer.error && answer.error->outcome_unknown();
            if (passes || unknown) again.push_back(std::move(due));
        } else if (!note(due, answer)) {
            due.commit = CommitId();  // There is more of it.
            again.push_back(std::move(due));
        }
    }
    sent_ = 0;
    for (auto due = again.rbegin(); due != again.rend(); ++due) {
        due_.push_front(std::move(*due));
    }
    return problem;
}

bool RetentionPass::note(Due& due, const Answer& answer) {
    // It went between two looks at it, or something below it runs: neither is wrong.
    if (!answer.done()) return true;
    if (!due.goes) return note_pruned(due, answer);
    ++result_.roots;
    result_.instances += answer.deleted.instances;
    result_.executions += answer.deleted.executions;
    result_.events += answer.deleted.events;
    result_.messages += answer.deleted.messages;
    --left_;
    return true;
}

bool RetentionPass::note_pruned(Due& due, const Answer& answer) {
    result_.executions += answer.deleted.executions;
    result_.events += answer.deleted.events;
    if (answer.deleted.executions > 0) due.changed = true;
    if (is_full(due.prunes.front(), answer.deleted)) return false;
    due.prunes.pop_front();
    if (!due.prunes.empty()) return false;
    if (due.changed) {
        ++result_.chains;
        --left_;
    }
    return true;
}

}  // namespace belay::store
