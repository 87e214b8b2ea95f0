#include "runtime/turn_builder.hpp"

#include "replay/child_id.hpp"
#include "runtime/retry_header.hpp"
#include <belay/store/operations.hpp>

#include <algorithm>
#include <set>
#include <utility>

namespace belay::runtime {

namespace {

// Ids are made by code that knows no store.
static_assert(replay::kRoomForFailure == kOnFailBytes);

class Builder {
public:
    Builder(const ClaimedInstance& claim,
            const replay::Execution& execution,
            const Registry& registry,
            IdSource& ids,
            Turn& turn)
        : claim_(claim), execution_(execution), registry_(registry), ids_(ids), turn_(turn) {}

    void add_all(const std::vector<model::Event>& events) {
        for (const model::Event& event : events) {
            if (const auto* canceled = std::get_if<model::CommandCanceled>(&event)) {
                canceled_.insert(canceled->command);
            }
        }
        for (const model::Event& event : events) {
            std::visit(
                [this](const auto& e) {
                    if constexpr (requires { add(e); }) add(e);
                },
                event);
        }
        for (const CommandNo command : canceled_) cancel(command);
    }

private:
    /// The one that was asked for, or the newest that is known here; else its first turn says.
    [[nodiscard]] std::string version_of(const std::string& definition,
                                         const std::string& wanted) const {
        if (!wanted.empty()) return wanted;
        const RegisteredOrchestration* const code = registry_.orchestration(definition);
        return code == nullptr ? std::string() : code->version;
    }

    /// Names the run that is created if this one fails.
    void add_on_fail(NewInstance& instance) {
        instance.on_fail = RunRef{instance.run.shard, ids_.run_key(instance.run.key)};
    }

    /// Returns false if it was let go of again in this turn: there is nothing to do or to undo.
    bool wanted(CommandNo command) { return canceled_.erase(command) == 0; }

    void add(const model::ActivityScheduled& e) {
        if (!wanted(e.command)) return;
        NewActivity activity;
        activity.command = e.command;
        activity.name = e.name;
        activity.queue = e.queue;
        activity.input = e.input;
        activity.headers = claim_.headers;
        activity.shielded = e.shielded;
        activity.priority = e.terms.priority;
        activity.fairness_key = e.terms.fairness_key;
        activity.schedule_to_start = e.terms.schedule_to_start;
        activity.start_to_close = e.terms.start_to_close;
        activity.heartbeat_timeout = e.terms.heartbeat_timeout;
        activity.session = e.terms.session;
        if (e.terms.first != 0) {
            set_attempt(activity.headers, Attempt{e.terms.attempt, e.terms.first});
        }
        turn_.activities.push_back(std::move(activity));
    }
    void add(const model::TimerScheduled& e) {
        // Due at once, it has fired in this very turn.
        if (!wanted(e.command) || !execution_.is_open(e.command)) return;
        turn_.timers.push_back(
            NewTimer{e.command, e.due_at, op::timer_fired(claim_.execution, e.command)});
    }
    void add(const model::ChildScheduled& e) {
        const bool alone = e.terms.parent_close == ParentClose::abandon;
        if (!wanted(e.command) && !alone) return;
        const ParentLink parent{claim_.run, claim_.execution, e.command};
        NewChild child;
        child.instance.run = RunRef{claim_.run.shard, ids_.run_key(claim_.run.key)};
        child.instance.name = InstanceName{claim_.name.space, e.id};
        child.instance.definition = e.definition;
        child.instance.version = version_of(e.definition, e.terms.version);
        child.instance.owner = claim_.owner;
        child.instance.labels = e.terms.labels;
        child.instance.parent_close = e.terms.parent_close;
        child.instance.input = e.input;
        if (e.with_document) child.instance.document = claim_.document;
        if (e.on_fail) add_on_fail(child.instance);
        child.instance.part = e.part;
        child.instance.parent = parent;
        child.instance.started_by = claim_.name.id;
        child.instance.headers = claim_.headers;
        Outcome conflict;
        conflict.status = Status::failed;
        conflict.failure = Failure{.kind = FailureKind::id_in_use,
                                   .message = "the id '" + e.id +
                                              "' is in use: give the child another name "
                                              "(ChildOptions::id) each time, or none",
                                   .where = e.definition};
        child.on_conflict = op::child_ended(parent, conflict);
        turn_.children.push_back(std::move(child));
    }
    void add(const model::DetachedStarted& e) {
        NewChild start;
        start.instance.run = RunRef{shard_of(e.id), ids_.run_key()};
        start.instance.name = InstanceName{claim_.name.space, e.id};
        start.instance.definition = e.definition;
        start.instance.version = version_of(e.definition, e.version);
        start.instance.owner = claim_.owner;
        start.instance.input = e.input;
        start.instance.started_by = claim_.name.id;
        start.instance.headers = claim_.headers;
        start.instance.labels = e.labels;
        if (e.with_document) start.instance.document = claim_.document;
        if (e.on_fail) add_on_fail(start.instance);
        turn_.children.push_back(std::move(start));
    }
    void add(const model::WaitScheduled& e) { (void)wanted(e.command); }
    void add(const model::CustomStatusSet& e) { turn_.custom_status = e.status; }
    void add(const model::KeyValueSet& e) {
        turn_.key_values.push_back(KeyValueChange{e.key, e.value});
    }
    void add(const model::KeyValueCleared& e) {
        turn_.key_values.push_back(KeyValueChange{e.key, std::nullopt});
    }
    void add(const model::KeyValuesCleared& /*e*/) {
        turn_.key_values.push_back(KeyValueChange{std::string(), std::nullopt});
    }

    void cancel(CommandNo command) {
        switch (execution_.kind_of(command).value()) {
            case detail::OperationKind::activity:
                turn_.canceled_activities.push_back(command);
                break;
            case detail::OperationKind::timer: turn_.canceled_timers.push_back(command); break;
            case detail::OperationKind::child:
                if (!execution_.is_abandoned(command)) {
                    turn_.canceled_children.push_back(command);
                }
                break;
            case detail::OperationKind::wait: break;
        }
    }

    const ClaimedInstance& claim_;
    const replay::Execution& execution_;
    const Registry& registry_;
    IdSource& ids_;
    Turn& turn_;
    std::set<CommandNo> canceled_;
};

/// The newest version that is known here. An interpreter stays as it is.
std::string next_version(const ClaimedInstance& claim,
                         const replay::Execution& execution,
                         const Registry& registry) {
    if (claim.document) return execution.version();
    return registry.orchestration(claim.definition)->version;
}

}  // namespace

Turn build_turn(const ClaimedInstance& claim,
                const replay::Execution& execution,
                const std::vector<model::Event>& events,
                HistoryRow row,
                const Registry& registry,
                const Policy& policy,
                IdSource& ids) {
    Turn turn = op::turn(claim, std::move(row));
    Builder(claim, execution, registry, ids, turn).add_all(events);
    turn.message_room = execution.message_room();
    // A run that was started without a version takes the one that was registered at its first turn.
    if (claim.version.empty()) turn.version = execution.version();
    if (execution.outcome()) {
        Ends ends;
        ends.outcome = *execution.outcome();
        if (claim.parent) ends.parent_notice = op::child_ended(*claim.parent, ends.outcome);
        turn.after = std::move(ends);
    } else if (execution.continued()) {
        const std::string& named = execution.next_version();
        turn.after =
            ContinuesAsNew{*execution.continued(),
                           named.empty() ? next_version(claim, execution, registry) : named,
                           execution.nothing_to_clean_up()};
    } else {
        GoesOn goes_on;
        goes_on.nothing_to_clean_up = execution.nothing_to_clean_up();
        if (claim.cancel) {
            // Shields may ask for more than the deadline that came with the cancel, up to a limit.
            const Timestamp asked =
                claim.cancel->requested_at +
                std::min(execution.longest_shield(), policy.cancel_deadline_max);
            goes_on.cancel_deadline = std::max(claim.cancel_deadline.value_or(asked), asked);
        }
        turn.after = goes_on;
    }
    return turn;
}

}  // namespace belay::runtime
