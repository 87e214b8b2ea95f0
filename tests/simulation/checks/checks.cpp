// The expensive checks: rows against history, messages, cold replay.
#include "replay/execution.hpp"
#include "simulation/checks/observer.hpp"
#include "simulation/process/code_watch.hpp"
#include "store/memory/inspect.hpp"

#include <utility>

namespace belay::sim {

namespace {

/// The number of waiting messages that answer a command of the current execution.
std::size_t answers_waiting(const memory::Run& run, CommandNo command) {
    std::size_t count = 0;
    for (const auto& [key, waiting] : run.inbox) {
        if (!waiting.timer && waiting.content.execution == run.execution &&
            waiting.content.command == command) {
            ++count;
        }
    }
    return count;
}

std::size_t open_children(const memory::Run& run, CommandNo command) {
    std::size_t count = 0;
    for (const auto& [link, child] : run.open_children) {
        if (link == memory::CommandRef{run.execution, command}) ++count;
    }
    return count;
}

/// The one that its first turn recorded; none before that.
std::string version_of(const memory::Execution& execution) {
    if (execution.history.empty()) return {};
    const auto events = model::decode_events(execution.history.front().row);
    for (const model::Event& event : *events) {
        const auto* const started = std::get_if<model::ExecutionStarted>(&event);
        if (started != nullptr) return started->version;
    }
    return {};
}

}  // namespace

void Observer::check_rows(const memory::Tables& tables,
                          const RunShadow& shadow,
                          const memory::Run& run) {
    const HistoryModel& history = shadow.current();
    // Rows of unshielded work go with the cancel; history hears of it in the next turn.
    const bool cancel_unseen = run.cancel && !history.canceled();
    for (CommandNo number = 1; number <= history.commands().size(); ++number) {
        const CommandState& command = history.commands()[number - 1];
        const auto subject = [&] {
            return run.about.name.id + " command " + std::to_string(number);
        };
        const ActivityRef ref{run.ref, run.execution, number};
        const std::size_t answers = answers_waiting(run, number);
        std::size_t rows = answers;
        if (command.kind == CommandKind::activity) {
            rows += memory::find_activity(tables, ref) != nullptr ? 1U : 0U;
        } else if (command.kind == CommandKind::timer) {
            rows += run.timers.contains({run.execution, number}) ? 1U : 0U;
        } else if (command.kind == CommandKind::child) {
            rows += open_children(run, number);
        }
        if (!command.open) {
            // A child that was let go of may still be ending, and an answer may still wait.
            expect(rows == answers || command.kind == CommandKind::child,
                   "no rows for what is not open",
                   subject);
            expect(answers <= 1, "at most one completion per command", subject);
            continue;
        }
        if (command.kind == CommandKind::wait) continue;
        const bool may_be_gone =
            cancel_unseen && !command.shielded && command.kind == CommandKind::activity;
        expect(rows == 1 || (rows == 0 && may_be_gone),
               "what is open has exactly one row or answer",
               [&] { return subject() + " has " + std::to_string(rows); });
    }
    auto row = tables.activities.lower_bound(ActivityRef{run.ref, 0, 0});
    for (; row != tables.activities.end() && row->first.run == run.ref; ++row) {
        expect(row->first.execution == run.execution && history.is_open(row->first.command),
               "no rows for what is not open",
               [&] { return to_string(row->first); });
        expect(!run.cancel || row->second.about.shielded,
               "a cancel deletes the rows of unshielded activities",
               [&] { return to_string(row->first); });
    }
    for (const auto& [command, child] : run.open_children) {
        const memory::Run* const one = memory::find_run(tables, child);
        const bool wanted = command.first == run.execution && history.is_open(command.second);
        const bool alone = one != nullptr && one->about.parent_close == ParentClose::abandon;
        expect(wanted || alone || (one != nullptr && one->cancel),
               "a child that nobody waits for any more is canceled",
               [&] { return one == nullptr ? to_string(child) : one->about.name.id; });
    }
    for (const auto& [command, key] : run.timers) {
        expect(command.first == run.execution && history.is_open(command.second),
               "no rows for what is not open",
               [&] { return run.about.name.id + " timer " + std::to_string(command.second); });
    }
    expect(run.key_values == history.values(),
           "the key-values are those that history set",
           run.about.name.id);
    if (history.custom_status()) {
        expect(run.custom_status == history.custom_status(),
               "the custom status is the last one set",
               run.about.name.id);
    }
}

void Observer::check_messages(const memory::Tables& tables) {
    for (const auto& [text, entry] : messages_.all()) {
        if (entry.received > 0) continue;
        const memory::Run* const run = memory::find_run(tables, entry.run);
        if (run == nullptr || run->ended()) continue;
        std::size_t waiting = 0;
        for (const auto& [key, one] : run->inbox) {
            if (one.content.payload.bytes == text) ++waiting;
        }
        expect(waiting == 1, "a message is not lost", [&] {
            return text + " to " + run->about.name.id + " waits " + std::to_string(waiting) +
                   " times";
        });
    }
}

void Observer::check_everything(const memory::Tables& tables) {
    for (const std::string& problem : memory::find_problems(tables)) {
        violations_.report("rows and indexes agree", problem);
    }
    for (const auto& [ref, run] : tables.runs) {
        const RunShadow* const shadow = find(ref);
        if (shadow == nullptr) {
            violations_.report("runs do not appear by themselves", run.about.name.id);
            continue;
        }
        if (run.ended()) {
            expect(run.outcome == shadow->outcome,
                   "a terminal state never changes",
                   run.about.name.id);
        } else {
            check_rows(tables, *shadow, run);
        }
    }
    for (const auto& [id, key] : tables.keys) {
        expect(key.deleted == deleted_.contains(key.run),
               "nothing is left of what was deleted",
               "key " + id.key);
    }
    letters_.check(violations_, tables);
    check_messages(tables);
}

void Observer::check_cold_replay(const memory::Run& run, const Registry& registry) {
    if (registry.orchestration(run.about.definition) == nullptr) return;
    const LogSink log = [&](const LogRecord& line) {
        violations_.report("a replay logs nothing",
                           run.about.name.id + ": " + std::string(line.message));
    };
    // In the hands of the execution: received, or taken along. Not known when the execution before
    // it was pruned.
    std::size_t messages = 0;
    bool known = true;
    ExecutionNo before = 0;
    for (const memory::Execution& recorded_execution : run.executions) {
        const TakenCount taken;
        const ExecutionNo number = recorded_execution.info.execution;
        if (before + 1 != number) known = false;
        before = number;
        const std::string version = version_of(recorded_execution);
        if (version.empty()) continue;
        const RunShadow* const shadow = find(run.ref);
        const HistoryModel* const model = shadow != nullptr && number <= shadow->models.size()
                                              ? &shadow->models[number - 1]
                                              : nullptr;
        if (model != nullptr && model->spoiled()) {
            known = false;
            continue;
        }
        replay::Execution execution(
            registry.orchestration(run.about.definition, version)->handler,
            replay::Identity{
                run.about.name, number, run.about.definition, version, {}, run.about.headers},
            limits_,
            &log);
        for (const RecordedRow& recorded : recorded_execution.history) {
            const Result<std::vector<model::Event>> events = model::decode_events(recorded.row);
            for (const model::Event& event : *events) {
                messages += std::holds_alternative<model::MessageReceived>(event) ? 1U : 0U;
            }
            const Result<void> same = execution.replay(*events);
            if (!same) {
                violations_.report("cold replay equals the incremental run",
                                   same.error().message());
                return;
            }
        }
        const bool begun = execution.position() > 0;
        // A message that is too much ends its run, and is nobody's.
        const bool all_fit = limits_.buffered_messages == Limits().buffered_messages;
        const std::size_t untaken = limits_.buffered_messages - execution.message_room();
        if (begun && known && all_fit && !execution.cancel_seen()) {
            expect(taken.value() + untaken == messages,
                   "a received message is taken by the code or still there for it",
                   [&] {
                       return run.about.name.id + " received " + std::to_string(messages) +
                              ", its code took " + std::to_string(taken.value()) + ", and " +
                              std::to_string(untaken) + " are left";
                   });
        }
        messages = untaken;
        known = true;
        if (model == nullptr) continue;
        const bool same_outcome =
            execution.outcome() ? model->outcome() == *execution.outcome() : !model->outcome();
        expect(same_outcome && execution.continued().has_value() == model->continued(),
               "cold replay equals the incremental run",
               run.about.name.id + " ends otherwise");
    }
}

}  // namespace belay::sim
