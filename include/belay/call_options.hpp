// Options of a call, beyond its arguments.
#pragma once

#include <belay/message.hpp>
#include <belay/retry.hpp>
#include <belay/status.hpp>
#include <belay/time.hpp>

#include <cstdint>
#include <optional>
#include <string>
#include <utility>

namespace belay {

class OrchestrationContext;

namespace detail {

/// The options of one call. Few calls have any.
struct OperationTerms {
    // For an activity.
    std::int32_t priority = 0;
    std::string fairness_key;
    std::optional<Millis> schedule_to_start;
    std::optional<Millis> start_to_close;
    std::optional<Millis> heartbeat_timeout;
    std::string session;
    // For a child.
    std::string version;
    Labels labels;
    ParentClose parent_close = ParentClose::cancel;
    bool with_document = false;
    bool on_fail = false;
    bool part = false;
    // For both.
    std::optional<RetryPolicy> retry;
};

[[noreturn]] void throw_not_positive(const char* what);

}  // namespace detail

/// Options of a call of an activity. Chained setters, given with the activity's handle:
///
///     co_await ctx.call(Render.with(CallOptions().queue("gpu").priority(5)), scene);
///
/// All options are recorded, and so replay compares them. A value, copied with the handle: it may
/// be made once and shared by threads that only read it.
class CallOptions {
public:
    CallOptions() = default;

    /// The queue whose workers may run it. Default: the default queue.
    CallOptions& queue(std::string name) {
        queue_ = std::move(name);
        return *this;
    }
    /// The priority: larger ones are claimed first. Default: 0.
    CallOptions& priority(std::int32_t priority) {
        terms_.priority = priority;
        return *this;
    }
    /// The key that QueueLimits counts by (`running_per_key`, `started_per_key`), such as the
    /// customer it is done for. A queue without such limits does not use it.
    CallOptions& fairness_key(std::string key) {
        terms_.fairness_key = std::move(key);
        return *this;
    }
    /// The longest wait for a worker. An activity that nobody has begun by then fails (kind
    /// timeout) and is not begun any more. With `retry`, each attempt may wait as long, because a
    /// timeout is retried: bound the whole by RetryPolicy::deadline, or set
    /// not_on(FailureKind::timeout). Throws std::invalid_argument unless it is positive.
    CallOptions& schedule_to_start(Millis most) {
        if (most <= Millis(0)) detail::throw_not_positive("schedule_to_start");
        terms_.schedule_to_start = most;
        return *this;
    }
    /// The longest time of an attempt once a worker has begun it. After that it is asked to stop,
    /// and has failed (kind timeout). Throws std::invalid_argument unless it is positive.
    CallOptions& start_to_close(Millis most) {
        if (most <= Millis(0)) detail::throw_not_positive("start_to_close");
        terms_.start_to_close = most;
        return *this;
    }
    /// The longest time of an attempt without ActivityContext::heartbeat. Timeout and exception as
    /// above.
    CallOptions& heartbeat_timeout(Millis most) {
        if (most <= Millis(0)) detail::throw_not_positive("heartbeat_timeout");
        terms_.heartbeat_timeout = most;
        return *this;
    }
    /// The session, a name within the namespace. One worker runs all activities of a session,
    /// because they share something that is only there: a file or a connection. Another worker
    /// takes the session over if that worker is gone, or the session has been idle for a while
    /// (Policy::session_idle).
    CallOptions& session(std::string name) {
        terms_.session = std::move(name);
        return *this;
    }
    /// The retry policy. Default: no retries.
    CallOptions& retry(RetryPolicy policy) {
        terms_.retry = std::move(policy);
        return *this;
    }

private:
    friend class OrchestrationContext;

    std::string queue_;
    detail::OperationTerms terms_;
};

/// Options of a call of a child. Chained setters, given with the definition's handle:
///
///     co_await ctx.call(Ship.with(ChildOptions().id("ship").version("2")), order);
class ChildOptions {
public:
    ChildOptions() = default;

    /// Makes the child's id `<parent's id>/<name>` instead of one from its number. Retries get
    /// `<name>.2`, `<name>.3` and so on, because a run that failed keeps its id.
    ///
    /// Throws std::invalid_argument, where the child is scheduled, for a number such as `7` or
    /// `2.7`, because numbers are the ids of children without a name, and for a name with a '/',
    /// which is reserved for the child's own children. Throws LimitExceeded for a name of more than
    /// Limits::name_bytes.
    ///
    /// An id that would have more bytes than that is shortened, always in the same way: `<root's
    /// id>//<level>.<digest>/<name>`, or without the name if it does not fit.
    ///
    /// A child keeps its id until it is deleted, beyond the execution that started it. So a parent
    /// that continues as new must not use the same name again: the call fails with `id_in_use`.
    /// Make the name different in each execution: `"ship-" + std::to_string(ctx.execution())`, or
    /// `ctx.new_uuid()`. (Ids that are made from numbers differ from execution to execution.)
    ChildOptions& id(std::string name) {
        id_ = std::move(name);
        return *this;
    }
    /// The version of its code. Default: the newest.
    ChildOptions& version(std::string version) {
        terms_.version = std::move(version);
        return *this;
    }
    /// Adds a label for finding it.
    ChildOptions& label(std::string name, LabelValue value) {
        terms_.labels[std::move(name)] = std::move(value);
        return *this;
    }
    /// The fate of the child if its parent ends first. Default: it is canceled. An abandoned child
    /// still belongs to the tree of its root. While it runs, that tree is deleted only by force,
    /// and retention keeps it. Use OrchestrationContext::start_detached for a run that belongs to
    /// no tree but its own.
    ChildOptions& parent_close(ParentClose policy) {
        terms_.parent_close = policy;
        return *this;
    }
    /// Gives the child the document of this run, so that it is interpreted, too. Default: it has no
    /// document. Has no effect in a run that has none.
    ChildOptions& with_document() {
        terms_.with_document = true;
        return *this;
    }
    /// Starts another run of the same definition if it fails, in any way and in the commit that
    /// writes the failure: see NewInstance::on_fail and OrchestrationContext::take_failure. Each
    /// retry is a run of its own, and has its own. A cancel starts none. Default: none.
    ///
    /// Throws LimitExceeded, where the child is scheduled, if its id leaves no room for that of the
    /// other run: see other_on_fail_id.
    ChildOptions& on_fail(bool start = true) {
        terms_.on_fail = start;
        return *this;
    }
    /// Makes the child a part of this run: lists, counts and filters leave it out. A list shows it
    /// if it names this run as the parent, names the child, or asks for all parts. Trees, cancels
    /// and deletion treat it like any child. Default: lists show it.
    ChildOptions& part() {
        terms_.part = true;
        return *this;
    }
    /// The retry policy; each retry is another instance. Default: no retries.
    ChildOptions& retry(RetryPolicy policy) {
        terms_.retry = std::move(policy);
        return *this;
    }

private:
    friend class OrchestrationContext;

    std::string id_;
    detail::OperationTerms terms_;
};

}  // namespace belay
