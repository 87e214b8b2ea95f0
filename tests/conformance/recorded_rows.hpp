// The memory store with a record of the rows that its commits look up.
#pragma once

#include "store/listeners.hpp"
#include "store/memory/table_rows.hpp"
#include <belay/detail/mutex.hpp>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <set>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace belay::conformance {

/// Looks rows up and records each one that a store behind a network has not loaded by then.
///
/// `prefetch` loads the rows that the batch names. Another row is loaded when it is asked for, and
/// must follow from a row that is there already, as the comment of store::NamedRows says. Lists
/// read what they list. A lookup of any other row is a fault of `rows_named_by`.
class RecordedRows final : public memory::TableRows {
public:
    RecordedRows(memory::Tables& tables, Timestamp now) : TableRows(tables, now) {}

    void prefetch(std::span<const Transition> batch) override;

    /// The number of times that rows were loaded one by one, after those that the batch names.
    [[nodiscard]] std::size_t later_loads() const noexcept { return later_loads_; }
    [[nodiscard]] std::size_t prefetches() const noexcept { return prefetches_; }
    /// Rows that were looked up, and follow from nothing.
    [[nodiscard]] const std::vector<std::string>& faults() const noexcept { return faults_; }

    [[nodiscard]] store::Holders holders_of(const InstanceName& name) override;
    [[nodiscard]] std::optional<store::KeyId> key_of(const store::Run& run) override;

    [[nodiscard]] std::vector<RunKey> children_of(const store::Run& run) override;
    [[nodiscard]] std::vector<RunKey> dependent_children_of(const store::Run& run) override;
    [[nodiscard]] std::vector<RunKey> unsettled_dependents_of(const store::Run& run) override;
    [[nodiscard]] std::vector<RunKey> open_children_of(const store::Run& run,
                                                       CommandNo command) override;
    [[nodiscard]] std::vector<RunKey> waiting_for(RunKey run) override;
    [[nodiscard]] std::vector<RunKey> past_deadline(std::uint32_t max) override;
    [[nodiscard]] std::vector<RunKey> locked_by(std::uint64_t holder, std::uint32_t max) override;
    [[nodiscard]] std::vector<store::ConcurrentRun> concurrent_runs(const store::ConcurrencyId& id,
                                                                    std::size_t waiting) override;

    store::TakenOut erase_waiting(store::Run& run, MessageNo number) override;
    [[nodiscard]] std::optional<MessageNo> find_timer(const store::Run& run,
                                                      ExecutionNo execution,
                                                      CommandNo command) override;
    [[nodiscard]] std::optional<store::Letter> find_letter(std::uint64_t id) override;

    [[nodiscard]] const store::Activity* find_activity(const ActivityRef& activity) override;
    [[nodiscard]] std::vector<ActivityRef> activities_of(const store::Run& run) override;
    [[nodiscard]] std::vector<ActivityRef> leased_by(std::uint64_t holder,
                                                     std::uint32_t max) override;
    [[nodiscard]] bool has_stopping(const store::StoppingKey& key) override;
    [[nodiscard]] std::vector<store::StoppingKey> stopping_past(std::uint32_t max) override;
    [[nodiscard]] std::vector<store::StoppingKey> stopping_by(std::uint64_t holder,
                                                              std::uint32_t max) override;
    [[nodiscard]] std::vector<std::pair<LeaseToken, Timestamp>> stopping_of(
        const store::Run& run) override;

    [[nodiscard]] const QueueLimits* limits_of(const std::string& queue) override;
    bool set_use_until(LeaseToken token, Timestamp until) override;
    bool erase_use(LeaseToken token) override;
    [[nodiscard]] std::optional<store::SessionKey> session_used_by(LeaseToken token) override;
    [[nodiscard]] std::optional<store::Session> find_session(const store::SessionKey& key) override;
    [[nodiscard]] store::OwnedSessions owned_sessions(std::uint64_t holder) override;
    [[nodiscard]] std::vector<std::pair<store::SessionKey, Timestamp>> sessions_of(
        std::uint64_t holder) override;

    [[nodiscard]] std::optional<store::RunOutput> output_of(const store::Run& run) override;
    [[nodiscard]] std::optional<store::AttemptRow> find_attempt(
        const store::Run& run, const store::AttemptKey& key) override;
    [[nodiscard]] std::vector<store::AttemptKey> attempts_with_output(
        const store::Run& run, ExecutionNo execution, std::optional<CommandNo> first) override;
    [[nodiscard]] std::optional<store::AttemptKey> oldest_attempt(const store::Run& run,
                                                                  std::uint64_t except) override;

    [[nodiscard]] std::optional<store::RatePlace> last_rate_place(const store::RateId& id) override;
    [[nodiscard]] std::optional<store::RatePlace> find_rate_place(const store::RateId& id,
                                                                  std::uint64_t number) override;

    [[nodiscard]] std::optional<store::KeyRow> find_key(const store::KeyId& id) override;
    [[nodiscard]] std::optional<store::Request> find_request(const store::RequestKey& key) override;
    [[nodiscard]] std::optional<store::DeletedRun> find_deleted_run(RunRef run) override;
    [[nodiscard]] bool has_document(const store::DocumentKey& key) override;
    [[nodiscard]] Digest document_of(const store::Run& run) override;
    [[nodiscard]] bool is_document_used(const store::DocumentKey& key) override;

protected:
    [[nodiscard]] store::Run* load_run(RunKey key) override;
    [[nodiscard]] store::Run& add_run(const NewInstance& instance) override;

private:
    using Timer = std::pair<RunRef, std::pair<ExecutionNo, CommandNo>>;

    /// Keys of one kind.
    template <class Key>
    struct Known {
        std::set<Key> loaded;     ///< By the prefetch, by a list or by an earlier lookup.
        std::set<Key> reachable;  ///< Follow from a loaded row.
    };

    template <class Key>
    void look_up(Known<Key>& known, const Key& key, const char* kind);
    /// A list has read these runs.
    std::vector<RunKey> listed(std::vector<RunKey> runs);
    std::vector<ActivityRef> listed(std::vector<ActivityRef> activities);
    std::vector<store::StoppingKey> listed(std::vector<store::StoppingKey> stopping);
    void reach(const store::Run& run);
    void reach(const store::Activity& activity);

    Known<RunKey> runs_;
    Known<InstanceName> names_;
    Known<ActivityRef> activities_;
    Known<store::StoppingKey> stopping_;
    Known<std::pair<RunRef, MessageNo>> messages_;
    Known<Timer> timers_;
    Known<store::KeyId> keys_;
    Known<store::RequestKey> requests_;
    Known<std::uint64_t> letters_;
    Known<store::RateId> rates_;
    Known<std::string> queues_;
    Known<std::uint64_t> holders_;
    Known<LeaseToken> tokens_;
    Known<store::SessionKey> sessions_;
    Known<RunRef> gone_;
    Known<store::DocumentKey> documents_;
    Known<RunRef> output_;
    Known<std::pair<RunRef, store::AttemptKey>> attempts_;
    /// The sessions of activities that turns hand over. Their namespace is that of the run.
    std::multimap<RunKey, std::string> wanted_sessions_;
    std::size_t prefetches_ = 0;
    std::size_t later_loads_ = 0;
    std::vector<std::string> faults_;
};

/// A store in memory that reports what its commits looked up. Claims are as in the memory store.
class RecordedStore final : public Store {
public:
    /// Called after each batch, with its rows.
    using Report = std::function<void(const RecordedRows&)>;

    RecordedStore(Clock& clock, StoreOptions options, Report report)
        : clock_(clock), options_(options), report_(std::move(report)) {}

    [[nodiscard]] Timestamp now() override { return clock_.wall(); }
    void commit(std::vector<Transition> batch, Done<std::vector<Answer>> done) override;
    void claim(ClaimInstances request, Done<ClaimInstances::Answer> done) override;
    void claim(ClaimActivities request, Done<ClaimActivities::Answer> done) override;
    void read_any(Read request, Done<ReadAnswer> done) override;
    [[nodiscard]] StoreTraits traits() const override { return {.calls_block = false}; }
    void subscribe(StoreListener& listener) override { listeners_.add(listener); }
    void unsubscribe(StoreListener& listener) override { listeners_.remove(listener); }

private:
    template <class Request>
    void claim_now(const Request& request, const Done<typename Request::Answer>& done);

    Clock& clock_;
    const StoreOptions options_;
    const Report report_;
    detail::Mutex mutex_;
    memory::Tables tables_ BELAY_GUARDED_BY(mutex_);
    store::Listeners listeners_;
};

}  // namespace belay::conformance
