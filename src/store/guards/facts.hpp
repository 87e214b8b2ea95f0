// What guards need to know of the rows of a store, whichever store it is.
#pragma once

#include <belay/store/answer.hpp>
#include <belay/store/transition.hpp>

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace belay::store {

/// A run as it stands. Points into the row: good until something is written.
struct RunFacts {
    RunRef ref;
    const InstanceName* name = nullptr;
    const ParentLink* parent = nullptr;  ///< Null: it is a root.
    Status status = Status::pending;
    ExecutionNo execution = 1;
    EventNo position = 0;
    std::optional<LeaseToken> lock;  ///< Its token; stays when the lock has expired.
    bool locked = false;             ///< The lock has not expired.
    bool held = false;
    bool waits = false;  ///< For the run that it replaces.
    bool canceled = false;
    bool has_ready_message = false;
    std::uint64_t message_room = 0;  ///< See Turn::message_room.
    CommitId started_by_commit;
    CommitId last_commit;

    [[nodiscard]] bool ended() const noexcept { return is_terminal(status); }
    [[nodiscard]] InstanceBrief brief() const { return InstanceBrief{ref, *name, status, false}; }
};

/// Who has a name now, and whether that run or one that had the name before is not at rest: then
/// whoever takes the name over waits. At rest means settled, but for children that go on when their
/// parent ends (ParentClose::abandon).
struct NameFacts {
    std::optional<RunFacts> holder;
    bool busy = false;
};

struct ActivityFacts {
    std::optional<LeaseToken> token;  ///< Stays when the lease has expired.
    bool expired = false;
};

/// A message that could not be delivered.
struct LetterFacts {
    RunRef run;            ///< Whom it was meant for.
    bool answers = false;  ///< It answers a command of that run.
};

/// The full name of an idempotency key.
struct KeyId {
    std::string space;
    std::string owner;
    std::string definition;
    std::string key;
    auto operator<=>(const KeyId&) const = default;
};
[[nodiscard]] KeyId key_id(const NewInstance& instance, const IdempotencyKey& key);

/// Who keeps others from using a key.
struct KeyFacts {
    InstanceBrief instance;
    Digest input_digest{};
};
/// Whether a key still keeps others from using it. `ended`, `status`: of the run that has it;
/// `until`: the end of its window.
[[nodiscard]] bool is_taken(
    KeyScope scope, std::optional<Timestamp> until, bool ended, Status status, Timestamp now);

/// Namespace and request id.
using RequestKey = std::pair<std::string, std::string>;

/// A request, and how it was answered.
struct Request {
    std::size_t part = 0;  ///< Which alternative of Part it was.
    std::string target;    ///< The instance's id; of FreeKey the key; of a dead letter its number.
    Digest digest{};       ///< Of the rest of what was asked.
    InstanceBrief instance;
    bool changed = true;
    DeleteCounts deleted;
};

/// What is left of a deleted run for a while, so that the start that made it, sent again after an
/// unknown outcome, is recognised and does not bring it back.
struct Gone {
    CommitId started_by_commit;
    InstanceBrief instance;
    /// Of a Delete that named this run, with what it deleted.
    CommitId deleted_by_commit;
    DeleteCounts deleted;

    /// Whether there is anything to recognise it by.
    [[nodiscard]] bool worth_keeping() const noexcept {
        return started_by_commit != CommitId() || deleted_by_commit != CommitId();
    }
};

/// Looks things up as they stand before a transition is applied. Every store has one; that is all
/// that guards and repeats know of it. None means that there is no such row.
class Lookup {
public:
    Lookup() = default;
    Lookup(const Lookup&) = delete;
    Lookup& operator=(const Lookup&) = delete;
    virtual ~Lookup() = default;

    /// When the transition is judged.
    [[nodiscard]] virtual Timestamp now() = 0;

    [[nodiscard]] virtual std::optional<RunFacts> run(RunRef run) = 0;
    /// The one that has the name.
    [[nodiscard]] virtual std::optional<RunFacts> run(const InstanceName& name) = 0;
    [[nodiscard]] virtual NameFacts name(const InstanceName& name) = 0;
    [[nodiscard]] virtual Digest input_digest(RunRef run) = 0;
    /// How many messages wait that answer no command of the run. When it is less than `room`, any
    /// number less than that will do.
    [[nodiscard]] virtual std::uint64_t waiting_messages(RunRef run, std::uint64_t room) = 0;
    /// Everything that goes when `root` is deleted.
    [[nodiscard]] virtual std::vector<RunRef> tree(RunRef root) = 0;
    /// Whether a run has this key, or one had that is remembered.
    [[nodiscard]] virtual bool is_key_used(RunRef run) = 0;
    [[nodiscard]] virtual std::optional<Gone> gone(RunRef run) = 0;

    [[nodiscard]] virtual std::optional<ActivityFacts> activity(const ActivityRef& activity) = 0;
    /// Whether the handler under this token was told to stop and has not ended.
    [[nodiscard]] virtual bool is_stopping(const ActivityRef& activity, LeaseToken token) = 0;
    /// The number of the message that a timer will be.
    [[nodiscard]] virtual std::optional<MessageNo> timer(RunRef run,
                                                         ExecutionNo execution,
                                                         CommandNo command) = 0;

    [[nodiscard]] virtual std::optional<LetterFacts> letter(std::uint64_t id) = 0;

    /// None when the key is free.
    [[nodiscard]] virtual std::optional<KeyFacts> taken_key(const KeyId& id) = 0;
    [[nodiscard]] virtual bool has_key(const KeyId& id) = 0;
    /// None when it was never made, or its time is over.
    [[nodiscard]] virtual std::optional<Request> request(const RequestKey& key) = 0;
};

}  // namespace belay::store
