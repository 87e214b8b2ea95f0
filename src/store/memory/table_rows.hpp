// The tables as the rules see them.
#pragma once

#include "store/memory/tables.hpp"
#include "store/rules/rows.hpp"

namespace belay::memory {

/// Finds, writes and lists rows. Lives for one commit or claim. A test derives from it.
class TableRows : public store::Rows {
public:
    TableRows(Tables& tables, Timestamp now) : Rows(now), tables_(tables) {}

    // ---- Runs: rows_runs.cpp ----

    [[nodiscard]] store::Holders holders_of(const InstanceName& name) override;
    [[nodiscard]] bool has_former_roots(const std::string& space) override;
    [[nodiscard]] const store::RunCode& code_of(store::Run& run) override;
    [[nodiscard]] Digest digest_of(const store::Run& run) override;
    [[nodiscard]] std::optional<KeyId> key_of(const store::Run& run) override;
    void describe(const store::Run& run, ClaimedInstance& item) override;
    [[nodiscard]] std::pair<Labels, std::string> labels_of(const store::Run& run) override;
    [[nodiscard]] Digest document_of(const store::Run& run) override;
    void set_next_input(store::Run& run, const Payload& input, const std::string& version) override;
    void set_former(store::Run& run) override;
    void set_version(store::Run& run, const std::string& version) override;
    void set_custom_status(store::Run& run, const Payload& status) override;
    void set_hold_reason(store::Run& run, const std::optional<store::HoldReason>& reason) override;
    void insert_history(const store::Run& run, const HistoryRow& history) override;
    void close_execution(const store::Run& run, Timestamp ended_at) override;
    void each_old_execution(const store::Run& run,
                            std::uint32_t keep,
                            const std::optional<Timestamp>& ended_before,
                            const store::Visit<store::OldExecution>& visit) override;
    void erase_execution(const store::Run& run, ExecutionNo execution) override;
    void change_key_value(const store::Run& run, const KeyValueChange& change) override;

    [[nodiscard]] std::vector<RunKey> children_of(const store::Run& run) override;
    [[nodiscard]] std::vector<RunKey> dependent_children_of(const store::Run& run) override;
    [[nodiscard]] bool has_dependent_children(const store::Run& run) override;
    [[nodiscard]] std::vector<RunKey> unsettled_dependents_of(const store::Run& run) override;
    [[nodiscard]] std::vector<RunKey> open_children_of(const store::Run& run,
                                                       CommandNo command) override;
    [[nodiscard]] std::vector<RunKey> waiting_for(RunKey run) override;
    [[nodiscard]] std::vector<RunKey> past_deadline(std::uint32_t max) override;
    [[nodiscard]] std::vector<RunKey> locked_by(std::uint64_t holder, std::uint32_t max) override;
    void each_ready(const std::vector<Shard>& shards,
                    const store::Visit<store::ReadyRun>& visit) override;
    void add_put_off(store::Run& run) override;
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

    // ---- Messages and timers: rows_inbox.cpp ----

    void insert_message(store::Run& run,
                        MessageNo number,
                        Timestamp sent_at,
                        const NewMessage& message) override;
    void insert_timed(store::Run& run,
                      MessageNo number,
                      Timestamp due_at,
                      const NewMessage& message,
                      std::optional<CommandNo> timer) override;
    store::TakenOut erase_waiting(store::Run& run, MessageNo number) override;
    void erase_timers(store::Run& run) override;
    std::uint64_t erase_inbox(store::Run& run) override;
    [[nodiscard]] std::optional<Timestamp> inbox_ready_from(const store::Run& run) override;
    [[nodiscard]] std::optional<MessageNo> find_timer(const store::Run& run,
                                                      ExecutionNo execution,
                                                      CommandNo command) override;
    [[nodiscard]] std::vector<Message> ready_messages(const store::Run& run,
                                                      std::optional<std::uint32_t> most) override;
    [[nodiscard]] std::uint64_t count_messages(const store::Run& run) override;
    void insert_letter(RunRef run, const NewMessage& message, const std::string& reason) override;
    [[nodiscard]] std::optional<store::Letter> find_letter(std::uint64_t id) override;
    void erase_letter(std::uint64_t id) override;
    std::uint64_t erase_letters_to(const store::Run& run) override;

    // ---- Activities: rows_activities.cpp ----

    [[nodiscard]] const store::Activity* find_activity(const ActivityRef& activity) override;
    void insert_activity(const store::Activity& activity,
                         const NewActivity& about,
                         const std::string& lane) override;
    void write_activity(const store::Activity& activity) override;
    void erase_activity(const store::Activity& activity) override;
    void forget_start_time(const ActivityRef& activity) override;
    [[nodiscard]] std::string name_of(const ActivityRef& activity) override;
    void put_progress(const ActivityRef& activity, const Payload& progress) override;
    [[nodiscard]] std::vector<ActivityRef> activities_of(const store::Run& run) override;
    [[nodiscard]] std::vector<ActivityRef> leased_by(std::uint64_t holder,
                                                     std::uint32_t max) override;
    void read_claimable(const ActivityRef& ref,
                        store::Activity& activity,
                        ClaimedActivity& item) override;

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
        const store::Run& run) override;

    // ---- Output of attempts: rows_output.cpp ----

    [[nodiscard]] std::optional<store::RunOutput> output_of(const store::Run& run) override;
    void put_output(const store::Run& run, const store::RunOutput& output) override;
    [[nodiscard]] std::optional<store::AttemptRow> find_attempt(
        const store::Run& run, const store::AttemptKey& key) override;
    void put_attempt(const store::Run& run,
                     const store::AttemptKey& key,
                     const store::AttemptRow& row) override;
    void erase_attempt(const store::Run& run,
                       const store::AttemptKey& key,
                       const store::AttemptRow& row) override;
    [[nodiscard]] std::vector<store::AttemptKey> attempts_with_output(
        const store::Run& run, ExecutionNo execution, std::optional<CommandNo> first) override;
    [[nodiscard]] std::optional<store::AttemptKey> oldest_attempt(const store::Run& run,
                                                                  std::uint64_t except) override;
    void insert_chunk(const store::Run& run,
                      const store::AttemptKey& key,
                      const store::AttemptRow& attempt,
                      std::uint64_t number,
                      const OutputChunk& chunk) override;
    [[nodiscard]] std::optional<store::ChunkSize> chunk_from(const store::Run& run,
                                                             const store::AttemptRow& attempt,
                                                             std::uint64_t number) override;
    void erase_chunk(const store::Run& run,
                     const store::AttemptRow& attempt,
                     std::uint64_t number) override;

    // ---- Limits of queues, and sessions: rows_admission.cpp ----

    [[nodiscard]] const QueueLimits* limits_of(const std::string& queue) override;
    [[nodiscard]] bool has_limits() override { return !tables_.limits.empty(); }
    void put_limits(const SetQueueLimits& part) override;
    void each_running(const std::string& queue,
                      const std::function<void(const std::string&, Timestamp)>& visit) override;
    [[nodiscard]] std::optional<store::BegunAttempts> begun_after(const std::string& queue,
                                                                  const std::string* key,
                                                                  Timestamp after,
                                                                  std::uint32_t most) override;
    void put_use(LeaseToken token, const store::QueueUse& use) override;
    void renew_use(const store::Activity& activity) override;
    bool set_use_until(LeaseToken token, Timestamp until) override;
    bool erase_use(LeaseToken token) override;
    void end_uses(std::uint64_t holder) override;
    void erase_uses_past(const std::string& queue, Timestamp begun) override;
    void erase_uses(const std::string& queue) override;
    void fill_uses(const std::string& queue) override;

    [[nodiscard]] bool has_pauses() override { return !tables_.pauses.empty(); }
    [[nodiscard]] bool is_paused(PauseKind kind, const std::string& name) override {
        return tables_.pauses.contains({kind, name});
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

    // ---- Keys, requests, what is left of deleted runs, retention: rows_keys.cpp ----

    [[nodiscard]] std::optional<KeyRow> find_key(const KeyId& id) override;
    void put_key(const KeyId& id, const KeyRow& row) override;
    void erase_key(const KeyId& id) override;
    [[nodiscard]] std::vector<KeyId> keys_past(std::uint32_t max) override;
    [[nodiscard]] std::optional<store::Request> find_request(const RequestKey& key) override;
    void put_request(const RequestKey& key,
                     const store::Request& request,
                     Timestamp until) override;
    std::uint64_t erase_requests_past(std::uint32_t max) override;
    [[nodiscard]] std::optional<store::DeletedRun> find_deleted_run(RunRef run) override;
    void put_deleted_run(const store::DeletedRun& gone, Timestamp until) override;
    std::uint64_t erase_deleted_runs_past(std::uint32_t max) override;
    void put_retention(const SetRetention& part) override;

    // ---- Documents: rows_documents.cpp ----

    [[nodiscard]] bool has_document(const store::DocumentKey& key) override;
    [[nodiscard]] std::uint64_t last_document(const std::string& space,
                                              const std::string& name) override;
    void insert_document(const std::string& space,
                         const DocumentHead& head,
                         const Payload& text) override;
    void erase_document(const store::DocumentKey& key) override;
    [[nodiscard]] bool is_document_used(const store::DocumentKey& key) override;

    [[noreturn]] void damaged(const std::string& what) const override;
    [[nodiscard]] bool is_unreadable(const std::exception&) const noexcept override {
        return false;
    }

protected:
    [[nodiscard]] store::Run* load_run(RunKey key) override;
    [[nodiscard]] store::Run& add_run(const NewInstance& instance) override;
    void write_run(store::Run& run) override;
    std::uint64_t erase_run(store::Run& run) override;

private:
    Tables& tables_;
};

/// The rows for code that only reads.
class Reader {
public:
    Reader(const Tables& tables, Timestamp now) : rows_(const_cast<Tables&>(tables), now) {}

    /// Nothing may be written through them.
    [[nodiscard]] store::Rows& rows() { return rows_; }

private:
    TableRows rows_;
};

}  // namespace belay::memory
