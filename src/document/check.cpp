#include "document/check.hpp"

#include "document/node.hpp"

#include <string>

namespace belay::document {

namespace {

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

/// Checks that one time follows another, unless the clock was set back in between.
class Order {
public:
    explicit Order(const Limits& limits) : tolerance_(limits.clock_tolerance) {}

    void check(const std::string& place, Timestamp at) const { expect_possible(at, place); }
    /// Both times must have been checked.
    void check(const std::string& place, Timestamp at, Timestamp before, const char* what) const {
        expect(at + tolerance_ >= before, place, std::string("is earlier than ") + what);
    }

private:
    Millis tolerance_;
};

void check_times(const DocumentInstance& instance, const Order& order) {
    order.check("instance.created_at", instance.created_at);
    Timestamp before = instance.created_at;
    if (instance.started_at) {
        order.check("instance.started_at", *instance.started_at);
        order.check("instance.started_at", *instance.started_at, before, "it was created");
        before = *instance.started_at;
    }
    if (instance.ended_at) {
        order.check("instance.ended_at", *instance.ended_at);
        order.check("instance.ended_at", *instance.ended_at, before, "it began");
    }
    if (instance.cancel) {
        order.check("instance.cancel.requested_at", instance.cancel->requested_at);
    }
    expect(!instance.cancel_deadline || instance.cancel,
           "instance.cancel_deadline",
           "is there, and no cancel");
}

void check_times(const Document& document, const Order& order) {
    const DocumentInstance& instance = document.instance;
    check_times(instance, order);
    Timestamp before = instance.created_at;
    for (std::size_t i = 0; i < document.executions.size(); ++i) {
        const DocumentExecution& execution = document.executions[i];
        const std::string place = "executions[" + std::to_string(i) + "]";
        order.check(place + ".started_at", execution.started_at);
        order.check(place + ".started_at",
                    execution.started_at,
                    before,
                    i == 0 ? "the instance was created" : "the one before it ended");
        before = execution.started_at;
        if (!execution.ended_at) continue;
        order.check(place + ".ended_at", *execution.ended_at);
        order.check(place + ".ended_at", *execution.ended_at, before, "it began");
        before = *execution.ended_at;
    }
    // An execution that continued as new had a turn, even if it is pruned.
    const DocumentExecution& first = document.executions.front();
    const bool began = first.execution > 1 || !first.turns.empty();
    expect(began == instance.started_at.has_value(),
           "instance.started_at",
           began ? "is missing: it had a turn" : "is there, and it never had a turn");
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
    check_history(document, index);
}

}  // namespace

void check_document(const Document& document, const Limits& limits) {
    check_end(document.instance);
    expect(!document.executions.empty(), "executions", "is empty; an instance has at least one");
    for (std::size_t i = 0; i < document.executions.size(); ++i) check_execution(document, i);
    check_times(document, Order(limits));
}

}  // namespace belay::document
