#include "retention/preview.hpp"

#include "retention/old_executions.hpp"

#include <algorithm>

namespace belay::retention {

namespace {

/// Counts the executions that one of the prunes would remove. The last one in the list is the
/// current one.
std::uint64_t old_executions(const ListExecutions::Answer& list, const std::deque<Prune>& prunes) {
    std::uint64_t count = 0;
    for (std::size_t i = 0; i + 1 < list.size(); ++i) {
        const bool old = std::any_of(prunes.begin(), prunes.end(), [&](const Prune& part) {
            return is_old(list, i, part.keep_last, part.ended_before);
        });
        if (old) ++count;
    }
    return count;
}

}  // namespace

Preview::Preview(OverdueScan scan, std::uint32_t examples)
    : scan_(std::move(scan)), examples_(examples) {}

auto Preview::next() -> std::optional<Ask> {
    while (!overdue_.empty() && note_at_once(overdue_.front())) overdue_.pop_front();
    if (!overdue_.empty()) {
        ListExecutions executions;
        executions.run = overdue_.front().mark.instance.run;
        return Ask(executions);
    }
    std::optional<OverdueScan::Read> read = scan_.next();
    if (!read) return std::nullopt;
    return std::visit([](auto& one) { return Ask(std::move(one)); }, *read);
}

void Preview::take(SelectInstances::Answer page) {
    for (Overdue& one : scan_.take(std::move(page))) overdue_.push_back(std::move(one));
}

void Preview::take(const ListExecutions::Answer& executions) {
    const Overdue chain = std::move(overdue_.front());
    overdue_.pop_front();
    const std::uint64_t count = old_executions(executions, chain.prunes);
    if (count == 0) return;
    RetentionPreview::Executions& group = executions_[chain.mark.definition];
    group.definition = chain.mark.definition;
    ++group.chains;
    group.executions += count;
    if (group.ids.size() < examples_) group.ids.push_back(chain.mark.instance.name.id);
}

bool Preview::note_at_once(const Overdue& overdue) {
    if (!overdue.whole) return removed_.contains(overdue.mark.instance.run);
    if (overdue.is_needed()) {
        ++group_of(overdue.mark).still_needed;
    } else {
        note_removed(overdue.mark);
    }
    return true;
}

void Preview::note_removed(const InstanceMark& mark) {
    RetentionPreview::Instances& group = group_of(mark);
    ++group.roots;
    if (group.ids.size() < examples_) group.ids.push_back(mark.instance.name.id);
    if (mark.old_executions > 0) removed_.insert(mark.instance.run);
}

RetentionPreview::Instances& Preview::group_of(const InstanceMark& mark) {
    const Status outcome = mark.instance.status;
    auto [group, fresh] = instances_.try_emplace({mark.definition, outcome});
    if (fresh) {
        group->second.definition = mark.definition;
        group->second.outcome = outcome;
    }
    return group->second;
}

RetentionPreview Preview::result() const {
    RetentionPreview preview;
    preview.as_of = scan_.now();
    for (const auto& [key, group] : instances_) preview.instances.push_back(group);
    for (const auto& [key, group] : executions_) preview.executions.push_back(group);
    return preview;
}

}  // namespace belay::retention
