// Describes in words what an instance awaits.
#include "base/utc.hpp"
#include <belay/finding.hpp>

#include <string>

namespace belay {

using base::utc;

std::string_view to_string(AwaitedKind kind) noexcept {
    switch (kind) {
        case AwaitedKind::activity: return "activity";
        case AwaitedKind::timer: return "timer";
        case AwaitedKind::event: return "event";
        case AwaitedKind::queue_message: return "queue message";
        case AwaitedKind::child: return "child";
    }
    return "unknown";
}

std::string_view to_string(AwaitedState state) noexcept {
    switch (state) {
        case AwaitedState::waiting: return "waiting";
        case AwaitedState::queued: return "queued";
        case AwaitedState::delayed: return "delayed";
        case AwaitedState::retrying: return "retrying";
        case AwaitedState::running: return "running";
        case AwaitedState::lease_expired: return "lease expired";
        case AwaitedState::no_code: return "no worker has its code";
        case AwaitedState::answered: return "answered";
        case AwaitedState::stopped: return "stopped";
    }
    return "unknown";
}

std::string_view to_string(Condition condition) noexcept {
    switch (condition) {
        case Condition::ended: return "ended";
        case Condition::held: return "held";
        case Condition::replacing: return "replacing";
        case Condition::in_line: return "in line";
        case Condition::in_turn: return "in turn";
        case Condition::code_missing: return "code missing";
        case Condition::turn_due: return "turn due";
        case Condition::delayed: return "delayed";
        case Condition::waiting: return "waiting";
    }
    return "unknown";
}

std::string_view to_string(TimelineKind kind) noexcept {
    switch (kind) {
        case TimelineKind::started: return "started";
        case TimelineKind::turn: return "turn";
        case TimelineKind::scheduled: return "scheduled";
        case TimelineKind::completed: return "completed";
        case TimelineKind::failed: return "failed";
        case TimelineKind::let_go: return "let go";
        case TimelineKind::received: return "received";
        case TimelineKind::cancel: return "cancel";
        case TimelineKind::custom_status: return "custom status";
        case TimelineKind::continued: return "continued";
        case TimelineKind::ended: return "ended";
        case TimelineKind::noted: return "noted";
    }
    return "unknown";
}

namespace {

std::string quoted(const std::string& text) { return "'" + text + "'"; }

std::string not_before(const Awaited& awaited) {
    return awaited.until ? ", not before " + utc(*awaited.until) : std::string();
}

std::string describe_activity(const Awaited& awaited) {
    switch (awaited.state) {
        case AwaitedState::queued:
            return "in line since " + utc(awaited.since) +
                   (awaited.attempt > 0 ? " after attempt " + std::to_string(awaited.attempt) : "");
        case AwaitedState::delayed: return "delayed" + not_before(awaited);
        case AwaitedState::retrying:
            return "to be tried again after attempt " + std::to_string(awaited.attempt) +
                   not_before(awaited);
        case AwaitedState::running:
            return "attempt " + std::to_string(awaited.attempt) + " at " + awaited.worker +
                   ", lease until " + utc(awaited.until.value_or(Timestamp()));
        case AwaitedState::lease_expired:
            return "attempt " + std::to_string(awaited.attempt) + " at " + awaited.worker +
                   ", whose lease expired at " + utc(awaited.until.value_or(Timestamp())) +
                   "; any worker may take it";
        case AwaitedState::no_code:
            return "no worker seems to have this name, or to be able to read its input (seen " +
                   std::to_string(awaited.unregistered) +
                   (awaited.unregistered == 1 ? " time)" : " times)") + not_before(awaited);
        case AwaitedState::answered: return "done; the next turn receives its answer";
        case AwaitedState::stopped: return "stopped by the cancel";
        case AwaitedState::waiting: break;
    }
    return "scheduled at " + utc(awaited.since);
}

}  // namespace

std::string describe(const Awaited& awaited) {
    const bool answered = awaited.state == AwaitedState::answered;
    switch (awaited.kind) {
        case AwaitedKind::activity:
            return "activity " + awaited.name +
                   (awaited.queue.empty() ? "" : " in queue " + quoted(awaited.queue)) + ": " +
                   describe_activity(awaited);
        case AwaitedKind::timer:
            return (answered ? "timer, due since " : "timer until ") +
                   utc(awaited.until.value_or(Timestamp()));
        case AwaitedKind::event:
        case AwaitedKind::queue_message: {
            const std::string what = awaited.kind == AwaitedKind::event ? "event " : "message in ";
            return what + quoted(awaited.name) +
                   (answered ? ": it came; the next turn receives it"
                             : ", since " + utc(awaited.since));
        }
        case AwaitedKind::child: {
            std::string text = "child " + quoted(awaited.child_id);
            if (!awaited.name.empty()) text += " (" + awaited.name + ")";
            if (awaited.child_status) text += ": " + std::string(to_string(*awaited.child_status));
            return answered ? text + "; the next turn is told" : text;
        }
    }
    return "unknown";
}

/// For an instance that is retried.
static std::string overruns_of(const InstanceInfo& info) {
    if (info.overruns == 0) return "";
    return "; a turn before ran past its limit, and the next that does is held";
}

std::string describe_condition(const InstanceDescription& description) {
    const auto since = [&] { return utc(description.since.value_or(Timestamp())); };
    const auto until = [&] { return utc(description.until.value_or(Timestamp())); };
    switch (description.condition) {
        case Condition::ended:
            return std::string(to_string(description.info.status)) + " at " + since();
        case Condition::held: return "held: " + description.info.held_detail;
        case Condition::replacing: return "waits until the run that it replaces is settled";
        case Condition::in_line:
            return "waits in line until the other runs of the concurrency key '" +
                   description.info.concurrency_key.value_or("") + "' have ended";
        case Condition::in_turn:
            return "a turn is being taken at " + description.worker + ", lock until " + until() +
                   overruns_of(description.info);
        case Condition::code_missing:
            return "nobody has its code (" + description.info.definition +
                   (description.info.version.empty() ? "" : " " + description.info.version) +
                   "), or can read its payloads, since " + since() +
                   (description.until ? "; next try not before " + until() : "");
        case Condition::turn_due:
            return (description.info.status == Status::pending
                        ? "not begun: its first turn is due since "
                        : "between two turns: the next one is due since ") +
                   since() + overruns_of(description.info);
        case Condition::delayed: return "no turn before " + until();
        case Condition::waiting: break;
    }
    const std::size_t count = description.awaits.size();
    if (count == 0) return "waiting; nothing is known of what for";
    return "waiting for " +
           (count == 1 ? describe(description.awaits.front()) : std::to_string(count) + " things");
}

}  // namespace belay
