// The rows of the file, for one group of changes.
#pragma once

#include "store/rules/rows.hpp"
#include "store/sqlite/blocks.hpp"
#include "store/sqlite/connection.hpp"
#include "store/sqlite/empty_stretch.hpp"
#include "store/sqlite/known_runs.hpp"
#include "store/sqlite/payloads.hpp"
#include "store/sqlite/queue_limits_cache.hpp"
#include "store/sqlite/row_parts.hpp"
#include <belay/store/store.hpp>

#include <map>
#include <memory>
#include <set>
#include <string>
#include <vector>

namespace belay::sqlite {

using store::Activity;
using store::DeletedRun;
using store::KeyId;
using store::KeyRow;
using store::Letter;
using store::Request;
using store::RequestKey;
using store::Run;
using store::StoppingKey;

/// Draws numbers that ascend over all processes of the machine, as nearly as its clock does.
class Sequence {
public:
    [[nodiscard]] std::uint64_t next();

private:
    std::uint64_t last_ = 0;
};

/// The part of a run that is shown and that the rules do not change.
struct RunAbout {
    std::string definition;
    std::string version;
    std::string owner;
    std::string started_by;
    Headers headers;
    std::string held_detail;
    std::optional<FailureKind> held_kind;
    Payload input;
    std::optional<Payload> custom_status;
    std::optional<Outcome> outcome;
    std::optional<Digest> document;
    std::uint64_t document_number = 0;
    std::optional<RunRef> on_fail_of;
    std::optional<std::string> key;
};

/// Reads rows, and writes them inside a transaction that the caller began. A start fused with its
/// first turn is one row written once. Lists of runs come from the file's indexes, so they flush
/// first. Throws SqliteFailure.
class Tables final : public store::Rows {
public:
    Tables(Connection& connection,
           Sequence& sequence,
           QueueLimitsCache& queue_limits,
           KnownRuns& known_runs,
           Timestamp now)
        : Rows(now),
          connection_(connection),
          sequence_(sequence),
          queue_limits_(queue_limits),
          known_runs_(known_runs),
          blocks_(connection) {}

    /// Called before the transaction is committed.
    void finish() { blocks_.finish(); }
    /// Returns all runs that were looked at, and removes them from here.
    [[nodiscard]] RunsByKey take_runs() { return std::move(runs_); }

    /// Reads many named activities of one run at once.
    void prefetch(std::span<const Transition> batch) override;

    // ---- For reads only ----

    [[nodiscard]] RunAbout about(const Run& run);
    [[nodiscard]] std::vector<RunKey> open_children_of(const Run& run);
    /// Returns the settings of a namespace, without its head: retention.cpp.
    [[nodiscard]] RetentionPolicy retention_of(const std::string& space);

    // ---- Runs: tables_runs.cpp, tables_history.cpp, tables_lists.cpp ----

    [[nodiscard]] store::Holders holders_of(const InstanceName& name) override;
    [[nodiscard]] bool has_former_roots(const std::string& space) override;
    [[nodiscard]] const store::RunCode& code_of(Run& run) override;
    [[nodiscard]] Digest digest_of(const Run& run) override;
    [[nodiscard]] std::optional<KeyId> key_of(const Run& run) override;
    void describe(const Run& run, ClaimedInstance& item) override;
    [[nodiscard]] std::pair<Labels, std::string> labels_of(const Run& run) override;
    [[nodiscard]] Digest document_of(const Run& run) override;
    void set_next_input(Run& run, const Payload& input, const std::string& version) override;
    void set_former(Run& run) override;
    void set_version(Run& run, const std::string& version) override;
    void set_custom_status(Run& run, const Payload& status) override;
    void set_hold_reason(Run& run, const std::optional<store::HoldReason>& reason) override;
    void insert_history(const Run& run, const HistoryRow& history) override;
    void close_execution(const Run& run, Timestamp ended_at) override;
    void each_old_execution(const Run& run,
                            std::uint32_t keep,
                            const std::optional<Timestamp>& ended_before,
                            const store::Visit<store::OldExecution>& visit) override;
    void erase_execution(const Run& run, ExecutionNo execution) override;
    void change_key_value(const Run& run, const KeyValueChange& change) override;

    [[nodiscard]] std::vector<RunKey> children_of(const Run& run) override;
    [[nodiscard]] std::vector<RunKey> dependent_children_of(const Run& run) override;
    [[nodiscard]] bool has_dependent_children(const Run& run) override;
    [[nodiscard]] std::vector<RunKey> unsettled_dependents_of(const Run& run) override;
    [[nodiscard]] std::vector<RunKey> open_children_of(const Run& run, CommandNo command) override;
    [[nodiscard]] std::vector<RunKey> waiting_for(RunKey run) override;
    [[nodiscard]] std::vector<RunKey> past_deadline(std::uint32_t max) override;
    [[nodiscard]] std::vector<RunKey> locked_by(std::uint64_t holder, std::uint32_t max) override;
    void each_ready(const std::vector<Shard>& shards,
                    const store::Visit<store::ReadyRun>& visit) override;
    void add_put_off(Run& run) override;
    void remove_put_off(RunKey run) override;
    [[nodiscard]] bool is_put_off(RunKey run) override;
    [[nodiscard]] std::optional<store::CodeKey> put_off_code(const store::CodeKey& after) override;
    [[nodiscard]] std::vector<RunKey> put_off_runs(const store::CodeKey& code,
                                                   std::size_t max) override;

    [[nodiscard]] std::vector<store::ConcurrentRun> concurrent_runs(const store::ConcurrencyId& id,
                                                                    std::size_t waiting) override;
    [[nodiscard]] std::uint64_t last_in_line(const store::ConcurrencyId& id) override;
    void insert_concurrent(const store::ConcurrencyId& id,
                           const store::ConcurrentRun& run) override;
    void erase_concurrent(const store::ConcurrencyId& id, const store::ConcurrentRun& run) override;

    [[nodiscard]] std::optional<store::RatePlace> last_rate_place(const store::RateId& id) override;
    [[nodiscard]] std::optional<store::RatePlace> find_rate_place(const store::RateId& id,
                                                                  std::uint64_t number) override;
    void insert_rate_place(const store::RateId& id, const store::RatePlace& place) override;
    void erase_rate_places(const store::RateId& id, std::uint64_t up_to) override;
    std::uint64_t erase_rate_places_past(std::uint32_t max) override;

    // ---- Messages and timers: tables_inbox.cpp ----

    void insert_message(Run& run,
                        MessageNo number,
                        Timestamp sent_at,
                        const NewMessage& message) override;
    void insert_timed(Run& run,
                      MessageNo number,
                      Timestamp due_at,
                      const NewMessage& message,
                      std::optional<CommandNo> timer) override;
    store::TakenOut erase_waiting(Run& run, MessageNo number) override;
    void erase_timers(Run& run) override;
    std::uint64_t erase_inbox(Run& run) override;
    [[nodiscard]] std::optional<Timestamp> inbox_ready_from(const Run& run) override;
    [[nodiscard]] std::optional<MessageNo> find_timer(const Run& run,
                                                      ExecutionNo execution,
                                                      CommandNo command) override;
    [[nodiscard]] std::vector<Message> ready_messages(const Run& run,
                                                      std::optional<std::uint32_t> most) override;
    [[nodiscard]] std::uint64_t count_messages(const Run& run) override;
    void insert_letter(RunRef run, const NewMessage& message, const std::string& reason) override;
    [[nodiscard]] std::optional<Letter> find_letter(std::uint64_t id) override;
    void erase_letter(std::uint64_t id) override;
    std::uint64_t erase_letters_to(const Run& run) override;

    // ---- Activities: tables_activities.cpp, tables_line.cpp, tables_stopping.cpp ----

    [[nodiscard]] const Activity* find_activity(const ActivityRef& activity) override;
    void insert_activity(const Activity& activity,
                         const NewActivity& about,
                         const std::string& lane) override;
    void write_activity(const Activity& activity) override;
    void erase_activity(const Activity& activity) override;
    void forget_start_time(const ActivityRef& activity) override;
    [[nodiscard]] std::string name_of(const ActivityRef& activity) override;
    void put_progress(const ActivityRef& activity, const Payload& progress) override;
    [[nodiscard]] std::vector<ActivityRef> activities_of(const Run& run) override;
    [[nodiscard]] std::vector<ActivityRef> leased_by(std::uint64_t holder,
                                                     std::uint32_t max) override;
    void read_claimable(const ActivityRef& ref, Activity& activity, ClaimedActivity& item) override;

    /// Does its work once for each group.
    void promote_activities() override;
    [[nodiscard]] std::optional<Timestamp> first_waiting() override;
    [[nodiscard]] bool is_queue_empty(const std::string& queue) override;
    [[nodiscard]] std::vector<std::string> queues_in_line() override;
    void each_in_line(const std::string& queue,
                      const std::vector<Shard>& shards,
                      const store::PlaceInLine* behind,
                      const store::Visit<store::QueuedActivity>& visit) override;
    [[nodiscard]] std::optional<std::string> name_in_line(const std::string& queue,
                                                          const std::string& after) override;
    [[nodiscard]] std::optional<std::string> lane_in_line(
        const std::string& queue,
        const std::string& name,
        const std::optional<std::string>& after) override;
    [[nodiscard]] std::vector<store::QueuedActivity> lane_rows(const std::string& queue,
                                                               const std::string& name,
                                                               const std::string& lane,
                                                               const store::PlaceInLine& behind,
                                                               std::uint32_t most) override;
    void set_lanes(const std::string& queue, bool by_key) override;

    [[nodiscard]] bool has_stopping(const StoppingKey& key) override;
    bool insert_stopping(const StoppingKey& key,
                         const std::string& worker,
                         Timestamp until) override;
    void erase_stopping(const StoppingKey& key) override;
    [[nodiscard]] std::vector<StoppingKey> stopping_past(std::uint32_t max) override;
    [[nodiscard]] std::vector<StoppingKey> stopping_by(std::uint64_t holder,
                                                       std::uint32_t max) override;
    [[nodiscard]] std::vector<std::pair<LeaseToken, Timestamp>> stopping_of(
        const Run& run) override;

    // ---- Output of attempts: tables_output.cpp ----

    [[nodiscard]] std::optional<store::RunOutput> output_of(const Run& run) override;
    void put_output(const Run& run, const store::RunOutput& output) override;
    [[nodiscard]] std::optional<store::AttemptRow> find_attempt(
        const Run& run, const store::AttemptKey& key) override;
    void put_attempt(const Run& run,
                     const store::AttemptKey& key,
                     const store::AttemptRow& row) override;
    void erase_attempt(const Run& run,
                       const store::AttemptKey& key,
                       const store::AttemptRow& row) override;
    [[nodiscard]] std::vector<store::AttemptKey> attempts_with_output(
        const Run& run, ExecutionNo execution, std::optional<CommandNo> first) override;
    [[nodiscard]] std::optional<store::AttemptKey> oldest_attempt(const Run& run,
                                                                  std::uint64_t except) override;
    void insert_chunk(const Run& run,
                      const store::AttemptKey& key,
                      const store::AttemptRow& attempt,
                      std::uint64_t number,
                      const OutputChunk& chunk) override;
    [[nodiscard]] std::optional<store::ChunkSize> chunk_from(const Run& run,
                                                             const store::AttemptRow& attempt,
                                                             std::uint64_t number) override;
    void erase_chunk(const Run& run,
                     const store::AttemptRow& attempt,
                     std::uint64_t number) override;

    // ---- Limits of queues, and sessions: tables_admission.cpp, tables_sessions.cpp ----

    [[nodiscard]] const QueueLimits* limits_of(const std::string& queue) override;
    [[nodiscard]] bool has_limits() override { return !limits().empty(); }
    void put_limits(const SetQueueLimits& part) override;
    void each_running(const std::string& queue,
                      const std::function<void(const std::string&, Timestamp)>& visit) override;
    [[nodiscard]] std::optional<store::BegunAttempts> begun_after(const std::string& queue,
                                                                  const std::string* key,
                                                                  Timestamp after,
                                                                  std::uint32_t most) override;
    void put_use(LeaseToken token, const store::QueueUse& use) override;
    void renew_use(const Activity& activity) override;
    bool set_use_until(LeaseToken token, Timestamp until) override;
    bool erase_use(LeaseToken token) override;
    void end_uses(std::uint64_t holder) override;
    /// Does its work once for each group.
    void erase_uses_past(const std::string& queue, Timestamp begun) override;
    void erase_uses(const std::string& queue) override;
    void fill_uses(const std::string& queue) override;

    [[nodiscard]] bool has_pauses() override { return !pauses().empty(); }
    [[nodiscard]] bool is_paused(PauseKind kind, const std::string& name) override {
        return pauses().contains({kind, name});
    }
    void put_pause(const SetPause& part) override;

    [[nodiscard]] std::optional<store::Session> find_session(const store::SessionKey& key) override;
    void put_session(const store::SessionKey& key, const store::Session& session) override;
    void set_session_until(const store::SessionKey& key, Timestamp until) override;
    void erase_session(const store::SessionKey& key) override;
    [[nodiscard]] store::OwnedSessions owned_sessions(std::uint64_t holder) override;
    [[nodiscard]] std::vector<std::pair<store::SessionKey, Timestamp>> sessions_of(
        std::uint64_t holder) override;
    [[nodiscard]] std::vector<store::SessionKey> sessions_past(std::uint32_t max) override;
    [[nodiscard]] std::optional<store::SessionKey> session_used_by(LeaseToken token) override;
    void put_session_use(LeaseToken token, const store::SessionKey& key, Timestamp until) override;
    void erase_session_use(LeaseToken token) override;
    void erase_session_uses(const store::SessionKey& key, Timestamp until) override;
    [[nodiscard]] Timestamp session_busy_until(const store::SessionKey& key,
                                               std::uint64_t holder) override;

    void forget_holder(std::uint64_t holder) override;

    // ---- Keys, requests, what is left of deleted runs: tables_keys.cpp; retention.cpp ----

    [[nodiscard]] std::optional<KeyRow> find_key(const KeyId& id) override;
    void put_key(const KeyId& id, const KeyRow& row) override;
    void erase_key(const KeyId& id) override;
    [[nodiscard]] std::vector<KeyId> keys_past(std::uint32_t max) override;
    [[nodiscard]] std::optional<Request> find_request(const RequestKey& key) override;
    void put_request(const RequestKey& key, const Request& request, Timestamp until) override;
    std::uint64_t erase_requests_past(std::uint32_t max) override;
    [[nodiscard]] std::optional<DeletedRun> find_deleted_run(RunRef run) override;
    void put_deleted_run(const DeletedRun& gone, Timestamp until) override;
    std::uint64_t erase_deleted_runs_past(std::uint32_t max) override;
    void put_retention(const SetRetention& part) override;

    // ---- Documents: tables_documents.cpp ----

    [[nodiscard]] bool has_document(const store::DocumentKey& key) override;
    [[nodiscard]] std::uint64_t last_document(const std::string& space,
                                              const std::string& name) override;
    void insert_document(const std::string& space,
                         const DocumentHead& head,
                         const Payload& text) override;
    void erase_document(const store::DocumentKey& key) override;
    [[nodiscard]] bool is_document_used(const store::DocumentKey& key) override;

    [[noreturn]] void damaged(const std::string& what) const override { sqlite::damaged(what); }
    [[nodiscard]] bool is_unreadable(const std::exception& failure) const noexcept override;

protected:
    [[nodiscard]] Run* load_run(RunKey key) override;
    [[nodiscard]] Run& add_run(const NewInstance& instance) override;
    void write_run(Run& run) override;
    std::uint64_t erase_run(Run& run) override;
    void forget_transition() override { activities_.clear(); }

private:
    [[nodiscard]] std::unique_ptr<StoredRun> read_run_row(RunKey key);
    void insert_run(const Run& run);
    /// Returns the row of a document.
    [[nodiscard]] std::optional<std::int64_t> id_of(const store::DocumentKey& key);
    void update_run(const StoredRun& run);
    /// Maintains the blocks for lists.
    void leave_blocks(const Run& run);
    void enter_new(const Run& run);
    void enter_end(const Run& run);
    void change_version(const Run& run, const std::string& before, const std::string& after);
    /// Reads all activities of one execution from `first` to `last`, so that they can be found.
    void read_activities(const ActivityRef& first, CommandNo last);
    [[nodiscard]] const LimitsByQueue& limits();
    [[nodiscard]] const PausedNames& pauses();
    /// Writes a run that is not in the file yet.
    void written(Run& run);
    /// Returns the latest end of the leases of a holder. Returns the end of time for one that is
    /// not registered.
    [[nodiscard]] Timestamp leases_end(std::uint64_t holder);
    /// Deletes the rows of a run from a table in which most runs have none. Returns their number.
    /// `around` finds the nearest runs that have rows.
    std::uint64_t delete_rare(RunKey run,
                              EmptyStretch& stretch,
                              Statement<NoColumns> statement,
                              Statement<columns::large_around> around);
    /// Removes all output of a run.
    void erase_output(RunKey run);
    void put_large(const LargePlace& place, const std::string& bytes);
    /// True if a key is beyond the highest of a table, which is read once.
    [[nodiscard]] bool beyond_last(RunKey key,
                                   std::optional<std::int64_t>& last,
                                   Statement<columns::run_last> statement);
    /// Binds bytes that may be long, and remembers those that are in `large`.
    [[nodiscard]] std::optional<Blob> bind_long(const Run& run,
                                                LargePart part,
                                                const std::string& bytes);

    Connection& connection_;
    Sequence& sequence_;
    QueueLimitsCache& queue_limits_;
    KnownRuns& known_runs_;
    Blocks blocks_;
    RunsByKey runs_;  ///< Null: there is no such run.
    std::optional<std::int64_t> last_run_;
    std::optional<std::int64_t> last_gone_;
    std::map<std::string, bool> former_roots_;  ///< Namespaces that were looked up.
    EmptyStretch no_large_;
    EmptyStretch no_key_values_;
    EmptyStretch no_dead_letters_;
    EmptyStretch no_output_;
    std::map<ActivityRef, std::optional<Activity>> activities_;  ///< The activities of one
                                                                 ///< transition.
    bool promoted_ = false;
    std::map<std::string, bool> empty_queues_;
    std::optional<bool> has_session_uses_;  ///< True if anybody has some. Set once it was asked.
    std::set<std::string> uses_cleaned_;    ///< Queues whose expired uses are removed.
    std::shared_ptr<const PausedNames> pauses_;    ///< Null: not asked yet.
    std::shared_ptr<const LimitsByQueue> limits_;  ///< The limits of all queues. Null: not asked
                                                   ///< yet.
};

}  // namespace belay::sqlite
