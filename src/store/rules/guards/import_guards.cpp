// The guards of an import.
#include "store/names.hpp"
#include "store/rules/guards/guards.hpp"
#include <belay/limits.hpp>

#include <algorithm>
#include <string>
#include <vector>

namespace belay::store {

namespace {

std::optional<Refusal> invalid_import(const std::string& what) {
    return refuse(Errc::invalid_argument, "an imported instance " + what);
}

std::optional<Refusal> check_end(const Import& part) {
    const Status status = part.outcome->status;
    if (!is_terminal(status)) {
        return invalid_import("has ended; this one is " + std::string(to_string(status)));
    }
    if ((status == Status::canceled) != part.cancel.has_value()) {
        return invalid_import(part.cancel ? "with a cancel record ends as canceled only"
                                          : "that was canceled has a cancel record");
    }
    if (part.cancel && part.outcome->cancel != *part.cancel) {
        return invalid_import("has one cancel record; that of its outcome is another one");
    }
    if (part.custom_status.has_value() != (part.custom_status_version > 0)) {
        return invalid_import("has a custom status if it was ever set, and only then");
    }
    if (part.key_values.contains(std::string()))
        return invalid_import("has no value without a key");
    return std::nullopt;
}

std::optional<Refusal> check_executions(const Import& part) {
    if (part.executions.empty()) return invalid_import("has at least one execution");
    if (part.executions.back().ended_at != part.ended_at) {
        return invalid_import("ended when its last execution did");
    }
    ExecutionNo before = 0;
    for (const ImportedExecution& one : part.executions) {
        const std::string number = std::to_string(one.execution);
        if (one.execution <= before) {
            return invalid_import("has executions in order, from 1 on; " + number + " follows " +
                                  std::to_string(before));
        }
        before = one.execution;
        if (std::any_of(one.history.begin(), one.history.end(), [](const HistoryRow& row) {
                return row.count == 0;
            })) {
            return invalid_import("has events in every row of its history; one of execution " +
                                  number + " has none");
        }
    }
    return std::nullopt;
}

/// Clocks differ and are set back. But an end far in the future would keep the run for ever.
std::optional<Refusal> check_times(const Import& part, Timestamp now) {
    const Millis tolerance = Limits().clock_tolerance;
    std::vector<Timestamp> times{part.created_at};
    for (const ImportedExecution& one : part.executions) {
        times.push_back(one.started_at);
        times.push_back(one.ended_at);
    }
    const Timestamp started = part.started_at.value_or(part.created_at);
    const auto possible = [&](Timestamp at) { return at >= Timestamp() && at <= now + tolerance; };
    if (!possible(started) || !std::all_of(times.begin(), times.end(), possible)) {
        return invalid_import("has times between 1970 and now");
    }
    const auto reversed = [&](Timestamp one, Timestamp next) { return next + tolerance < one; };
    if (std::adjacent_find(times.begin(), times.end(), reversed) != times.end() ||
        reversed(part.created_at, part.ended_at) || reversed(part.created_at, started) ||
        reversed(started, part.ended_at)) {
        return invalid_import(
            "was created, started and ended in this order, and so were its executions");
    }
    if (part.cancel_deadline && !part.cancel) {
        return invalid_import("has a deadline for its cancel only if it was canceled");
    }
    return std::nullopt;
}

}  // namespace

auto Guards::check(const Import& part) -> Verdict {
    const NewInstance& instance = part.instance;
    if (const auto valid = check_names(instance); !valid) {
        return Refusal{valid.error(), std::nullopt, false};
    }
    if (instance.parent) return invalid_import("is a root; this one has a parent");
    if (instance.on_fail || instance.on_fail_of) {
        return invalid_import("has ended: it starts no run, and is not for the failure of one");
    }
    if (auto refusal = check_end(part)) return refusal;
    if (auto refusal = check_executions(part)) return refusal;
    if (auto refusal = check_times(part, rows_.now())) return refusal;
    if (auto refusal =
            check_name_free(instance.name, part.input_digest, rows_.run(instance.name))) {
        return refusal;
    }
    if (auto refusal = check_run_key(instance.run)) return refusal;
    if (auto refusal = check_document(instance, part.document)) return refusal;
    new_names_.insert(instance.name);
    return std::nullopt;
}

}  // namespace belay::store
