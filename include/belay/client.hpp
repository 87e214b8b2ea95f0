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

/// The typed face of a Service: encodes arguments, sends requests and decodes answers. The store or
/// service, the clock and the random numbers must outlive the client. Cheap and thread-safe.
///
/// Operations block until the store has answered. Many have a second form with a callback as the
/// last parameter, which returns at once. The callback is a Done of the store contract: called
/// once, on any thread, perhaps before the call returns. It must not throw. `step` calls those of
/// waits.
///
/// Every operation can also return the errors of the store: `busy` and `unavailable` (nothing was
/// written; a retry may help), `corrupt`, `unsupported`, `unreadable` and `outcome_unknown`. The
/// client retries a commit whose outcome is unknown a few times under the same commit id. It
/// returns `outcome_unknown` if the outcome stays unknown.
///
/// A request may carry an id of the caller's choice, unique in its namespace. A repeat under the
/// same id is not done again: it gets the first answer, as long as the store keeps the id. Returns
/// `request_id_reused` if the id belongs to a request that asked for something else.
class Client {
public:
    /// The client uses only these fields of `policy`; workers use their own. `cancel_deadline`
    /// applies to runs that this client cancels or replaces. `grace`: an activity that this client
    /// stops is listed as stopping until this long after its lease; the policy of its worker
    /// decides how long its handler really has. `poll_interval` and `retry_delay` apply to waits.
    /// `bulk_limit`, `bulk_batch`, `bulk_rows` and `prune_batch` bound deletions, prunes and bulk
    /// operations. Throws std::invalid_argument that names the setting if one is out of range.
    explicit Client(Store& store,
                    Clock& clock = system_clock(),
                    Random& random = system_random(),
                    const Limits& limits = Limits(),
                    const Policy& policy = Policy());
    /// Asks this service instead of a store; the service must outlive the client. Uses only
    /// `poll_interval` and `retry_delay` of the policy: the service decides all else.
    explicit Client(Service& service,
                    Clock& clock = system_clock(),
                    const Policy& policy = Policy());
    /// Requests with a callback go on. Waits with a callback are dropped. Waits that block return
    /// `unavailable`; the destructor returns when they have.
    ~Client();
    Client(Client&&) noexcept;

    /// The service that it asks. Every operation below is one of its requests, or a few.
    [[nodiscard]] Service& service() noexcept { return *service_; }

    /// Starts a run. An existing run under the same key is no error, and neither is one under the
    /// same id with IdConflict::use_existing. No worker needs to have the definition: the run waits
    /// for one. Errors: `id_in_use` for an existing id with IdConflict::fail; `invalid_argument`
    /// for an invalid name (see check_name), an argument that its Codec throws at, or an input that
    /// has Payload::flags; `limit_exceeded` if an input, a label or a header is too large.
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

    /// Cancels a run. Returns when the cancel is recorded, which is before the run has ended: see
    /// `wait`. Activities that wait are deleted, those that run are asked to stop, and the code of
    /// the run gets Canceled where it awaits. Shielded work goes on and compensations run, until
    /// CancelOptions::deadline (default: Policy::cancel_deadline of this client), or longer if a
    /// shield asked for more. A run ends at once, without running code, if it has not begun or is
    /// held, or if its code has been missing for as long as that deadline.
    ///
    /// Errors: `not_found` if the run is unknown. It is no error if the run was canceled before or
    /// has ended: the first record stays, and `changed` is false.
    [[nodiscard]] Result<CancelResult> cancel(const InstanceName& name,
                                              const CancelOptions& options = CancelOptions());
    void cancel(const InstanceName& name, const CancelOptions& options, Done<CancelResult> done);

    /// Cancels many runs, each as `cancel` does: by a filter, by tree or by idempotency key. Each
    /// is a transition of its own, for exactly the run that was chosen; some of them share a
    /// commit. Runs that start after the call began are left alone. The options must have no
    /// request id: a repeat changes nothing that was canceled before, and goes on with the runs
    /// that the limit left. After an error, runs that were canceled stay canceled. Errors:
    /// `not_found` if there is no such tree or key.
    ///
    ///     client.cancel_bulk(InstanceFilter().definition("Import").label("city", "Ulm"),
    ///                        CancelOptions().reason("wrong file"));
    [[nodiscard]] Result<CancelManyResult> cancel_bulk(
        const CancelTargets& targets, const CancelOptions& options = CancelOptions());
    void cancel_bulk(const CancelTargets& targets,
                     const CancelOptions& options,
                     Done<CancelManyResult> done);
    /// Returns what `cancel_bulk` would do now, limit included. Writes nothing. Pass the runs that
    /// it names to CancelTargets::runs to cancel these and no others.
    [[nodiscard]] Result<CancelManyResult> preview_cancel_bulk(const CancelTargets& targets);

    /// Ends a run at once, as canceled. None of its code runs any more, shielded work and
    /// compensations included. Use it for runs that a cancel cannot end. Open children are
    /// canceled, with their cleanup, except those with ParentClose::abandon. Activities that wait
    /// are deleted, and those that run are asked to stop. Messages are deleted, and the parent is
    /// told.
    ///
    /// Errors: `not_found` if the run is unknown. It is no error if the run had ended: it stays as
    /// it is, and `changed` is false. A canceling run ends now; its first cancel stays on record.
    [[nodiscard]] Result<CancelResult> terminate(const InstanceName& name,
                                                 const CancelOptions& options = CancelOptions());
    void terminate(const InstanceName& name, const CancelOptions& options, Done<CancelResult> done);

    /// Raises an event, for OrchestrationContext::wait. An event that nobody waits for is kept
    /// until somebody does, or the run ends. Errors: `not_found`; `already_ended`; `limit_exceeded`
    /// if the run has no room for more messages, or this one is too large; `invalid_argument` for a
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
    /// out. The message is kept until it is received or the run ends, also when the run continues
    /// as new. Errors as with `raise`.
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

    /// Deletes an instance with its whole tree and everything that belongs to it, in one commit.
    /// Activities that run are stopped. Errors: `not_found`; `has_parent` for a child, even if
    /// forced; `still_running` if it or anything below it has not ended, unless forced.
    [[nodiscard]] Result<DeleteInstanceResult> delete_instance(const InstanceName& name,
                                                               bool force = false,
                                                               const std::string& request_id = {});
    void delete_instance(const InstanceName& name,
                         bool force,
                         const std::string& request_id,
                         Done<DeleteInstanceResult> done);
    /// Deletes exactly these instances, children before their parents, or none of them. For callers
    /// that have looked at a tree and mean that tree. Errors: `has_children` if the tree has grown
    /// since, `has_parent` if a root is missing; else see DeleteInstances (store contract).
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
    /// Each tree is one commit. Instances that run, have something running below them, are
    /// children, or are not there are skipped without an error. After an error the deletions made
    /// stay, and the same call goes on with the rest.
    [[nodiscard]] Result<DeleteInstanceResult> delete_instance_bulk(const InstanceFilter& filter);
    void delete_instance_bulk(const InstanceFilter& filter, Done<DeleteInstanceResult> done);
    /// Returns what `delete_instance_bulk` would delete now, limit included. Writes nothing. Later
    /// changes also change what is deleted.
    [[nodiscard]] Result<DeletionPreview> preview_delete_bulk(const InstanceFilter& filter);

    /// Deletes old executions of a continue-as-new chain. The current one stays, as does the
    /// instance, which may be running. Finding nothing old is no error. Errors: `not_found`.
    [[nodiscard]] Result<PruneResult> prune_executions(const InstanceName& name,
                                                       const PruneOptions& options);
    void prune_executions(const InstanceName& name,
                          const PruneOptions& options,
                          Done<PruneResult> done);
    /// The same for instances that match and have old executions, children included. Instances that
    /// have not ended are skipped unless the options include them.
    [[nodiscard]] Result<PruneResult> prune_executions_bulk(const InstanceFilter& filter,
                                                            const PruneOptions& options);
    void prune_executions_bulk(const InstanceFilter& filter,
                               const PruneOptions& options,
                               Done<PruneResult> done);
    /// Returns what `prune_executions_bulk` would prune now, limit included. Writes nothing.
    [[nodiscard]] Result<PrunePreview> preview_prune_bulk(const InstanceFilter& filter,
                                                          const PruneOptions& options);

    /// Sets the instances and executions of a namespace that are kept, from now on and also for
    /// those that ended before. All workers on the store follow it in their own time
    /// (Policy::retention_interval); it replaces the policy they have in code. An empty policy
    /// keeps everything. Errors: `invalid_argument`, `limit_exceeded`: see check_retention.
    [[nodiscard]] Result<void> set_retention(const std::string& space,
                                             const RetentionPolicy& policy,
                                             const std::string& by = {},
                                             const std::string& request_id = {});
    /// Forgets the policy that was set: workers use their policy in code, if any. No error without
    /// one.
    [[nodiscard]] Result<void> clear_retention(const std::string& space,
                                               const std::string& by = {},
                                               const std::string& request_id = {});
    /// Returns the policy that was set for a namespace; none if none was.
    [[nodiscard]] Result<std::optional<StoredRetention>> retention(const std::string& space);

    /// Limits how many activities of a queue run at once and begin within a time, over all workers
    /// on the store, until other limits are set. The empty name is the default queue. Activities
    /// that already run are not stopped. QueueDepths::limits shows the limits. Errors:
    /// `invalid_argument`, `limit_exceeded`: see check_queue_limits, check_name.
    [[nodiscard]] Result<void> set_queue_limits(const std::string& queue,
                                                const QueueLimits& limits,
                                                const std::string& by = "",
                                                const std::string& request_id = "");
    /// Removes the limits of a queue; no error if it has none.
    [[nodiscard]] Result<void> clear_queue_limits(const std::string& queue,
                                                  const std::string& by = "",
                                                  const std::string& request_id = "");
    /// Deletes and prunes everything that is past its time, now or at the time in the request.
    /// Removes at most the limit of the request, in small commits beside other work. Instances with
    /// something running below them are skipped without an error. After an error the removals made
    /// stay, and the same call goes on with the rest.
    [[nodiscard]] Result<RetentionResult> apply_retention(const RetentionRequest& request);
    void apply_retention(const RetentionRequest& request, Done<RetentionResult> done);
    /// Returns everything that `apply_retention` would remove. Writes nothing.
    [[nodiscard]] Result<RetentionPreview> preview_retention(const RetentionRequest& request);
    void preview_retention(const RetentionRequest& request, Done<RetentionPreview> done);

    /// Returns an instance and all below it, as of one moment. Errors: `not_found`.
    [[nodiscard]] Result<InstanceTree> get_instance_tree(const InstanceName& name);
    /// Returns the ids of direct children in start order; none for an unknown instance.
    [[nodiscard]] Result<std::vector<std::string>> list_children(const InstanceName& name);
    /// Returns the id of the parent; none for a root. Errors: `not_found`.
    [[nodiscard]] Result<std::optional<std::string>> get_parent_id(const InstanceName& name);

    /// Returns a page of instances. Errors: `invalid_argument` for a cursor of another query, a
    /// page size out of range, or a status that no instance can have.
    [[nodiscard]] Result<InstancePage> list(const ListOptions& options);
    /// Counts the instances of a namespace, by definition and status.
    [[nodiscard]] Result<std::vector<InstanceCount>> count(const std::string& space = "default");
    /// Counts the instances that match. Ignores order, page size and cursor. Reads all that match.
    [[nodiscard]] Result<std::vector<InstanceCount>> count(const ListOptions& options);
    /// Returns a page of idempotency keys, with their runs. `invalid_argument` as `list`.
    [[nodiscard]] Result<KeyPage> keys(const KeyOptions& options = KeyOptions());
    /// Returns everything about an instance, and what it is waiting for now. Errors: `not_found`.
    [[nodiscard]] Result<InstanceDescription> describe(const InstanceName& name);
    /// Returns the events of one execution; 0: the current one. Errors: `not_found`, also if
    /// pruned.
    [[nodiscard]] Result<Timeline> timeline(const InstanceName& name, ExecutionNo execution = 0);

    /// Returns an instance with all that is left of its history, as a self-contained JSON document
    /// for people and for `import_instance`. The same instance always gives the same text. Children
    /// are named and not contained. Errors: `not_found`; `busy` if the instance changes faster than
    /// it can be read; `corrupt` and `unsupported` if its history cannot be read.
    [[nodiscard]] Result<std::string> export_instance(const InstanceName& name,
                                                      ExportLayout layout = ExportLayout::indented);
    /// Imports an exported instance that has ended into this store, in one commit. It keeps its
    /// history and its times, and gets a run key of its own. It becomes a root, without children
    /// and without its idempotency key. Retention counts from when it ended. Errors:
    /// `still_running` if it had not ended when it was exported (such a document is for reading);
    /// `id_in_use`; and `invalid_argument`, `limit_exceeded` and `unsupported`, naming the place.
    [[nodiscard]] Result<InstanceBrief> import_instance(
        std::string_view document, const ImportOptions& options = ImportOptions());

    /// Returns what waits, and since when, in all namespaces.
    [[nodiscard]] Result<QueueDepths> queue_depths();
    /// Returns the holders of activities and turns, in all namespaces: at most `max` of each, those
    /// that end first. `max`: at most 10,000.
    [[nodiscard]] Result<ListLeases::Answer> leases(std::uint32_t max = 1000);

    /// Lets a held run go on. Errors: `not_found`; `not_held`.
    [[nodiscard]] Result<void> release(const InstanceName& name,
                                       const std::string& request_id = {});
    /// Ends a held run as failed, without running its code: its parent is told, its children are
    /// canceled. The failure contains `by` and `reason`. It leaves out the detail of the hold,
    /// because that may quote payloads and failures are not encrypted: read
    /// InstanceInfo::held_detail before. Errors: `not_found`; `not_held`.
    [[nodiscard]] Result<void> fail_held(const InstanceName& name,
                                         const std::string& by,
                                         const std::string& reason,
                                         const std::string& request_id = {});
    /// Makes an idempotency key free. Errors: `not_found`.
    [[nodiscard]] Result<void> free_key(std::string space,
                                        std::string owner,
                                        std::string definition,
                                        std::string key,
                                        std::string request_id = {});

    /// Returns everything known of an instance. Errors: `not_found`.
    [[nodiscard]] Result<InstanceInfo> inspect(const InstanceName& name);
    /// Returns how a run ended; `still_running` before that. Given its definition, the result has a
    /// type; error `invalid_argument` if it is a run of another definition.
    [[nodiscard]] Result<Outcome> outcome(const InstanceName& name);
    template <class R, class... Params>
    [[nodiscard]] Result<Ended<R>> outcome(const Definition<R(Params...)>& definition,
                                           const InstanceName& name) {
        return as_ended<R>(outcome_as(definition.name(), name));
    }

    /// Returns the key-values of a run as of its last turn, ended or not. Errors: `not_found`.
    [[nodiscard]] Result<std::map<std::string, Payload>> values(const InstanceName& name);
    /// Returns one of them; none if it is not set. Errors: `not_found`; `invalid_argument` if it is
    /// no T, or its Codec throws anything else.
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

    /// Waits until the run that has this name now has ended, in any way, and returns its outcome.
    /// Errors: `not_found`, also if it is deleted meanwhile; `still_running` after `timeout`.
    /// Blocks. Reads again when the store tells of an end, and now and then in any case. Any number
    /// of threads may wait: one read answers all waits for the same run, and each is woken only
    /// when its wait ends.
    [[nodiscard]] Result<Outcome> wait(const InstanceName& name, Millis timeout = Millis::max());
    template <class R, class... Params>
    [[nodiscard]] Result<Ended<R>> wait(const Definition<R(Params...)>& definition,
                                        const InstanceName& name,
                                        Millis timeout = Millis::max()) {
        return as_ended<R>(wait_as(definition.name(), name, timeout));
    }
    /// The same for the run that a start made or found, whichever run has its name by now. Prefer
    /// it after a start: if this client made the run, the wait reads nothing until the run has
    /// ended.
    template <std::same_as<StartResult> Started>
    [[nodiscard]] Result<Outcome> wait(const Started& started, Millis timeout = Millis::max()) {
        return wait_for_started({}, started, timeout);
    }
    template <class R, class... Params, std::same_as<StartResult> Started>
    [[nodiscard]] Result<Ended<R>> wait(const Definition<R(Params...)>& definition,
                                        const Started& started,
                                        Millis timeout = Millis::max()) {
        return as_ended<R>(wait_for_started(definition.name(), started, timeout));
    }
    /// The same without blocking and without a timeout. The client has no thread: somebody must
    /// call `step`, or block in a wait of the same client, which does so too. `done` is dropped,
    /// uncalled, if the client is destroyed before.
    void wait(const InstanceName& name, Done<Outcome> done);
    template <std::same_as<StartResult> Started>
    void wait(const Started& started, Done<Outcome> done) {
        wait_for_started(started, std::move(done));
    }
    /// Waits until the custom status of the run that has this name now has another version than
    /// `seen` (`InstanceInfo::custom_status_version`; 0: until there is one), or the run has ended.
    /// Returns the instance as it is then. Quick changes may be seen as one: the last counts.
    /// Errors and blocking as with `wait`.
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
    /// The same with the type of its result. Errors: `invalid_argument` for another definition.
    template <class R, class... Params>
    [[nodiscard]] Result<Ended<R>> wait_until_settled(const Definition<R(Params...)>& definition,
                                                      const InstanceName& name,
                                                      Millis timeout = Millis::max()) {
        return as_ended<R>(settled_as(definition.name(), name, timeout));
    }
    /// The same without blocking, as with `wait`.
    void wait_until_settled(const InstanceName& name, Done<Outcome> done);
    /// Waits until a key of the run that has this name now has another value than `known` (none:
    /// until it has one), or the run has ended. Returns the value then; none if it has none. Quick
    /// changes may be seen as one: the last counts. Errors, blocking and timeout as with `wait`.
    [[nodiscard]] Result<std::optional<Payload>> wait_for_value(
        const InstanceName& name,
        const std::string& key,
        const std::optional<Payload>& known = std::nullopt,
        Millis timeout = Millis::max());
    /// The same with a type. Errors: `invalid_argument` if the value is no T or its Codec throws.
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
    /// Does the reads that are due for waits with a callback, some runs at a time, and calls the
    /// callbacks of those that are over. Waits for nothing but the store. Returns false if there is
    /// nothing to do until the store tells of a change, or `next_due`.
    bool step();
    /// Blocks until `step` has something to do; returns false after `timeout`. For a thread that
    /// serves callbacks: `for (;;) if (client.wait_until_due(1s)) client.step();`
    [[nodiscard]] bool wait_until_due(Millis timeout);
    /// Returns the time of the next step, on the injected monotonic clock, if nothing happens
    /// before. None while an answer is awaited, or nobody waits.
    [[nodiscard]] std::optional<Millis> next_due() const;

    /// Returns messages that could not be delivered, in the order they came, starting after the one
    /// numbered `after`. `max`: 1 to 1000.
    [[nodiscard]] Result<std::vector<DeadLetter>> dead_letters(std::uint64_t after = 0,
                                                               std::uint32_t max = 1000);
    /// Sends a dead letter again, as a new message, to the run it was meant for or to `to` instead.
    /// (A letter that answers a command can only go to its own run.) Errors: `not_found` if there
    /// is no such letter or run; `already_ended` and `limit_exceeded` as `raise`.
    [[nodiscard]] Result<InstanceBrief> redrive(
        std::uint64_t letter,
        const std::optional<InstanceName>& to = std::nullopt,
        const std::string& request_id = {});
    /// Deletes a dead letter. Errors: `not_found`.
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
    [[nodiscard]] Result<Outcome> wait_for_started(std::string_view definition,
                                                   const StartResult& started,
                                                   Millis timeout);
    void wait_for_started(const StartResult& started, Done<Outcome> done);
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
