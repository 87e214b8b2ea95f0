#include "client/document/check.hpp"

#include "client/document/node.hpp"

#include <variant>

namespace belay::client {

namespace {

[[noreturn]] void fail(const std::string& place, const std::string& what) {
    throw Damage(Errc::invalid_argument, "'" + place + "' " + what);
}

void expect(bool holds, const std::string& place, const std::string& what) {
    if (!holds) fail(place, what);
}

void check_end(const DocumentInstance& instance) {
    expect(
        instance.status != Status::continued_as_new, "instance.status", "is that of an execution");
    const bool ended = is_terminal(instance.status);
    expect(ended == instance.outcome.has_value(),
           "instance.outcome",
           ended ? "is missing: the instance has ended" : "is there: the instance has not ended");
    expect(ended == instance.ended_at.has_value(),
           "instance.ended_at",
           ended ? "is missing: the instance has ended" : "is there: the instance has not ended");
    expect(!ended || instance.outcome->status == instance.status,
           "instance.outcome.status",
           "is not the status of the instance");
    expect(instance.custom_status.has_value() == (instance.custom_status_version > 0),
           "instance.custom_status_version",
           "says that a custom status was set, and there is none; or the reverse");
}

/// What its history says of the end of an execution.
void check_last_event(const Document& document, std::size_t index) {
    const DocumentExecution& execution = document.executions[index];
    const std::string place = "executions[" + std::to_string(index) + "].turns";
    const bool last = index + 1 == document.executions.size();
    for (std::size_t i = 0; i < execution.turns.size(); ++i) {
        const auto& turn = execution.turns[i];
        const bool last_turn = i + 1 == execution.turns.size();
        for (std::size_t j = 0; j < turn.size(); ++j) {
            const auto* ends = std::get_if<model::ExecutionEnded>(&turn[j]);
            const bool continues = std::holds_alternative<model::ExecutionContinued>(turn[j]);
            const bool at_end = last_turn && j + 1 == turn.size();
            if (ends == nullptr && !continues && !at_end) continue;
            const std::string at = place + "[" + std::to_string(i) + "][" + std::to_string(j) + "]";
            expect((ends == nullptr && !continues) || at_end,
                   at,
                   "ends its execution; nothing can follow it");
            expect(!continues || !last, at, "continues as an execution that is not there");
            expect(ends == nullptr || last, at, "ends the instance; an execution follows");
            expect(ends == nullptr || ends->outcome.status == document.instance.status,
                   at,
                   "ends the instance in another way than it ended");
            expect(last || !at_end || continues, at, "is the last event; an execution follows");
        }
    }
}

void check_beginning(const Document& document, std::size_t index) {
    const DocumentExecution& execution = document.executions[index];
    if (execution.turns.empty()) return;
    const auto& turn = execution.turns.front();
    const std::string place = "executions[" + std::to_string(index) + "].turns[0]";
    expect(std::holds_alternative<model::TurnStarted>(turn[0]),
           place + "[0]",
           "is not TurnStarted, with which every execution begins");
    const auto* started =
        turn.size() > 1 ? std::get_if<model::ExecutionStarted>(&turn[1]) : nullptr;
    expect(started != nullptr, place + "[1]", "is not ExecutionStarted, which comes second");
    expect(started->definition == document.instance.definition,
           place + "[1].definition",
           "is not that of the instance");
}

void check_execution(const Document& document, std::size_t index) {
    const DocumentExecution& execution = document.executions[index];
    const std::string place = "executions[" + std::to_string(index) + "]";
    const bool last = index + 1 == document.executions.size();
    const ExecutionNo before = index == 0 ? 0 : document.executions[index - 1].execution;
    expect(execution.execution > before,
           place + ".execution",
           "is " + std::to_string(execution.execution) + "; executions ascend, from 1 on");
    expect(execution.status == (last ? document.instance.status : Status::continued_as_new),
           place + ".status",
           last ? "is not that of the instance" : "is not continued_as_new; an execution follows");
    expect(last ? execution.ended_at == document.instance.ended_at : execution.ended_at.has_value(),
           place + ".ended_at",
           last ? "is not when the instance ended" : "is missing");
    expect(
        last || !execution.turns.empty(), place + ".turns", "has no event; an execution follows");
    check_beginning(document, index);
    check_last_event(document, index);
}

}  // namespace

void check_document(const Document& document) {
    check_end(document.instance);
    expect(!document.executions.empty(), "executions", "is empty; an instance has at least one");
    for (std::size_t i = 0; i < document.executions.size(); ++i) check_execution(document, i);
}

}  // namespace belay::client
