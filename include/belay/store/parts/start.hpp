// Creating a run.
#pragma once

#include <belay/ids.hpp>
#include <belay/message.hpp>
#include <belay/payload.hpp>
#include <belay/status.hpp>
#include <belay/store/parts/digest.hpp>
#include <belay/time.hpp>

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace belay {

/// The run and the command that a child belongs to.
struct ParentLink {
    RunRef run;
    ExecutionNo execution = 0;
    CommandNo command = 0;
    bool operator==(const ParentLink&) const = default;
};

/// A run to be created. The caller draws the run key; a key in use refuses the transition with
/// `run_key_taken`. A child's key is greater than its parent's, else `invalid_argument`. So the
/// order of keys is also top-down, and a store that locks rows by key locks a tree from the top.
struct NewInstance {
    RunRef run;
    InstanceName name;
    std::string definition;  ///< The orchestration's name.
    std::string version;
    Payload input;
    std::optional<ParentLink> parent;
    std::string owner;
    std::string started_by;
    Headers headers;  ///< Trace context and the like.
    Labels labels;
    ParentClose parent_close = ParentClose::cancel;  ///< For a child.
    /// The document by which the run is interpreted. It is kept in the run's namespace for as long
    /// as a run has it. See Start::document.
    std::optional<Digest> document{};
    /// The run that is created in the commit that writes *failed* for this run, whoever writes it.
    /// A canceled run starts none. Its key is greater than the run's, else `invalid_argument`.
    ///
    /// Its id is on_fail_id(name.id). The id moves to it from a run for an earlier failure that is
    /// at rest, as with IdConflict::replace. If any other run has the id by then, its id is
    /// other_on_fail_id(name.id, on_fail->key), or that with the key behind it once more until it
    /// is free. Both must be valid. If its key is in use by then, it has the next free one above.
    ///
    /// It has the namespace, definition, version, input, document, owner, starter, headers and
    /// labels of the failed run, its priority with that of the runs above it, and `on_fail_of`. Its
    /// first message is op::run_failed. It is no child: nobody waits for it, and it is canceled and
    /// deleted by itself only.
    std::optional<RunRef> on_fail{};
    /// The failed run that this one is for. Only a store sets it, else `invalid_argument`.
    std::optional<RunRef> on_fail_of{};
    /// Added to the priority of each of its activities (NewActivity::priority), and to that of its
    /// children. So all of a tree that says no more has the priority of its root. Runs themselves
    /// are claimed in the order in which they became ready, whatever their priorities.
    std::int32_t priority = 0;
    /// For a child: it does a part of its parent's work and is nothing of its own to people. Lists,
    /// counts and filters leave it out: see InstanceMatch::shows_parts. Trees, deletion, cancels
    /// and retention treat it like any child.
    bool part = false;
};

/// Returns the id of the run that is created when a run of this id fails. It shares the shard.
[[nodiscard]] inline std::string on_fail_id(std::string_view id) {
    return std::string(id) + "/~on-fail";
}

/// Returns the id that it has instead if another run has that one.
[[nodiscard]] inline std::string other_on_fail_id(std::string_view id, RunKey key) {
    return on_fail_id(id) + "." + std::to_string(key.value);
}
/// The most bytes by which these ids are longer than `id`.
inline constexpr std::size_t kOnFailBytes = sizeof "/~on-fail." - 1 + 20;

/// The effect of a start whose id is in use.
enum class IdConflict : std::uint8_t {
    fail = 1,          ///< Refused with `id_in_use`.
    use_existing = 2,  ///< Refused with `id_in_use` too; the client reports it as "the existing
                       ///< one".
    /// The name moves to the new run. An active old run is canceled in the same commit, and the new
    /// run's first turn waits until the old one is at rest: settled, but for children below it that
    /// go on by themselves (ParentClose::abandon).
    replace = 3,
};

/// The time for which an idempotency key keeps others from starting.
enum class KeyScope : std::uint8_t {
    while_active = 1,   ///< Free once the run has ended.
    until_success = 2,  ///< A run that failed or was canceled frees it; one that completed does
                        ///< not.
    window = 3,         ///< Free when `window` has passed since the start.
    forever = 4,
};

/// Unique per (namespace, owner, definition). Outlives deletion of its instance for its scope.
struct IdempotencyKey {
    std::string key;
    KeyScope scope = KeyScope::forever;
    Millis window{0};
};

/// A lock that a run is created with.
struct StartLock {
    LeaseToken token;
    std::string worker;
    Millis lease{0};
};

/// What a start does if another run of its concurrency key is under way. Stored as these integers
/// for ever.
enum class WhenBusy : std::uint8_t {
    refuse = 1,  ///< Refused with `concurrency_busy`; the answer names that run.
    /// The run is created and waits in line: it is pending and cannot be claimed. The first in line
    /// becomes ready in the commit by which the last one under way is at rest, or is deleted.
    queue = 2,
    /// The runs of the key are canceled in the same commit, those in line and those under way. The
    /// run waits in line until they are at rest.
    replace = 3,
    allow = 4,  ///< It runs beside them. It is under way for others that come later.
};

/// A key of which one run at a time is under way, unique per (namespace, definition). A run is
/// under way from its start, or from when its turn in line has come, until it is at rest (as with
/// IdConflict::replace). So handlers of a run that has ended still keep others from beginning.
struct Concurrency {
    std::string key;
    WhenBusy when_busy = WhenBusy::refuse;
    bool operator==(const Concurrency&) const = default;
};

/// What a start does that is one too many for its rate. Stored as these integers for ever.
enum class WhenOver : std::uint8_t {
    refuse = 1,  ///< Refused with `rate_exceeded`.
    /// The run is created and waits: it is pending and cannot be claimed until the rate has room
    /// for it. Runs that wait go on in the order of their starts.
    queue = 2,
    /// The run is created and ends in the same commit as canceled (source policy, cleanup
    /// `not_needed`). It cancels no run of its concurrency key, and waits for none.
    drop = 3,
};

/// At most `count` runs of a definition begin within any `per`: of those in one namespace that are
/// started with a rate. A start that is refused or dropped does not count. One that is canceled
/// while it waits counts all the same. Children and runs that continue as new are no starts.
struct RateOfStarts {
    std::uint32_t count = 0;
    Millis per{0};
    WhenOver when_over = WhenOver::refuse;
    bool operator==(const RateOfStarts&) const = default;
};

/// Creates a pending run that is ready for its first turn. Refused: `duplicate_key` (the key is
/// taken), `id_in_use`, `run_key_taken`, `concurrency_busy`, `rate_exceeded`. The key is checked
/// first. The answer
/// names the instance that stands in the way, its status and whether its input differs. A refused
/// start consumes neither the key nor the id.
///
/// Names are checked before all that, for a Start and for a Turn's children alike: the id, the
/// namespace, the definition and, unless it is empty, the version. Refused: `invalid_argument` for
/// an invalid name (see check_name), `limit_exceeded` for a name of more than Limits().name_bytes.
/// The id of a child may have more: see check_instance_id.
struct Start {
    NewInstance instance;
    IdConflict on_conflict = IdConflict::fail;
    std::optional<IdempotencyKey> key;
    Digest input_digest{};
    std::string request_id;
    Digest request_digest{};
    Millis delay{0};  ///< Its first turn is not claimable before.
    std::string by;   ///< Recorded as the canceler of a run that is replaced.
    /// Set by a process that takes the first turn already: the run is created as if it had been
    /// claimed in the same commit. Refused with `invalid_argument` if the first turn is delayed, or
    /// may have to wait for a run that is replaced, in line, or for its rate, or may be dropped.
    std::optional<StartLock> lock{};
    /// The text of `instance.document`, written in this commit if it is not kept yet. Without a
    /// text the document must be kept, else `not_found`. A text of no document is refused with
    /// `invalid_argument`. A store never computes a digest: it trusts the sender.
    ///
    /// A kept document has the definition of the run that brought it as its name, and a number that
    /// is greater than those of all kept documents of this name. It is removed in the commit that
    /// deletes the last run that has it.
    std::optional<Payload> document{};
    /// If its first turn has not begun when this much time has passed, it ends as canceled (source
    /// policy, cleanup `not_needed`), without running code. A turn has begun when it is claimed. So
    /// a claim never hands out a run for a first turn after that time; one whose first turn was
    /// claimed in time and lost is begun too late as well. Ended by a Sweep, or by a claim that
    /// meets it.
    std::optional<Millis> expires{};
    /// If it has not ended when this much time has passed, it ends as failed (timeout), without
    /// running code; its children are canceled and its activities stopped. Kept across
    /// continue-as-new. Ended by a Sweep, or by a claim that meets it. A run that was canceled
    /// keeps the deadline of its cancel instead, because an accepted cancel always ends as
    /// canceled.
    std::optional<Millis> deadline{};
    /// Refused with `invalid_argument` for an empty key, and for a key that an earlier part of the
    /// transition starts a run of.
    std::optional<Concurrency> concurrency{};
    /// If the run has to wait for its rate, `delay` begins when that wait ends. Refused with
    /// `invalid_argument`: a rate of nothing or per no time; WhenOver::drop together with
    /// IdConflict::replace; a definition of which an earlier part of the transition starts a run
    /// with a rate. Refused with `limit_exceeded` for more than Limits().rate_starts.
    std::optional<RateOfStarts> rate{};
};

}  // namespace belay
