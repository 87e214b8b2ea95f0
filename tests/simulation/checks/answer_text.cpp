#include "simulation/checks/answer_text.hpp"

#include <algorithm>
#include <functional>
#include <type_traits>
#include <utility>

namespace belay::sim {

namespace {

/// Longer bytes are shown by their length and a hash.
constexpr std::size_t kShownBytes = 60;

/// A const char* is the name of the value behind it.
class Text {
public:
    template <class... Values>
    Text& add(const Values&... values) {
        (put(values), ...);
        return *this;
    }
    [[nodiscard]] std::string take() { return std::move(text_); }

private:
    /// A text by itself.
    struct Part {
        std::string text;
        auto operator<=>(const Part&) const = default;
    };

    void put(const Part& part) { text_ += part.text; }
    void put(const char* name) { (text_ += ' ') += name; }
    void put(const std::string& value) {
        text_ += '=';
        if (value.size() <= kShownBytes) {
            text_ += value;
            return;
        }
        text_ += std::to_string(value.size()) + " bytes " +
                 std::to_string(std::hash<std::string>()(value));
    }
    template <class T>
        requires(std::is_integral_v<T> || std::is_enum_v<T>)
    void put(T value) {
        text_ += '=';
        text_ += std::to_string(static_cast<std::int64_t>(value));
    }
    void put(double value) { put(std::to_string(value)); }
    void put(Timestamp at) { put(at == Timestamp::max() ? -1 : to_unix_ms(at)); }
    void put(Millis time) { put(time.count()); }
    void put(const RunRef& run) { put(to_string(run)); }
    void put(const ActivityRef& activity) { put(to_string(activity)); }
    void put(const LeaseToken& token) { put(to_string(token)); }
    void put(const InstanceName& name) { add(name.space, name.id); }

    template <class T>
    void put(const std::optional<T>& value) {
        if (value) {
            put(*value);
        } else {
            text_ += "=-";
        }
    }
    template <class First, class Second>
    void put(const std::pair<First, Second>& both) {
        add(both.first, both.second);
    }
    template <class... Kinds>
    void put(const std::variant<Kinds...>& value) {
        put(value.index());
        std::visit([&](const auto& one) { put(one); }, value);
    }
    template <class T>
    void put(const std::vector<T>& values) {
        put_each(values);
    }
    template <class Key, class Value>
    void put(const std::map<Key, Value>& values) {
        put_each(values);
    }
    template <class Values>
    void put_each(const Values& values) {
        text_ += " {";
        for (const auto& one : values) {
            put(one);
            text_ += ';';
        }
        text_ += '}';
    }

    void put(const Payload& payload) { add(payload.codec, payload.flags, payload.bytes); }
    void put(const ParentLink& link) { add(link.run, link.execution, link.command); }
    void put(const NewMessage& one) {
        add("kind", one.kind, one.execution, one.command, one.name, one.payload);
    }
    void put(const Message& one) { add("message", one.id, "sent_at", one.sent_at, one.content); }
    void put(const CancelRecord& one) {
        add("cancel", one.source, one.by, one.reason, one.requested_at, one.sequence);
    }
    void put(const Failure& one) {
        add("failure", one.kind, one.message, one.where, one.attempt, one.detail, one.type);
        add(one.retryable);
    }
    void put(const Outcome& one) {
        add("outcome", one.status, one.output, one.failure, one.cancel, one.cleanup);
        add(one.cleanup_detail, one.skip_reason);
    }
    void put(const AttemptOutput& one) {
        add("attempt", one.execution, one.command, one.first_command, one.attempt, one.source);
        add("left_out", one.left_out_bytes, one.left_out_lines, one.left_out_to);
    }
    void put(const KeptChunk& one) {
        add("chunk", one.number, one.attempt, one.stream, one.at, one.text);
    }
    void put(const OutputPage& one) {
        add("output", one.attempts, one.chunks, one.next, one.more, one.left_out_attempts);
    }
    void put(const ReadDeadHolders::Answer& one) { add("dead", one.dead, "others", one.others); }
    void put(const InstanceBrief& one) {
        add("instance", one.run, one.name, "status", one.status, "deleted", one.deleted);
    }
    void put(const DeleteCounts& one) {
        add("deleted", one.instances, one.executions, one.events, one.messages);
    }

    void put(const Answer& one) {
        add("verdict", one.verdict, "error");
        put(one.error ? std::string(to_string(one.error->code())) : std::string());
        add("stopped", sorted(one.stopped), "leased", one.leased, one.instance);
        add("changed", one.changed, "input_differs", one.input_differs, one.deleted);
        add("undelivered", one.undelivered, "swept", one.swept);
    }
    void put(const ClaimedInstance& one) {
        add("run", one.run, one.name, one.definition, one.version, one.owner);
        add("status", one.status, "execution", one.execution, "position", one.position);
        add("input", one.input, "parent", one.parent, one.cancel);
        add("cancel_deadline", one.cancel_deadline, "messages", one.messages);
        add("attempts", one.attempts, "unregistered", one.unregistered);
        add("code_missing_since", one.code_missing_since, "overruns", one.overruns);
        add("token", one.token, "claimed_at", one.claimed_at, "until", one.locked_until);
        add("headers", one.headers, "document", one.document, "on_fail_of", one.on_fail_of);
    }
    void put(const ClaimedActivity& one) {
        add("activity", one.activity, one.instance, one.definition, one.version, one.name);
        add("queue", one.queue, "input", one.input, "headers", one.headers);
        add("attempt", one.attempt, "unregistered", one.unregistered, "token", one.token);
        add("claimed_at", one.claimed_at, "until", one.leased_until);
        add("schedule_to_start", one.schedule_to_start, "start_to_close", one.start_to_close);
        add("heartbeat_timeout", one.heartbeat_timeout, "progress", one.progress);
        add("fairness_key", one.fairness_key, "session", one.session);
    }

    // Reads.
    void put(const InstanceInfo& one) {
        add("run", one.run, one.name, one.definition, one.version, "status", one.status);
        add("execution", one.execution, "position", one.position, "input", one.input);
        add(one.outcome, one.cancel, "cancel_deadline", one.cancel_deadline);
        add("parent", one.parent, "owner", one.owner, "started_by", one.started_by);
        add("headers", one.headers, "labels", one.labels, "created_at", one.created_at);
        add("started_at", one.started_at, "ended_at", one.ended_at, "events", one.event_count);
        add("history_bytes", one.history_bytes, "custom_status", one.custom_status);
        add(one.custom_status_version, "held", one.held, one.held_detail, one.held_kind);
        add("attempts", one.attempts, "unregistered", one.unregistered);
        add("code_missing_since", one.code_missing_since, "overruns", one.overruns);
        add("locked", one.locked, "ready_messages", one.ready_messages, "settled", one.settled);
        add("document", one.document, one.document_number);
        add("on_fail", one.on_fail, "of", one.on_fail_of);
    }
    void put(const RecordedRow& one) {
        add("row", one.first_event, one.row.format, one.row.count, one.row.bytes);
    }
    /// Without the size: it is a hint.
    void put(const InstanceMark& one) {
        add(one.instance, one.definition, one.owner, "root", one.root, "ended_at", one.ended_at);
        add("settled", one.settled, "old_executions", one.old_executions);
        add(one.oldest_ended_at, "formers_settled", one.formers_settled);
    }
    void put(const Digest& digest) { put(std::string(digest.begin(), digest.end())); }
    void put(const DocumentHead& one) {
        add("document", one.digest, one.name, one.number, "created_at", one.created_at);
    }
    void put(const ReadDocument::Kept& one) { add(one.head, "text", one.text); }
    void put(const DocumentInfo& one) { add(one.head, "runs", one.runs); }
    void put(const ListOutcomes::One& one) { add(one.definition, one.outcome); }
    void put(const StoredRetention& one) { add(one.space, one.set_at, one.set_by); }
    void put(const ListedInstance& one) {
        add(one.instance, one.definition, one.version, one.owner, one.started_by);
        add("execution", one.execution, "created_at", one.created_at, one.started_at);
        add("ended_at", one.ended_at, "parent", one.parent_id, one.cancel, "held", one.held);
        add(one.held_detail, one.failure, "labels", one.labels);
    }
    void put(const InstanceCount& one) { add(one.definition, one.status, one.count); }
    void put(const KeyInfo& one) {
        add("key", one.owner, one.definition, one.key, one.scope, "until", one.until);
        add(one.instance, "taken", one.taken);
    }
    void put(const QueueDepth& one) {
        add("queue", one.queue, "claimable", one.claimable, "delayed", one.delayed);
        add("leased", one.leased, "oldest", one.oldest);
    }
    void put(const StartRate& one) { add(one.count, one.per); }
    void put(const StoredQueueLimits& one) {
        add("limits", one.queue, one.limits.running, one.limits.running_per_key);
        add(one.limits.started, one.limits.started_per_key, one.set_at, one.by);
    }
    void put(const Pause& one) {
        add("pause", one.kind, one.paused, one.since, one.by, one.reason);
    }
    void put(const QueueDepths& one) {
        add(one.activities, "ready", one.ready, one.oldest_ready, "locked", one.locked);
        add(one.oldest_locked, "held", one.held, one.oldest_held, "timers", one.timers);
        add(one.oldest_timer, "dead_letters", one.dead_letters, one.oldest_letter);
        add("stopping", one.stopping, one.oldest_stopping, one.limits, one.pauses);
    }
    void put(const ActivityLease& one) {
        add("activity", one.activity, one.instance, one.name, one.queue, one.worker);
        add("attempt", one.attempt, "until", one.until, "since", one.since);
    }
    void put(const TurnLock& one) {
        add(one.instance, one.worker, "attempt", one.attempt, "until", one.until);
        add("since", one.since, "overruns", one.overruns);
    }
    void put(const SessionLease& one) {
        add("session", one.space, one.name, one.worker, "until", one.until);
    }
    /// The order of leases that end at the same time is open.
    void put(const ListLeases::Answer& one) {
        add(in_order(one.activities), in_order(one.turns), in_order(one.sessions));
    }
    void put(const ExecutionInfo& one) {
        add("execution", one.execution, one.status, one.events, one.started_at, one.ended_at);
    }
    /// Without the reason, which is for people, and the instance, which a store need not know.
    void put(const DeadLetter& one) { add("letter", one.id, one.run, one.message, one.at); }
    void put(const ActivityInfo& one) {
        add("activity", one.activity, one.name, one.queue, "attempt", one.attempt);
        add("unregistered", one.unregistered, "shielded", one.shielded, "leased", one.leased);
        add("token", one.token, one.worker, "visible_at", one.visible_at);
        add("leased_until", one.leased_until, "progress", one.progress, one.progress_at);
        add("session", one.session);
    }
    void put(const StoppingInfo& one) {
        add("stopping", one.activity, one.token, one.worker, "until", one.until, one.since);
    }
    void put(const WaitingMessage& one) {
        add("message", one.number, one.kind, one.name, one.execution, one.command);
        add("at", one.at, "timer", one.timer);
    }
    void put(const OpenChild& one) { add(one.instance, one.execution, one.command); }
    void put(const OpenWork& one) {
        add(one.info, "as_of", one.as_of, "parent_id", one.parent_id, one.lock_worker);
        add("lock_until", one.lock_until, "claimable_at", one.claimable_at);
        add("waits_for_former", one.waits_for_former, "children", one.children);
        add(one.open_children, one.activities, one.stopping, one.messages);
        add("messages", one.message_count, "timers", one.timer_count);
    }

    template <class T>
    static std::vector<T> sorted(std::vector<T> values) {
        std::sort(values.begin(), values.end());
        return values;
    }
    template <class T>
    static std::vector<Part> in_order(const std::vector<T>& values) {
        std::vector<Part> texts;
        for (const T& one : values) texts.push_back({Text().add(one).take()});
        return sorted(std::move(texts));
    }

    std::string text_;
};

}  // namespace

std::string to_text(const Answer& answer) { return Text().add(answer).take(); }
std::string to_text(const ClaimedInstance& claimed) { return Text().add(claimed).take(); }
std::string to_text(const ClaimedActivity& claimed) { return Text().add(claimed).take(); }
std::string to_text(const ReadAnswer& answer) { return Text().add(answer).take(); }

}  // namespace belay::sim
