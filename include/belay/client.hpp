// Starting, stopping and looking at runs.
#pragma once

#include <belay/activity.hpp>
#include <belay/client_options.hpp>
#include <belay/codec.hpp>
#include <belay/detail/signature.hpp>
#include <belay/detail/try_codec.hpp>
#include <belay/ended.hpp>
#include <belay/finding.hpp>
#include <belay/limits.hpp>
#include <belay/management.hpp>
#include <belay/random.hpp>
#include <belay/retention.hpp>
#include <belay/service.hpp>
#include <belay/store/store.hpp>
#include <belay/transfer.hpp>

#include <concepts>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace belay {

namespace client {
class Waits;
}  // namespace client

/// The typed face of a Service: makes requests of arguments, and values of answers. Talks to a
/// store, which must outlive it, as must the clock and the random numbers. Cheap; safe to use from
/// any thread.
///
/// Operations block until the store has answered. Many also come with a callback as their last
/// parameter: that form returns at once, and the callback is a Done of the store contract: called
/// once, on any thread, perhaps before the call returns, and must not throw; that of a wait is
/// called by `step`.
///
/// Beside the errors that each operation names there are those of the store: `busy` and
/// `unavailable` (nothing was written, and trying again may help), `corrupt`, `unsupported`,
/// `unreadable`, and `outcome_unknown`: a commit whose outcome is unknown is sent again a few times
/// under the same commit id, and if it stays unknown, this is said.
///
/// A request may carry an id of the caller's choice, unique in its namespace. Asked again under it,
/// for as long as the store keeps it, it is not done again and is answered as the first time. With
/// the id of a request that asked for something else it is refused with `request_id_reused`.
class Client {
public:
    /// Of the policy it uses what its own requests need, whatever the workers have:
    /// `cancel_deadline` for what it cancels or replaces; `grace`: how long after its lease an
    /// activity that it stops is still listed as stopping (how long the handler really has, the
    /// policy of its worker says); `poll_interval` and `retry_delay` for waits; `bulk_limit`,
    /// `bulk_batch`, `bulk_rows` and `prune_batch` for what it deletes. One out of range: throws
    /// std::invalid_argument that names the setting.
    explicit Client(Store& store,
                    Clock& clock = system_clock(),
                    Random& random = system_random(),
                    const Limits& limits = Limits(),
                    const Policy& policy = Policy());
    /// Asks this service, which must outlive it, instead of a store. It uses
    /// `poll_interval` and `retry_delay` of the policy: all else is for the service to decide.
    explicit Client(Service& service,
                    Clock& clock = system_clock(),
                    const Policy& policy = Policy());
    /// Requests with a callback go on. Waits with a callback are dropped, and waits
    /// that block return `unavailable`; the destructor returns when they have.
    ~Client();
    Client(Client&&) noexcept;

    /// Whom it asks. Every operation below is one of its requests, or a few.
    [[nodiscard]] Service& service() noexcept { return *service_; }

    /// Starts a run. An existing one under the same key is not an error, nor one under the same id
    /// with IdConflict::use_existing; with IdConflict::fail it is `id_in_use`. That no worker has
    /// the definition is no error either: the run waits for one. `invalid_argument` for a name that
    /// is none (see check_name), for an argument that its Codec throws at, and for an input that
    /// has Payload::flags; `limit_exceeded` for an input, a label or a header that is too large.
    template <class R, class... Params, class... Args>
    [[nodiscard]] Result<StartResult> start(const Definition<R(Params...)>& definition,
                                            const StartOptions& options,
                                            const Args&... args) {
        detail::Arguments<Params...>::template check<const Args&...>();
        Result<Payload> input = detail::try_codec("the input", [&] {
            return detail::encode_arguments<Params...>(detail::as_parameter<Params>(args)...);
        });
        if (!input) return input.error();
        return start(std::string(definition.name()), std::move(*input), options);
    }
    /// The same without types, for an input that is encoded already.
    [[nodiscard]] Result<StartResult> start(std::string definition,
                                            Payload input,
                                            const StartOptions& options);
    void start(std::string definition,
               Payload input,
               const StartOptions& options,
               Done<StartResult> done);

    /// Asks a run to end, and returns when that is recorded, which is before it has ended: see
    /// `wait`. Its activities that wait are gone, those that run are asked to stop, and its code
    /// gets Canceled where it awaits; what is shielded goes on, and compensations run, for as long
    /// as CancelOptions::deadline says, or Policy::cancel_deadline of this client, unless a shield
    /// asked for more. One that has not begun, that is held, or whose code has been missing for as
    /// long as that deadline ends at once, without running code.
    ///
    /// Unknown: `not_found`. No error: it was canceled before, or had ended; the first record stays
    /// (`changed` is false).
    [[nodiscard]] Result<CancelResult> cancel(const InstanceName& name,
                                              const CancelOptions& options = CancelOptions());
    void cancel(const InstanceName& name, const CancelOptions& options, Done<CancelResult> done);

    /// Asks many to end, as `cancel` does each: by a filter, by tree or by idempotency key. Each is
    /// a transition of its own, for exactly the run that was chosen; some of them share a commit.
    /// Runs that start after the call began are left alone.
    /// Options without a request id: a repeat changes nothing that was canceled before, and goes on
    /// with what the limit left. After an error what was canceled stays so. `not_found`: there is
    /// no such tree or key.
    ///
    ///     client.cancel_bulk(InstanceFilter().definition("Import").label("city", "Ulm"),
    ///                        CancelOptions().reason("wrong file"));
    [[nodiscard]] Result<CancelManyResult> cancel_bulk(
        const CancelTargets& targets, const CancelOptions& options = CancelOptions());
    void cancel_bulk(const CancelTargets& targets,
                     const CancelOptions& options,
                     Done<CancelManyResult> done);
    /// Says what that would do now, limit included. Nothing is written. The runs that it names can
    /// be canceled later, and no others: CancelTargets::runs.
    [[nodiscard]] Result<CancelManyResult> preview_cancel_bulk(const CancelTargets& targets);

    /// Ends a run at once, as canceled: none of its code runs any more, also what is under a shield
    /// or would be rolled back. For runs that a cancel cannot end. Its open children are canceled,
    /// with their cleanup, but for those with ParentClose::abandon; its activities that wait are
    /// gone, and those that run are asked to stop. Its messages are deleted, and its parent is
    /// told.
    ///
    /// Unknown: `not_found`. No error: it had ended before, and stays as it is (`changed` is
    /// false); or it is being canceled: then it ends now, and the first cancel stays on record.
    [[nodiscard]] Result<CancelResult> terminate(const InstanceName& name,
                                                 const CancelOptions& options = CancelOptions());
    void terminate(const InstanceName& name, const CancelOptions& options, Done<CancelResult> done);

    /// Raises an event, for OrchestrationContext::wait. One that nobody waits for yet is kept until
    /// somebody does, or the run ends. `not_found`; `already_ended`; `limit_exceeded` when as many
    /// messages wait as the run has room for, or this one is too large; `invalid_argument` for a
    /// value that its Codec throws at, or that has Payload::flags.
    ///
    ///     client.raise(name, "decision", Decision{"ann", true});   // wait<Decision>("decision")
    ///     client.raise(name, "note", "no hurry");                  // wait<std::string>("note")
    template <class T>
        requires(!std::same_as<T, Payload>)
    [[nodiscard]] Result<void> raise(const InstanceName& name,
                                     std::string event,
                                     const T& value,
                                     std::string request_id = {}) {
        Result<Payload> payload = encoded("the value of the event", value);
        if (!payload) return payload.error();
        return raise(name, std::move(event), std::move(*payload), std::move(request_id));
    }
    /// The same for a value that is encoded already; the empty Payload is that of a `wait<void>`.
    [[nodiscard]] Result<void> raise(const InstanceName& name,
                                     std::string event,
                                     Payload payload,
                                     std::string request_id = {});
    void raise(const InstanceName& name,
               std::string event,
               Payload payload,
               std::string request_id,
               Done<InstanceBrief> done);
    /// Puts a message into a queue of the run, for OrchestrationContext::receive: first in, first
    /// out. Kept until it is received, also when the run continues as new, or until the run ends.
    /// Errors as with `raise`.
    template <class T>
        requires(!std::same_as<T, Payload>)
    [[nodiscard]] Result<void> enqueue(const InstanceName& name,
                                       std::string queue,
                                       const T& value,
                                       std::string request_id = {}) {
        Result<Payload> payload = encoded("the message", value);
        if (!payload) return payload.error();
        return enqueue(name, std::move(queue), std::move(*payload), std::move(request_id));
    }
    /// The same for a value that is encoded already.
    [[nodiscard]] Result<void> enqueue(const InstanceName& name,
                                       std::string queue,
                                       Payload payload,
                                       std::string request_id = {});
    void enqueue(const InstanceName& name,
                 std::string queue,
                 Payload payload,
                 std::string request_id,
                 Done<InstanceBrief> done);

    /// Deletes an instance with its whole tree and everything that belongs to it, in one commit;
    /// activities that run are stopped. `not_found`; `has_parent` of a child, forced or not: it
    /// goes with its root; `still_running`, unless forced, when it or anything below it has not
    /// ended.
    [[nodiscard]] Result<DeleteInstanceResult> delete_instance(const InstanceName& name,
                                                               bool force = false,
                                                               const std::string& request_id = {});
    void delete_instance(const InstanceName& name,
                         bool force,
                         const std::string& request_id,
                         Done<DeleteInstanceResult> done);
    /// Deletes exactly these, children before their parents, or none of them: whoever has looked at
    /// a tree and means that tree. `has_children` when it has grown since, `has_parent` when a root
    /// is missing; for the rest see DeleteInstances in the store contract.
    [[nodiscard]] Result<DeleteInstanceResult> delete_instances_atomic(
        const std::string& space,
        const std::vector<std::string>& ids,
        bool force = false,
        const std::string& request_id = {});
    void delete_instances_atomic(const std::string& space,
                                 const std::vector<std::string>& ids,
                                 bool force,
                                 const std::string& request_id,
                                 Done<DeleteInstanceResult> done);
    /// Deletes instances that match and have ended, with all below them, the longest ended first.
    /// Each goes in one commit; together they do not. Passed over, and no error: what is running,
    /// what has something running below it, children, what is not there. After an error what was
    /// deleted is gone, and the same call goes on with the rest.
    [[nodiscard]] Result<DeleteInstanceResult> delete_instance_bulk(const InstanceFilter& filter);
    void delete_instance_bulk(const InstanceFilter& filter, Done<DeleteInstanceResult> done);
    /// What that would delete now, limit included. Nothing is written; what changes in between
    /// changes what will go.
    [[nodiscard]] Result<DeletionPreview> preview_delete_bulk(const InstanceFilter& filter);

    /// Deletes old executions of a continue-as-new chain; the current one stays, and the instance
    /// with it, which may be running. Finding nothing old is no error. `not_found`.
    [[nodiscard]] Result<PruneResult> prune_executions(const InstanceName& name,
                                                       const PruneOptions& options);
    void prune_executions(const InstanceName& name,
                          const PruneOptions& options,
                          Done<PruneResult> done);
    /// The same for instances that match and have old executions, children included. Those that
    /// have not ended are passed over unless the options include them.
    [[nodiscard]] Result<PruneResult> prune_executions_bulk(const InstanceFilter& filter,
                                                            const PruneOptions& options);
    void prune_executions_bulk(const InstanceFilter& filter,
                               const PruneOptions& options,
                               Done<PruneResult> done);
    /// What that would prune now, limit included. Nothing is written.
    [[nodiscard]] Result<PrunePreview> preview_prune_bulk(const InstanceFilter& filter,
                                                          const PruneOptions& options);

    /// From now on, and for what ended before: which instances and executions of a namespace are
    /// kept. All workers on the store follow it, in their own time (Policy::retention_interval), in
    /// the place of the policy they have in code. An empty policy keeps everything.
    /// `invalid_argument`, `limit_exceeded`: see check_retention.
    [[nodiscard]] Result<void> set_retention(const std::string& space,
                                             const RetentionPolicy& policy,
                                             const std::string& by = {},
                                             const std::string& request_id = {});
    /// Forgets what was set: workers go back to the policy they have in code, if any. That nothing
    /// was set is no error.
    [[nodiscard]] Result<void> clear_retention(const std::string& space,
                                               const std::string& by = {},
                                               const std::string& request_id = {});
    /// What was set for a namespace; none: nothing was.
    [[nodiscard]] Result<std::optional<StoredRetention>> retention(const std::string& space);

    /// Limits how much of a queue of activities runs at once and begins within a time, over all
    /// workers on the store, from now on and until something else is set. The empty name is the
    /// default queue. What runs already is not stopped. QueueDepths::limits shows what is set.
    /// `invalid_argument`, `limit_exceeded`: see check_queue_limits, check_name.
    [[nodiscard]] Result<void> set_queue_limits(const std::string& queue,
                                                const QueueLimits& limits,
                                                const std::string& by = "",
                                                const std::string& request_id = "");
    /// Takes the limits of a queue away; no error if it has none.
    [[nodiscard]] Result<void> clear_queue_limits(const std::string& queue,
                                                  const std::string& by = "",
                                                  const std::string& request_id = "");
    /// Deletes and prunes what is past its time, now or when the request says, at most as much as
    /// its limit says, in small commits beside other work. Passed over, and no error: what has
    /// something running below it. After an error what was removed is gone, and the same call goes
    /// on with the rest.
    [[nodiscard]] Result<RetentionResult> apply_retention(const RetentionRequest& request);
    void apply_retention(const RetentionRequest& request, Done<RetentionResult> done);
    /// What that would remove, all of it. Writes nothing.
    [[nodiscard]] Result<RetentionPreview> preview_retention(const RetentionRequest& request);
    void preview_retention(const RetentionRequest& request, Done<RetentionPreview> done);

    /// An instance and all below it, as of one moment. `not_found`.
    [[nodiscard]] Result<InstanceTree> get_instance_tree(const InstanceName& name);
    /// The ids of direct children, in the order they were started; none of an unknown instance.
    [[nodiscard]] Result<std::vector<std::string>> list_children(const InstanceName& name);
    /// None of a root. `not_found`.
    [[nodiscard]] Result<std::optional<std::string>> get_parent_id(const InstanceName& name);

    /// A page of instances. `invalid_argument` for a cursor of another query, a page size out of
    /// range, a status that no instance can have.
    [[nodiscard]] Result<InstancePage> list(const ListOptions& options);
    /// How many instances of a namespace there are, by definition and status.
    [[nodiscard]] Result<std::vector<InstanceCount>> count(const std::string& space = "default");
    /// The same of those that match; order, page size and cursor do not count. Looks at all that
    /// match.
    [[nodiscard]] Result<std::vector<InstanceCount>> count(const ListOptions& options);
    /// A page of idempotency keys, with the runs they belong to. `invalid_argument` as `list`.
    [[nodiscard]] Result<KeyPage> keys(const KeyOptions& options = KeyOptions());
    /// Everything about an instance, and what it is waiting for now. `not_found`.
    [[nodiscard]] Result<InstanceDescription> describe(const InstanceName& name);
    /// What one execution did, event by event; 0: the current one. `not_found`, also of an
    /// execution that was pruned.
    [[nodiscard]] Result<Timeline> timeline(const InstanceName& name, ExecutionNo execution = 0);

    /// An instance with the whole history that is left of it, as a JSON document that stands for
    /// itself: for people to read, and for `import_instance`. The same instance gives the same
    /// text, however often. Its children are named and not contained. `not_found`; `busy` when it
    /// changes faster than it can be read; `corrupt` and `unsupported` when its history cannot be.
    [[nodiscard]] Result<std::string> export_instance(const InstanceName& name,
                                                      ExportLayout layout = ExportLayout::indented);
    /// Puts an exported instance that has ended into this store, in one commit: as it was, with its
    /// history and its times, under a run key of its own. It is a root, whatever it was, without
    /// its children and without its idempotency key. Retention counts from when it ended.
    /// `still_running` for one that had not ended when it was exported: such a document is for
    /// reading. `id_in_use`. `invalid_argument`, `limit_exceeded` and `unsupported` name the place
    /// in the document.
    [[nodiscard]] Result<InstanceBrief> import_instance(
        std::string_view document, const ImportOptions& options = ImportOptions());

    /// What waits, and since when, in all namespaces.
    [[nodiscard]] Result<QueueDepths> queue_depths();
    /// Who holds which activities and turns, in all namespaces; at most `max` of each, those that
    /// end first. `max`: at most 10,000.
    [[nodiscard]] Result<ListLeases::Answer> leases(std::uint32_t max = 1000);

    /// Lets a held run go on. `not_found`; `not_held`.
    [[nodiscard]] Result<void> release(const InstanceName& name,
                                       const std::string& request_id = {});
    /// Ends a held run as failed, without running its code: its parent is told, its children are
    /// canceled. The failure says who did it and why. What was wrong is not in it, because that may
    /// quote payloads and failures are not encrypted: read InstanceInfo::held_detail before.
    /// `not_found`; `not_held`.
    [[nodiscard]] Result<void> fail_held(const InstanceName& name,
                                         const std::string& by,
                                         const std::string& reason,
                                         const std::string& request_id = {});
    /// Makes an idempotency key free. `not_found`.
    [[nodiscard]] Result<void> free_key(std::string space,
                                        std::string owner,
                                        std::string definition,
                                        std::string key,
                                        std::string request_id = {});

    /// Everything known of an instance; `not_found`.
    [[nodiscard]] Result<InstanceInfo> inspect(const InstanceName& name);
    /// How a run ended; `still_running` before that. With its definition, the result has a type;
    /// `invalid_argument` if it is a run of another one.
    [[nodiscard]] Result<Outcome> outcome(const InstanceName& name);
    template <class R, class... Params>
    [[nodiscard]] Result<Ended<R>> outcome(const Definition<R(Params...)>& definition,
                                           const InstanceName& name) {
        return as_ended<R>(outcome_as(definition.name(), name));
    }

    /// The key-values of a run, as of its last turn; they stay when it has ended. `not_found`.
    [[nodiscard]] Result<std::map<std::string, Payload>> values(const InstanceName& name);
    /// One of them; none if it is not set. `not_found`; `invalid_argument` if it is no T, or its
    /// Codec throws anything else.
    template <class T>
    [[nodiscard]] Result<std::optional<T>> value(const InstanceName& name, const std::string& key) {
        const Result<std::map<std::string, Payload>> all = values(name);
        if (!all) return all.error();
        const auto found = all->find(key);
        if (found == all->end()) return std::optional<T>();
        return detail::try_codec("the value of key '" + key + "'", [&] {
            return std::optional<T>(std::in_place, Codec<T>::decode(found->second));
        });
    }

    /// Waits until the run that has this name now has ended, in any way, and says how. `not_found`,
    /// also if it is deleted meanwhile; `still_running` after `timeout`. Blocks; reads again when
    /// the store tells of an end, and now and then in any case. Any number of threads may wait: one
    /// read answers all who wait for the same run, and each is woken only when its wait is over.
    [[nodiscard]] Result<Outcome> wait(const InstanceName& name, Millis timeout = Millis::max());
    template <class R, class... Params>
    [[nodiscard]] Result<Ended<R>> wait(const Definition<R(Params...)>& definition,
                                        const InstanceName& name,
                                        Millis timeout = Millis::max()) {
        return as_ended<R>(wait_as(definition.name(), name, timeout));
    }
    /// The same without blocking and without a timeout. The client has no thread: somebody must
    /// call `step`. A thread that blocks in a wait of the same client does so, too. `done` is
    /// dropped, uncalled, if the client is destroyed before.
    void wait(const InstanceName& name, Done<Outcome> done);
    /// Waits until the custom status of the run that has this name now is another than the one of
    /// version `seen` (`InstanceInfo::custom_status_version`; 0: until there is one), or the run
    /// has ended, and gives what is known of it then. Statuses that follow each other quickly may
    /// be seen as one change: the last counts. Errors and blocking as with `wait`.
    [[nodiscard]] Result<InstanceInfo> wait_for_status(const InstanceName& name,
                                                       std::uint64_t seen,
                                                       Millis timeout = Millis::max());
    /// The same without blocking, as with `wait`.
    void wait_for_status(const InstanceName& name, std::uint64_t seen, Done<InstanceInfo> done);
    /// Waits until the run that has this name now has settled: it has ended, and no handler of it
    /// or of its children runs any more. `wait` may return earlier. Errors, blocking and timeout as
    /// with `wait`.
    [[nodiscard]] Result<Outcome> wait_until_settled(const InstanceName& name,
                                                     Millis timeout = Millis::max());
    /// The same with the type of its result; `invalid_argument` if it is a run of another one.
    template <class R, class... Params>
    [[nodiscard]] Result<Ended<R>> wait_until_settled(const Definition<R(Params...)>& definition,
                                                      const InstanceName& name,
                                                      Millis timeout = Millis::max()) {
        return as_ended<R>(settled_as(definition.name(), name, timeout));
    }
    /// The same without blocking, as with `wait`.
    void wait_until_settled(const InstanceName& name, Done<Outcome> done);
    /// Waits until a key of the run that has this name now has another value than `known` (none:
    /// until it has one), or the run has ended, and gives the value then; none if it has none.
    /// Values that follow each other quickly may be seen as one change: the last counts. Errors,
    /// blocking and timeout as with `wait`.
    [[nodiscard]] Result<std::optional<Payload>> wait_for_value(
        const InstanceName& name,
        const std::string& key,
        const std::optional<Payload>& known = std::nullopt,
        Millis timeout = Millis::max());
    /// The same with a type. `invalid_argument` if the value is no T, or its Codec throws anything
    /// else.
    template <class T>
    [[nodiscard]] Result<std::optional<T>> wait_for_value(
        const InstanceName& name,
        const std::string& key,
        const std::optional<T>& known = std::nullopt,
        Millis timeout = Millis::max()) {
        std::optional<Payload> known_payload;
        if (known) {
            Result<Payload> payload =
                detail::try_codec("the known value", [&] { return Codec<T>::encode(*known); });
            if (!payload) return payload.error();
            known_payload = std::move(*payload);
        }
        const Result<std::optional<Payload>> found =
            wait_for_value(name, key, known_payload, timeout);
        if (!found) return found.error();
        if (!*found) return std::optional<T>();
        return detail::try_codec("the value of key '" + key + "'", [&] {
            return std::optional<T>(std::in_place, Codec<T>::decode(**found));
        });
    }
    /// The same without blocking, as with `wait`.
    void wait_for_value(const InstanceName& name,
                        const std::string& key,
                        const std::optional<Payload>& known,
                        Done<std::optional<Payload>> done);
    /// Reads for waits with a callback what is due, some runs at a time, and calls the callbacks of
    /// those that are over. Waits for nothing but the store; false when there is nothing to do
    /// until the store tells of a change, or `next_due`.
    bool step();
    /// Blocks until `step` has something to do, for at most `timeout`; then returns false. For a
    /// thread that serves callbacks: `for (;;) if (client.wait_until_due(1s)) client.step();`
    [[nodiscard]] bool wait_until_due(Millis timeout);
    /// On the injected monotonic clock: when a step will have something to do if nothing happens
    /// before. None while an answer is awaited, or nobody waits.
    [[nodiscard]] std::optional<Millis> next_due() const;

    /// Messages that could not be delivered, in the order they came, behind the one numbered
    /// `after`. `max`: 1 to 1000.
    [[nodiscard]] Result<std::vector<DeadLetter>> dead_letters(std::uint64_t after = 0,
                                                               std::uint32_t max = 1000);
    /// Sends a dead letter again, as a new message: to the run it was meant for, or to `to` instead
    /// (not one that answers a command: that only its own run can use). `not_found` when there is
    /// no such letter or no such run, `already_ended`, `limit_exceeded` as `raise`.
    [[nodiscard]] Result<InstanceBrief> redrive(
        std::uint64_t letter,
        const std::optional<InstanceName>& to = std::nullopt,
        const std::string& request_id = {});
    /// Throws a dead letter away. `not_found`.
    [[nodiscard]] Result<void> discard(std::uint64_t letter, const std::string& request_id = {});

private:
    template <class T>
    [[nodiscard]] static Result<Payload> encoded(const char* what, const T& value) {
        return detail::try_codec(what, [&] { return detail::encode_message(value); });
    }
    template <class R>
    [[nodiscard]] static Result<Ended<R>> as_ended(Result<Outcome> outcome) {
        if (!outcome) return outcome.error();
        return Ended<R>(std::move(*outcome));
    }
    [[nodiscard]] Result<Outcome> outcome_as(std::string_view definition, const InstanceName& name);
    [[nodiscard]] Result<Outcome> wait_as(std::string_view definition,
                                          const InstanceName& name,
                                          Millis timeout);

    [[nodiscard]] Result<Outcome> settled_as(std::string_view definition,
                                             const InstanceName& name,
                                             Millis timeout);

    [[nodiscard]] static requests::Start request_of(std::string definition,
                                                    Payload input,
                                                    const StartOptions& options);
    [[nodiscard]] static requests::Cancel request_of(const InstanceName& name,
                                                     const CancelOptions& options);
    [[nodiscard]] static requests::CancelMany request_of(const CancelTargets& targets,
                                                         const CancelOptions& options);

    std::shared_ptr<Service> service_;
    std::shared_ptr<client::Waits> waits_;
};

}  // namespace belay
