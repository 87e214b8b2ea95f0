#include "store/rules/named_rows.hpp"

#include "store/rules/keys.hpp"
#include "store/rules/output.hpp"
#include "store/rules/repeats.hpp"

#include <algorithm>
#include <variant>

namespace belay::store {

namespace {

// The rows that each part names.

void name_instance(NamedRows& rows, const NewInstance& instance) {
    rows.runs.push_back(instance.run);
    rows.names.push_back(instance.name);
    if (instance.parent) rows.runs.push_back(instance.parent->run);
    if (instance.on_fail) rows.runs.push_back(*instance.on_fail);
    if (instance.document) rows.documents.emplace_back(instance.name.space, *instance.document);
}

/// A timer, or an activity that must start in time: that has a timer too.
void name_timer(NamedRows& rows, RunRef run, ExecutionNo execution, CommandNo command) {
    rows.timers.push_back({run, {execution, command}});
}

void name_lease(NamedRows& rows, const ActivityRef& activity, LeaseToken token) {
    rows.runs.push_back(activity.run);
    rows.activities.push_back(activity);
    name_timer(rows, activity.run, activity.execution, activity.command);
    rows.stopping.emplace_back(activity, token);
    rows.tokens.push_back(token);
}

void name_queue(NamedRows& rows, const NewActivity& wanted) {
    rows.queues.push_back(wanted.queue);
    if (!wanted.hand_over) return;
    rows.tokens.push_back(wanted.hand_over->token);
    rows.holders.push_back(wanted.hand_over->token.holder);
}

void name_rows(NamedRows& rows, const Start& part) {
    name_instance(rows, part.instance);
    if (part.key) rows.keys.push_back(key_id(part.instance, *part.key));
    if (part.concurrency) {
        rows.concurrency.push_back(ConcurrencyId{
            part.instance.name.space, part.instance.definition, part.concurrency->key});
    }
    if (part.rate) rows.rates.push_back(rate_id(part.instance));
}
void name_rows(NamedRows& rows, const Import& part) { name_instance(rows, part.instance); }

void name_rows(NamedRows& rows, const Turn& part) {
    rows.runs.push_back(part.run);
    for (const MessageNo number : part.consumed) rows.messages.emplace_back(part.run, number);
    const auto name_activity_of = [&](CommandNo command) {
        rows.activities.push_back(ActivityRef{part.run, part.execution, command});
        name_timer(rows, part.run, part.execution, command);
    };
    for (const NewActivity& wanted : part.activities) {
        name_activity_of(wanted.command);
        name_queue(rows, wanted);
    }
    for (const CommandNo command : part.canceled_activities) name_activity_of(command);
    for (const NewTimer& wanted : part.timers) {
        name_timer(rows, part.run, part.execution, wanted.command);
    }
    for (const CommandNo command : part.canceled_timers) {
        name_timer(rows, part.run, part.execution, command);
    }
    for (const NewChild& wanted : part.children) name_instance(rows, wanted.instance);
}

void name_rows(NamedRows& rows, const AckActivity& part) {
    name_lease(rows, part.activity, part.token);
}
void name_rows(NamedRows& rows, const AbandonActivity& part) {
    name_lease(rows, part.activity, part.token);
}
void name_rows(NamedRows& rows, const RenewActivity& part) {
    name_lease(rows, part.activity, part.token);
}
void name_rows(NamedRows& rows, const AppendOutput& part) {
    name_lease(rows, part.activity, part.token);
    rows.attempts.emplace_back(part.activity.run, attempt_key(part));
}
void name_rows(NamedRows& rows, const AbandonTurn& part) { rows.runs.push_back(part.run); }
void name_rows(NamedRows& rows, const RenewTurn& part) { rows.runs.push_back(part.run); }
void name_rows(NamedRows& rows, const Deliver& part) { rows.runs.push_back(part.run); }
void name_rows(NamedRows& rows, const Hold& part) { rows.runs.push_back(part.run); }

void name_rows(NamedRows& rows, const Cancel& part) { rows.names.push_back(part.name); }
void name_rows(NamedRows& rows, const Send& part) { rows.names.push_back(part.name); }
void name_rows(NamedRows& rows, const Release& part) { rows.names.push_back(part.name); }

void name_rows(NamedRows& rows, const Finish& part) {
    if (const auto* name = std::get_if<InstanceName>(&part.target)) {
        rows.names.push_back(*name);
    } else {
        rows.runs.push_back(std::get<std::pair<RunRef, LeaseToken>>(part.target).first);
    }
}

void name_rows(NamedRows& rows, const Delete& part) {
    rows.names.push_back(part.name);
    if (part.run) rows.runs.push_back(*part.run);
}
void name_rows(NamedRows& rows, const Prune& part) {
    rows.names.push_back(part.name);
    if (part.run) rows.runs.push_back(*part.run);
}
void name_rows(NamedRows& rows, const DeleteInstances& part) {
    for (const std::string& id : part.ids) rows.names.push_back(InstanceName{part.space, id});
}

void name_rows(NamedRows& rows, const FreeKey& part) {
    rows.keys.push_back(KeyId{part.space, part.owner, part.definition, part.key});
}

void name_rows(NamedRows& rows, const Redrive& part) {
    rows.letters.push_back(part.letter);
    if (part.to) rows.names.push_back(*part.to);
}
void name_rows(NamedRows& rows, const Discard& part) { rows.letters.push_back(part.letter); }

void name_rows(NamedRows& rows, const SetRetention& part) { rows.retentions.push_back(part.space); }
void name_rows(NamedRows& rows, const SetQueueLimits& part) { rows.queues.push_back(part.queue); }
/// All pauses are few, and every claim needs them.
void name_rows(NamedRows&, const SetPause&) {}
void name_rows(NamedRows& rows, const ReleaseSessions& part) {
    rows.holders.push_back(part.holder);
}
void name_rows(NamedRows& rows, const ReleaseHolder& part) { rows.holders.push_back(part.holder); }
/// A sweep goes by time alone.
void name_rows(NamedRows&, const Sweep&) {}

template <class Row>
void sort(std::vector<Row>& rows) {
    std::sort(rows.begin(), rows.end());
    rows.erase(std::unique(rows.begin(), rows.end()), rows.end());
}

}  // namespace

NamedRows rows_named_by(std::span<const Transition> batch) {
    NamedRows rows;
    for (const Transition& transition : batch) {
        for (const Part& part : transition.parts) {
            std::visit([&](const auto& one) { name_rows(rows, one); }, part);
            if (auto request = request_named_by(part)) rows.requests.push_back(std::move(*request));
        }
    }
    sort(rows.runs);
    sort(rows.names);
    sort(rows.activities);
    sort(rows.stopping);
    sort(rows.messages);
    sort(rows.timers);
    sort(rows.keys);
    sort(rows.requests);
    sort(rows.letters);
    sort(rows.queues);
    sort(rows.holders);
    sort(rows.tokens);
    sort(rows.retentions);
    sort(rows.documents);
    sort(rows.concurrency);
    sort(rows.rates);
    sort(rows.attempts);
    return rows;
}

}  // namespace belay::store
