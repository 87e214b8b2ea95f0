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
}  // namespace requests

// ---- Lists -------------------------------------------------------------------------------------

/// Which instances are listed, and how: the setters of an InstanceFilter, and those of a page.
/// Chained: `ListOptions().definition("Order").status(Status::failed)`.
class ListOptions : public detail::MatchSetters<ListOptions> {
public:
    ListOptions() = default;
    /// Those that the filter chooses. Its limit does not count: a list has pages.
    explicit ListOptions(const InstanceFilter& filter)
        : detail::MatchSetters<ListOptions>(filter.match()) {}

    /// If not said, an order in which an index has what is asked for: by `started` for a parent, a
    /// label or what is held; by `id` for a prefix; by `ended` for what has ended; by `started` for
    /// what has not, for a version, a definition or an owner; by `created` for anything else. In
    /// another order, all that matches is sorted before the first page is there.
    ListOptions& order(InstanceOrder order) { return set(order_, order); }
    /// The last one first.
    ListOptions& descending(bool descending = true) { return set(descending_, descending); }
    /// How many on a page, 1 to 1000; 50 if not said.
    ListOptions& page_size(std::uint32_t size) { return set(page_size_, size); }
    /// Goes on behind a page: its `next`. All else must be as it was for that page, except the size
    /// of pages: `invalid_argument` otherwise.
    ListOptions& after(std::string cursor) { return set(cursor_, std::move(cursor)); }

    /// All of it as data: <belay/requests/finding.hpp>.
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
    /// Where the next page begins: printable, and good for as long as anybody keeps it. Empty: that
    /// was all.
    std::string next;
};

// ---- Keys --------------------------------------------------------------------------------------

/// Which idempotency keys are listed. Chained setters: `KeyOptions().definition("Import")`.
class KeyOptions {
public:
    KeyOptions() = default;

    /// The namespace; "default" unless something is said.
    KeyOptions& space(std::string space) { return set(space_, std::move(space)); }
    /// Only those of this owner.
    KeyOptions& owner(std::string owner) { return set(owner_, std::move(owner)); }
    /// Only those of starts of this orchestration.
    KeyOptions& definition(std::string name) { return set(definition_, std::move(name)); }
    /// Only those that begin like this, byte by byte.
    KeyOptions& prefix(std::string prefix) { return set(prefix_, std::move(prefix)); }
    /// How many on a page, 1 to 1000; 50 if not said.
    KeyOptions& page_size(std::uint32_t size) { return set(page_size_, size); }
    /// Goes on behind a page: its `next`. All else must be as it was for that page, except the size
    /// of pages: `invalid_argument` otherwise.
    KeyOptions& after(std::string cursor) { return set(cursor_, std::move(cursor)); }

    /// All of it as data: <belay/requests/finding.hpp>.
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
    std::string next;           ///< As that of an InstancePage.
};

// ---- What it is waiting for --------------------------------------------------------------------

/// What kind of thing a command is for.
enum class AwaitedKind : std::uint8_t { activity = 1, timer, event, queue_message, child };

/// How it stands with a command that has not come back.
enum class AwaitedState : std::uint8_t {
    waiting = 1,    ///< A timer, a message or a child that is not there yet.
    queued,         ///< An activity in line, for a worker to take.
    delayed,        ///< An activity that nobody may take before `until`.
    retrying,       ///< The same, after an attempt that was given back.
    running,        ///< A worker has it.
    lease_expired,  ///< A worker had it and was not heard of since `until`; anybody may take it.
    no_code,        ///< Workers had no activity of this name, and nobody took it.
    answered,       ///< It is done; the next turn receives the answer.
    stopped,        ///< The cancel has stopped it; the next turn sees that.
};

[[nodiscard]] std::string_view to_string(AwaitedKind kind) noexcept;
[[nodiscard]] std::string_view to_string(AwaitedState state) noexcept;

/// One command that the code has given and that has not come back. (That the code is at an await of
/// it, nobody can see from outside; mostly it is.)
struct Awaited {
    CommandNo command = 0;
    AwaitedKind kind = AwaitedKind::activity;
    AwaitedState state = AwaitedState::waiting;
    std::string name;      ///< Of the activity, the event, the queue, or the child's definition.
    std::string child_id;  ///< Of a child.
    std::optional<Status> child_status;
    std::string queue;               ///< Of an activity; empty: the default queue.
    std::string worker;              ///< running, lease_expired.
    std::uint32_t attempt = 0;       ///< Of an activity: how often it was begun.
    std::uint32_t unregistered = 0;  ///< How often workers found that they have no code for it.
    bool shielded = false;
    /// What the handler of an activity said last of how far it is (ActivityContext::heartbeat), and
    /// when that was written.
    std::optional<Payload> progress;
    std::optional<Timestamp> progress_at;
    Timestamp since{};  ///< When it was scheduled; an activity in line: since when it can be taken.
    /// A timer: when it is due. delayed, retrying, no_code: not before then. running: until the
    /// lease ends, unless renewed. lease_expired: when it did.
    std::optional<Timestamp> until;
};

/// "activity Charge in queue 'billing': attempt 2 at worker-7, lease until ...", in UTC.
[[nodiscard]] std::string describe(const Awaited& awaited);

/// What would have to happen next for an instance to go on; the first of these that is true.
enum class Condition : std::uint8_t {
    ended = 1,
    held,          ///< A person has to release or fail it: InstanceInfo::held_detail.
    replacing,     ///< The run that had its name before has to settle.
    in_turn,       ///< A worker takes its turn.
    code_missing,  ///< Nobody who has claimed it had its code.
    turn_due,      ///< Between two turns: any worker may take the next one.
    delayed,       ///< No turn before `until`: it starts later, or the last one was given back.
    waiting,       ///< For what it awaits.
};

[[nodiscard]] std::string_view to_string(Condition condition) noexcept;

/// Everything about one instance, as of one moment.
struct InstanceDescription {
    InstanceInfo info;
    Timestamp as_of{};  ///< The store's time.
    std::string root_id;
    std::optional<std::string> parent_id;

    Condition condition = Condition::waiting;
    std::string worker;  ///< in_turn: whose.
    /// held, replacing, waiting: not known. in_turn: not known. code_missing: since the first who
    /// had no code. turn_due: since it is ready. ended: since then.
    std::optional<Timestamp> since;
    /// in_turn: until the lock ends unless renewed. code_missing, delayed: the next try.
    std::optional<Timestamp> until;

    /// What its current execution has asked for and not got, by command. While its first turn has
    /// not been taken, and once it has ended, there is nothing.
    ///
    /// Waits are matched with messages as the code would, with one exception: a message that was
    /// handed to a wait which then lost a race goes to the next wait of that name, and history does
    /// not say so; that one is shown as open until the execution ends.
    std::vector<Awaited> awaits;
    /// Not empty: why its history cannot be read. Then `awaits` has only what is in the queues.
    std::string history_problem;
    std::uint64_t children = 0;            ///< That it ever started.
    std::uint64_t open_children = 0;       ///< Also those of earlier executions.
    std::vector<WaitingMessage> messages;  ///< Not yet received, without timers; the first ones.
    std::uint64_t message_count = 0;       ///< Of them all.
    std::vector<StoppingInfo> stopping;    ///< Canceled handlers that have not been seen to end.
    /// What its code keeps for others to see, read a moment later than the rest.
    std::map<std::string, Payload> values;
};

/// One line: "held: history and code disagree at event 7 ...", "between two turns since ...".
[[nodiscard]] std::string describe_condition(const InstanceDescription& description);

// ---- Timelines ---------------------------------------------------------------------------------

/// What an entry of a timeline is about.
enum class TimelineKind : std::uint8_t {
    started = 1,  ///< The execution.
    turn,         ///< A turn began.
    scheduled,    ///< An activity, a timer, a child, or a wait for a message.
    completed,
    failed,
    let_go,    ///< The code let go of it, or a cancel did.
    received,  ///< A message came.
    cancel,    ///< A cancel was seen.
    custom_status,
    continued,  ///< As a new execution.
    ended,
    noted,  ///< The code did something that nothing comes back of: `text` says what.
};

[[nodiscard]] std::string_view to_string(TimelineKind kind) noexcept;

/// One event of an execution's history.
struct TimelineEntry {
    EventNo event = 0;
    /// When the turn began in which the code saw or did it: so that of a completion is when it was
    /// received, which is a little after it was reported.
    Timestamp at{};
    TimelineKind kind = TimelineKind::turn;
    CommandNo command = 0;            ///< Of what belongs to a command.
    std::optional<AwaitedKind> what;  ///< What kind of command it is; of `received`: of message.
    std::string name;                 ///< As Awaited's; of `started`: the definition.
    std::string child_id;             ///< Of a child.
    std::string queue;                ///< Of an activity.
    std::optional<Timestamp> until;   ///< Of a timer that is scheduled: when it is due.
    std::optional<Timestamp> scheduled_at;  ///< completed, failed, let_go: when it was.
    std::optional<Failure> failure;         ///< failed; its `attempt` says how many there were.
    std::optional<CancelRecord> cancel;     ///< cancel
    std::optional<Outcome> outcome;         ///< ended
    /// All of it in one line, payloads cut short: "ActivityScheduled #3 Charge (\"42\", 7)".
    std::string text;
};

/// The history of one execution, as far as it was recorded.
struct Timeline {
    InstanceBrief instance;
    ExecutionNo execution = 1;
    std::vector<ExecutionInfo> executions;  ///< All that are left.
    std::vector<TimelineEntry> entries;     ///< In order, as far as they were recorded.
};

}  // namespace belay
