#include "simulation/checks/removals.hpp"

#include <algorithm>
#include <optional>
#include <set>
#include <string>

namespace belay::sim {

void ChainLedger::pruned(Violations& violations, const Prune& part, const Answer& answer) {
    if (!answer.instance) {
        violations.report("pruning says of which run", part.name.id);
        return;
    }
    Chain& chain = chains_[answer.instance->run];
    // The current one is the first of those that are kept.
    const std::size_t kept = part.keep_last && *part.keep_last > 0 ? *part.keep_last - 1 : 0;
    std::vector<ExecutionNo> old;
    for (const auto& [execution, ended] : chain.ended) old.push_back(execution);
    old.resize(old.size() - std::min(old.size(), kept));
    DeleteCounts gone;
    for (const ExecutionNo execution : old) {
        const Ended& ended = chain.ended[execution];
        if (part.ended_before && ended.at >= *part.ended_before) continue;
        if (gone.executions == part.max || gone.events >= part.max_events) break;
        ++gone.executions;
        gone.events += ended.events;
        chain.ended.erase(execution);
    }
    violations.expect(answer.deleted == gone, "pruning counts what it took", [&] {
        return part.name.id + ": " + std::to_string(answer.deleted.executions) +
               " executions with " + std::to_string(answer.deleted.events) + " events instead of " +
               std::to_string(gone.executions) + " with " + std::to_string(gone.events);
    });
}

void ChainLedger::follow(Violations& violations, const memory::Run& run) {
    Chain& chain = chains_[run.ref];
    const std::string& id = run.about.name.id;
    violations.expect(
        !run.executions.empty() && run.executions.back().info.execution == run.execution,
        "a chain keeps its current execution",
        id);
    for (; chain.current < run.execution; ++chain.current) {
        const memory::Execution* over = run.find_execution(chain.current);
        violations.expect(over != nullptr && over->info.ended_at.has_value(),
                          "an execution that is over stays until it is pruned",
                          id);
        if (over == nullptr || !over->info.ended_at) return;
        chain.ended.emplace(chain.current, Ended{*over->info.ended_at, over->info.events});
    }
    violations.expect(
        run.executions.size() == chain.ended.size() + 1, "only pruning takes executions", [&] {
            return id + " has " + std::to_string(run.executions.size()) + " instead of " +
                   std::to_string(chain.ended.size() + 1);
        });
    for (const auto& [execution, ended] : chain.ended) {
        violations.expect(run.find_execution(execution) != nullptr,
                          "only pruning takes executions",
                          [&] { return id + " execution " + std::to_string(execution); });
    }
}

namespace {

struct Asked {
    bool deletion = false;
    bool force = false;
    std::set<RunRef> chosen;
};

Asked what_was_asked(const Transition* by) {
    Asked asked;
    if (by == nullptr) return asked;
    for (const Part& part : by->parts) {
        if (const auto* one = std::get_if<Delete>(&part)) {
            asked.deletion = true;
            asked.force |= one->force;
            if (one->run) asked.chosen.insert(*one->run);
        } else if (const auto* many = std::get_if<DeleteInstances>(&part)) {
            asked.deletion = true;
            asked.force |= many->force;
        }
    }
    return asked;
}

void check_nothing_left(Violations& violations, const memory::Tables& tables, RunRef run) {
    const auto activity = tables.activities.lower_bound(ActivityRef{run, 0, 0});
    const auto record =
        tables.stopping.lower_bound(memory::StoppingKey{ActivityRef{run, 0, 0}, LeaseToken()});
    violations.expect((activity == tables.activities.end() || activity->first.run != run) &&
                          (record == tables.stopping.end() || record->first.first.run != run) &&
                          !tables.letters_to.contains(run) && !tables.waiters.contains(run.key),
                      "nothing is left of what was deleted",
                      [&] { return "rows of " + to_string(run); });
}

}  // namespace

void check_vanished(Violations& violations,
                    const memory::Tables& tables,
                    const Transition* by,
                    const std::vector<Vanished>& vanished) {
    const Asked asked = what_was_asked(by);
    violations.expect(asked.deletion, "runs do not vanish", "a run is gone that nobody deleted");
    std::set<RunRef> gone;
    for (const Vanished& one : vanished) {
        gone.insert(one.run);
        violations.expect(asked.force || is_terminal(one.status),
                          "only force deletes what has not ended",
                          [&] { return to_string(one.run); });
        check_nothing_left(violations, tables, one.run);
    }
    for (const RunRef chosen : asked.chosen) {
        violations.expect(
            gone.contains(chosen), "a run is deleted and not its namesake", to_string(chosen));
    }
    for (const auto& [ref, run] : tables.runs) {
        violations.expect(!run.about.parent || !gone.contains(run.about.parent->run),
                          "a tree is deleted as a whole",
                          [&] { return run.about.name.id + " has lost its parent"; });
    }
}

}  // namespace belay::sim
