// Facts of the rows of a store that guards need.
#pragma once

#include "store/rules/rows.hpp"

#include <cstdint>
#include <optional>
#include <vector>

namespace belay::store {

/// A run as it stands. Points into the row: valid until something is written.
struct RunFacts {
    RunRef ref;
    const InstanceName* name = nullptr;
    const ParentLink* parent = nullptr;  ///< Null for a root.
    Status status = Status::pending;
    ExecutionNo execution = 1;
    EventNo position = 0;
    std::optional<LeaseToken> lock;  ///< The token of the lock. It stays when the lock has expired.
    bool locked = false;             ///< The lock has not expired.
    bool held = false;
    bool waits = false;  ///< It waits for the run that it replaces.
    bool canceled = false;
    bool in_line = false;  ///< It waits for the others of its concurrency key.
    bool expired = false;  ///< Its first turn would begin too late.
    bool paused = false;   ///< Its definition is.
    bool has_ready_message = false;
    std::uint64_t message_room = 0;  ///< See Turn::message_room.
    bool has_document = false;
    std::optional<RunRef> on_fail;  ///< The run that is created when it fails.
    CommitId started_by_commit;
    CommitId last_commit;

    [[nodiscard]] bool ended() const noexcept { return is_terminal(status); }
    [[nodiscard]] InstanceBrief brief() const { return InstanceBrief{ref, *name, status, false}; }
};

/// The current holder of a name. `busy`: that run, or one that had the name before, is not at rest.
/// Then a run that takes the name over waits. At rest: settled, except for children that go on when
/// their parent ends (ParentClose::abandon).
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
    RunRef run;            ///< The addressee.
    bool answers = false;  ///< It answers a command of that run.
};

/// The run whose key is not free for others.
struct KeyFacts {
    InstanceBrief instance;
    Digest input_digest{};
};
/// Looks up rows as they are before a transition is applied. It only reads. Returns none if there
/// is no such row.
class Lookup {
public:
    explicit Lookup(Rows& rows) : rows_(rows) {}

    /// The time at which the transition is judged.
    [[nodiscard]] Timestamp now() const { return rows_.now(); }

    [[nodiscard]] std::optional<RunFacts> run(RunRef run);
    /// Returns the run that has the name.
    [[nodiscard]] std::optional<RunFacts> run(const InstanceName& name);
    [[nodiscard]] NameFacts name(const InstanceName& name);
    [[nodiscard]] Digest input_digest(RunRef run);
    [[nodiscard]] std::string definition(RunRef run);
    [[nodiscard]] bool is_paused(const std::string& definition);
    /// Returns the runs of a concurrency key that are not at rest, those in line included.
    [[nodiscard]] std::vector<RunFacts> concurrent(const ConcurrencyId& id);
    /// Returns the time from which a run of the rate that is started now may begin.
    [[nodiscard]] Timestamp room_from(const RateId& id, const RateOfStarts& rate);
    /// Returns the number of waiting messages that answer no command of the run. May return any
    /// number less than `room` if the true one is less.
    [[nodiscard]] std::uint64_t waiting_messages(RunRef run, std::uint64_t room);
    /// Returns everything that is deleted with `root`.
    [[nodiscard]] std::vector<RunRef> tree(RunRef root);
    /// True if a run has this run key, or a deleted run that is remembered had it.
    [[nodiscard]] bool is_key_used(RunRef run);
    [[nodiscard]] std::optional<DeletedRun> deleted_run(RunRef run);

    /// True if the document is kept.
    [[nodiscard]] bool has_document(const DocumentKey& key);
    /// Returns the document of a run that has one.
    [[nodiscard]] Digest document_of(RunRef run);

    [[nodiscard]] std::optional<ActivityFacts> activity(const ActivityRef& activity);
    /// True if the handler under this token was told to stop and has not ended.
    [[nodiscard]] bool is_stopping(const ActivityRef& activity, LeaseToken token);
    /// Returns the number of the message that a timer will send.
    [[nodiscard]] std::optional<MessageNo> timer(RunRef run,
                                                 ExecutionNo execution,
                                                 CommandNo command);

    [[nodiscard]] std::optional<LetterFacts> letter(std::uint64_t id);

    /// Returns none if the key is free.
    [[nodiscard]] std::optional<KeyFacts> taken_key(const KeyId& id);
    [[nodiscard]] bool has_key(const KeyId& id);
    /// Returns none if it was never made or its time is over.
    [[nodiscard]] std::optional<Request> request(const RequestKey& key);

private:
    [[nodiscard]] std::optional<RunFacts> facts_of(const Run* run) const;

    Rows& rows_;
};

}  // namespace belay::store
