// What can be said of a call beyond its arguments.
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

/// What was said of one call. Few calls have any of it.
struct OperationTerms {
    // Of an activity.
    std::int32_t priority = 0;
    std::string fairness_key;
    std::optional<Millis> schedule_to_start;
    std::optional<Millis> start_to_close;
    std::optional<Millis> heartbeat_timeout;
    std::string session;
    // Of a child.
    std::string version;
    Labels labels;
    ParentClose parent_close = ParentClose::cancel;
    // Of both.
    std::optional<RetryPolicy> retry;
};

[[noreturn]] void throw_not_positive(const char* what);

}  // namespace detail

/// How an activity is called. Chained setters, given with the activity's handle:
///
///     co_await ctx.call(Render.with(CallOptions().queue("gpu").priority(5)), scene);
///
/// All of it is recorded, and so part of what replay compares. A value, copied with the handle: it
/// may be made once and shared by threads that only read it.
class CallOptions {
public:
    CallOptions() = default;

    /// The queue whose workers may run it; the default queue unless something is said.
    CallOptions& queue(std::string name) {
        queue_ = std::move(name);
        return *this;
    }
    /// Larger ones are claimed first; 0 unless something is said.
    CallOptions& priority(std::int32_t priority) {
        terms_.priority = priority;
        return *this;
    }
    /// Whom it is done for: the key that QueueLimits counts by (`running_per_key`,
    /// `started_per_key`). A queue without such limits is not shared out by it.
    CallOptions& fairness_key(std::string key) {
        terms_.fairness_key = std::move(key);
        return *this;
    }
    /// How long it may wait for a worker: what nobody has begun by then fails (kind timeout) and
    /// is not begun any more. With `retry`, each attempt may wait as long, because a timeout is
    /// tried again: bound the whole by RetryPolicy::deadline, or say not_on(FailureKind::timeout).
    /// Throws std::invalid_argument unless it is positive.
    CallOptions& schedule_to_start(Millis most) {
        if (most <= Millis(0)) detail::throw_not_positive("schedule_to_start");
        terms_.schedule_to_start = most;
        return *this;
    }
    /// How long an attempt may take once a worker has begun it: then it is asked to stop, and has
    /// failed (kind timeout). Throws std::invalid_argument unless it is positive.
    CallOptions& start_to_close(Millis most) {
        if (most <= Millis(0)) detail::throw_not_positive("start_to_close");
        terms_.start_to_close = most;
        return *this;
    }
    /// How long an attempt may go without ActivityContext::heartbeat; likewise.
    CallOptions& heartbeat_timeout(Millis most) {
        if (most <= Millis(0)) detail::throw_not_positive("heartbeat_timeout");
        terms_.heartbeat_timeout = most;
        return *this;
    }
    /// All activities of one session, a name within the namespace, are run by one worker: for those
    /// that share something that is only there, a file or a connection. When that worker is gone,
    /// or the session has been idle for a while (Policy::session_idle), another one takes it over.
    CallOptions& session(std::string name) {
        terms_.session = std::move(name);
        return *this;
    }
    /// When it is tried again; never, unless something is said.
    CallOptions& retry(RetryPolicy policy) {
        terms_.retry = std::move(policy);
        return *this;
    }

private:
    friend class OrchestrationContext;

    std::string queue_;
    detail::OperationTerms terms_;
};

/// How a child is called. Chained setters, given with the definition's handle:
///
///     co_await ctx.call(Ship.with(ChildOptions().id("ship").version("2")), order);
class ChildOptions {
public:
    ChildOptions() = default;

    /// The child's id is `<parent's id>/<name>` instead of one made from its number. When it is
    /// tried again: `<name>.2`, `<name>.3` and so on, because a run that failed keeps its id.
    ///
    /// Refused where the child is scheduled (std::invalid_argument) are a number, `7` or `2.7`,
    /// because numbers are the ids of children without a name, and a name with a '/', which is kept
    /// for the child's own children. A name of more than Limits::name_bytes throws LimitExceeded.
    ///
    /// An id that would have more bytes than that is shortened, always in the same way:
    /// `<root's id>//<level>.<digest>/<name>`, or without the name if it does not fit.
    ///
    /// A child keeps its id until it is deleted, beyond the execution that started it. So a parent
    /// that continues as new must not say the same name again: the call fails with `id_in_use`. Put
    /// something of the execution into it, `"ship-" + std::to_string(ctx.execution())`, or
    /// `ctx.new_uuid()`. (Ids that are made from numbers differ from execution to execution.)
    ChildOptions& id(std::string name) {
        id_ = std::move(name);
        return *this;
    }
    /// The version of its code; the newest unless something is said.
    ChildOptions& version(std::string version) {
        terms_.version = std::move(version);
        return *this;
    }
    /// A label for finding it; said several times, several.
    ChildOptions& label(std::string name, LabelValue value) {
        terms_.labels[std::move(name)] = std::move(value);
        return *this;
    }
    /// What becomes of it when its parent ends first; canceled, unless something is said. One that
    /// is abandoned still belongs to the tree of its root, and while it runs none of that tree can
    /// be deleted, unless by force, nor is it by retention. What is to go its own way in this, too,
    /// is started with OrchestrationContext::start_detached.
    ChildOptions& parent_close(ParentClose policy) {
        terms_.parent_close = policy;
        return *this;
    }
    /// When it is tried again: each time as another instance. Never, unless something is said.
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
