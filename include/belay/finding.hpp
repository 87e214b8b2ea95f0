// Finding instances and understanding them: lists, what one waits for, and its timeline.
#pragma once

#include <belay/filter.hpp>
#include <belay/store/listing.hpp>

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace belay {

namespace requests {
struct List;
struct ListKeys;
struct ReadOutput;
}  // namespace requests

// ---- Lists -------------------------------------------------------------------------------------

/// Options of a list: the setters of an InstanceFilter, and those of a page. Chained:
/// `ListOptions().definition("Order").status(Status::failed)`.
class ListOptions : public detail::MatchSetters<ListOptions> {
public:
    ListOptions() = default;
    /// Lists the instances that the filter chooses. Ignores its limit: a list has pages.
    explicit ListOptions(const InstanceFilter& filter)
        : detail::MatchSetters<ListOptions>(filter.match()) {}

    /// The order. Default: one for which the query has an index. The first that applies:
    /// - `started` for a parent, a label or held instances;
    /// - `id` for a prefix;
    /// - `ended` for ended instances;
    /// - `started` for instances that have not ended, a version, a definition or an owner;
    /// - `created` for anything else.
    ///
    /// In another order, all matches are sorted before the first page is returned.
    ListOptions& order(InstanceOrder order) { return set(order_, order); }
    /// Reverses the order: the last one first.
    ListOptions& descending(bool descending = true) { return set(descending_, descending); }
    /// The number of instances on a page, 1 to 1000. Default: 50.
    ListOptions& page_size(std::uint32_t size) { return set(page_size_, size); }
    /// Goes on after a page: pass its `next`. All else must be as it was for that page, except the
    /// size of pages; otherwise `invalid_argument`.
    ListOptions& after(std::string cursor) { return set(cursor_, std::move(cursor)); }

    /// Returns all of it as data: <belay/requests/finding.hpp>.
    [[nodiscard]] requests::List request() const;

private:
    std::optional<InstanceOrder> order_;
    bool descending_ = false;
    std::uint32_t page_size_ = 50;
    std::string cursor_;
};

/// A page of a list.
struct InstancePage {
    std::vector<ListedInstance> instances;
    /// The cursor of the next page: printable, and valid for ever. Empty: this was the last page.
    std::string next;
};

// ---- Keys --------------------------------------------------------------------------------------

/// Options of a list of idempotency keys. Chained setters: `KeyOptions().definition("Import")`.
class KeyOptions {
public:
    KeyOptions() = default;

    /// The namespace. Default: "default".
    KeyOptions& space(std::string space) { return set(space_, std::move(space)); }
    /// Only those of this owner.
    KeyOptions& owner(std::string owner) { return set(owner_, std::move(owner)); }
    /// Only those of starts of this orchestration.
    KeyOptions& definition(std::string name) { return set(definition_, std::move(name)); }
    /// Only those with this prefix, in bytes.
    KeyOptions& prefix(std::string prefix) { return set(prefix_, std::move(prefix)); }
    /// The number of keys on a page, 1 to 1000. Default: 50.
    KeyOptions& page_size(std::uint32_t size) { return set(page_size_, size); }
    /// Goes on after a page: pass its `next`. All else must be as it was for that page, except the
    /// size of pages; otherwise `invalid_argument`.
    KeyOptions& after(std::string cursor) { return set(cursor_, std::move(cursor)); }

    /// Returns all of it as data: <belay/requests/finding.hpp>.
    [[nodiscard]] requests::ListKeys request() const;

private:
    template <class T, class U>
    KeyOptions& set(T& member, U&& value) {
        member = std::forward<U>(value);
        return *this;
    }

    std::string space_ = "default";
    std::optional<std::string> owner_;
    std::optional<std::string> definition_;
    std::string prefix_;
    std::uint32_t page_size_ = 50;
    std::string cursor_;
};

/// A page of a list of keys.
struct KeyPage {
    std::vector<KeyInfo> keys;  ///< By owner, definition and key.
    std::string next;           ///< As InstancePage::next.
};

// ---- Waiting -----------------------------------------------------------------------------------

/// The kind of a command.
enum class AwaitedKind : std::uint8_t { activity = 1, timer, event, queue_message, child };

/// The state of a command that has not come back.
enum class AwaitedState : std::uint8_t {
    waiting = 1,    ///< A timer, a message or a child that has not come yet.
    queued,         ///< An activity in line, for a worker to take.
    delayed,        ///< An activity that nobody may take before `until`.
    retrying,       ///< As `delayed`, after an attempt that was given back.
    running,        ///< A worker has it.
    lease_expired,  ///< A worker had it and was not heard of since `until`; anybody may take it.
    no_code,        ///< Workers had no activity of this name, and nobody took it.
    answered,       ///< It is done; the next turn receives the answer.
    stopped,        ///< The cancel has stopped it; the next turn sees that.
};

[[nodiscard]] std::string_view to_string(AwaitedKind kind) noexcept;
[[nodiscard]] std::string_view to_string(AwaitedState state) noexcept;

/// One command of the code that has not come back. (Nobody can see from outside if the code awaits
/// it; mostly it does.)
struct Awaited {
    CommandNo command = 0;
    AwaitedKind kind = AwaitedKind::activity;
    AwaitedState state = AwaitedState::waiting;
    std::string name;      ///< The name of the activity, the event, the queue, or the child's
                           ///< definition.
    std::string child_id;  ///< For a child.
    std::optional<Status> child_status;
    std::string queue;               ///< For an activity; empty: the default queue.
    std::string worker;              ///< running, lease_expired.
    std::uint32_t attempt = 0;       ///< For an activity: the number of attempts that were begun.
    std::uint32_t unregistered = 0;  ///< The number of times that workers had no code for it.
    bool shielded = false;
    /// The last progress of the handler of an activity (ActivityContext::heartbeat), and when it
    /// was written.
    std::optional<Payload> progress;
    std::optional<Timestamp> progress_at;
    Timestamp since{};  ///< When it was scheduled; for an activity in line: when it became
                        ///< claimable.
    /// A timer: when it is due. delayed, retrying, no_code: not before then. running: the end of
    /// the lease, unless renewed. lease_expired: when it expired.
    std::optional<Timestamp> until;
};

/// "activity Charge in queue 'billing': attempt 2 at worker-7, lease until ...", in UTC.
[[nodiscard]] std::string describe(const Awaited& awaited);

/// The next thing that must happen for an instance to go on; the first of these that is true.
enum class Condition : std::uint8_t {
    ended = 1,
    held,          ///< A person has to release or fail it: InstanceInfo::held_detail.
    replacing,     ///< The run that had its name before has to settle.
    in_line,       ///< Others of its concurrency key have to end: InstanceInfo::concurrency_key.
    in_turn,       ///< A worker takes its turn.
    code_missing,  ///< No worker that has claimed it had its code.
    turn_due,      ///< Between two turns: any worker may take the next one.
    delayed,       ///< No turn before `until`: it starts later, or the last one was given back.
    waiting,       ///< It waits for its awaited commands.
};

[[nodiscard]] std::string_view to_string(Condition condition) noexcept;

/// Everything about one instance, as of one moment.
struct InstanceDescription {
    InstanceInfo info;
    Timestamp as_of{};  ///< The store's time.
    std::string root_id;
    std::optional<std::string> parent_id;

    Condition condition = Condition::waiting;
    std::string worker;  ///< in_turn: the worker that takes the turn.
    /// ended: when it ended. turn_due: when it became ready. code_missing: when the first worker
    /// had no code. Not known for held, replacing, waiting and in_turn.
    std::optional<Timestamp> since;
    /// in_turn: the end of the lock unless renewed. code_missing, delayed: the next try.
    std::optional<Timestamp> until;

    /// Commands of its current execution that have not come back, by number. Empty before its first
    /// turn and after its end.
    ///
    /// Waits are matched with messages as the code would, with one exception: a message that was
    /// handed to a wait which then lost a race goes to the next wait of that name, and history does
    /// not record that. Such a wait is shown as open until the execution ends.
    std::vector<Awaited> awaits;
    /// Not empty if its history cannot be read: the reason. Then `awaits` lists only the queues.
    std::string history_problem;
    std::uint64_t children = 0;            ///< All that it ever started.
    std::uint64_t open_children = 0;       ///< Including those of earlier executions.
    std::vector<WaitingMessage> messages;  ///< Not yet received, without timers; the first ones.
    std::uint64_t message_count = 0;       ///< All of them.
    std::vector<StoppingInfo> stopping;    ///< Canceled handlers that have not been seen to end.
    /// The key-values that its code keeps for others to see, read a moment later than the rest.
    std::map<std::string, Payload> values;
};

/// One line: "held: history and code disagree at event 7 ...", "between two turns since ...".
[[nodiscard]] std::string describe_condition(const InstanceDescription& description);

// ---- Output ------------------------------------------------------------------------------------

/// The output that is read. Chained setters.
class OutputOptions {
public:
    OutputOptions() = default;

    /// Only that of one execution. Default: of all that are left.
    OutputOptions& execution(ExecutionNo number) & {
        execution_ = number;
        return *this;
    }
    OutputOptions&& execution(ExecutionNo number) && { return std::move(execution(number)); }
    /// Only that of one command, such as an attempt of a RetryPolicy.
    OutputOptions& command(CommandNo number) & {
        command_ = number;
        return *this;
    }
    OutputOptions&& command(CommandNo number) && { return std::move(command(number)); }
    /// Only that of the attempts with this number.
    OutputOptions& attempt(std::uint32_t number) & {
        attempt_ = number;
        return *this;
    }
    OutputOptions&& attempt(std::uint32_t number) && { return std::move(attempt(number)); }
    /// Goes on after a page: OutputPage::next of that. Default: from the beginning.
    OutputOptions& after(std::uint64_t position) & {
        after_ = position;
        return *this;
    }
    OutputOptions&& after(std::uint64_t position) && { return std::move(after(position)); }
    /// About the most bytes of a page. Default: 1 MiB.
    OutputOptions& max_bytes(std::uint64_t bytes) & {
        max_bytes_ = bytes;
        return *this;
    }
    OutputOptions&& max_bytes(std::uint64_t bytes) && { return std::move(max_bytes(bytes)); }

    /// Returns the request for this, of a run.
    [[nodiscard]] requests::ReadOutput request(RunRef run) const;

private:
    std::optional<ExecutionNo> execution_;
    std::optional<CommandNo> command_;
    std::optional<std::uint32_t> attempt_;
    std::uint64_t after_ = 0;
    std::uint64_t max_bytes_ = 1024 * 1024;
};

// ---- Timelines ---------------------------------------------------------------------------------

/// The subject of an entry of a timeline.
enum class TimelineKind : std::uint8_t {
    started = 1,  ///< The execution started.
    turn,         ///< A turn began.
    scheduled,    ///< An activity, a timer, a child, or a wait for a message was scheduled.
    completed,
    failed,
    let_go,    ///< The code dropped it, or a cancel did.
    received,  ///< A message came.
    cancel,    ///< A cancel was seen.
    custom_status,
    continued,  ///< It continued as a new execution.
    ended,
    noted,  ///< The code did something without an answer: see `text`.
};

[[nodiscard]] std::string_view to_string(TimelineKind kind) noexcept;

/// One event of an execution's history.
struct TimelineEntry {
    EventNo event = 0;
    /// The time when the turn began in which the code saw or did it. A completion has the time when
    /// it was received, which is a little after it was reported.
    Timestamp at{};
    TimelineKind kind = TimelineKind::turn;
    CommandNo command = 0;                  ///< For entries that belong to a command.
    std::optional<AwaitedKind> what;        ///< The kind of the command, or of the message for
                                            ///< `received`.
    std::string name;                       ///< As Awaited::name; for `started`: the definition.
    std::string child_id;                   ///< For a child.
    std::string queue;                      ///< For an activity.
    std::optional<Timestamp> until;         ///< For a scheduled timer: when it is due.
    std::optional<Timestamp> scheduled_at;  ///< completed, failed, let_go: when it was scheduled.
    std::optional<Failure> failure;         ///< failed; its `attempt` is the number of attempts.
    std::optional<CancelRecord> cancel;     ///< cancel
    std::optional<Outcome> outcome;         ///< ended
    /// All of it in one line, payloads cut short: "ActivityScheduled #3 Charge (\"42\", 7)".
    std::string text;
};

/// The history of one execution, as far as it was recorded.
struct Timeline {
    InstanceBrief instance;
    ExecutionNo execution = 1;
    std::vector<ExecutionInfo> executions;  ///< All that were not pruned.
    std::vector<TimelineEntry> entries;     ///< In order, as far as they were recorded.
};

}  // namespace belay
