// Starting, stopping and looking at runs.
#pragma once

#include <belay/client_options.hpp>
#include <belay/client_wait.hpp>
#include <belay/codec.hpp>
#include <belay/detail/signature.hpp>
#include <belay/detail/try_codec.hpp>
#include <belay/ended.hpp>
#include <belay/handle.hpp>
#include <belay/instance_address.hpp>
#include <belay/limits.hpp>
#include <belay/management_client.hpp>
#include <belay/random.hpp>
#include <belay/run.hpp>
#include <belay/store/instance_info.hpp>

#include <concepts>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

namespace belay {

class Store;
template <class Signature>
class Flow;

namespace client {
class Waits;
}  // namespace client

namespace requests {
struct Cancel;
struct CancelMany;
struct Rerun;
struct Start;
}  // namespace requests

/// One execution of a run, with its arguments.
template <class... Params>
struct ExecutionOf {
    ExecutionInfo info;
    std::tuple<Params...> input;
};

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
class Client : public ManagementClient {
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

    /// Starts a run, and returns its handle, or the error. An existing run under the same key is no
    /// error, and neither is one under the same id with IdConflict::use_existing. No worker needs
    /// to have the definition: the run waits for one. Errors: `id_in_use` for an existing id with
    /// IdConflict::fail; `invalid_argument` for an invalid name (see check_name), an argument that
    /// its Codec throws at, or an input that has Payload::flags; `limit_exceeded` if an input, a
    /// label or a header is too large.
    ///
    ///     auto run = client.start(Hello, "World");
    ///     auto ended = run.wait();
    template <class R, class... Params, class... Args>
    [[nodiscard]] Run<R> start(const Definition<R(Params...)>& definition, const Args&... args) {
        return start(definition, StartOptions(), args...);
    }
    template <class R, class... Params, class... Args>
    [[nodiscard]] Run<R> start(const Definition<R(Params...)>& definition,
                               const StartOptions& options,
                               const Args&... args) {
        detail::Arguments<Params...>::template check<const Args&...>();
        Result<Payload> input = detail::try_codec("the input", [&] {
            return detail::encode_arguments<Params...>(detail::as_parameter<Params>(args)...);
        });
        std::string name(definition.name());
        if (!input) return Run<R>(*this, std::move(name), input.error());
        return Run<R>(*this, name, begin(name, std::move(*input), options));
    }
    /// Starts a run of a flow or a task (belay/flow.hpp, belay/task.hpp). What the flow says of
    /// labels, expiry and concurrency is added to the options. Errors: the same, and
    /// `invalid_argument` for a flow with mistakes, which lists them all.
    template <class R, class... Params, class... Args>
    [[nodiscard]] Run<R> start(const Flow<R(Params...)>& flow, const Args&... args) {
        return start(flow, StartOptions(), args...);
    }
    template <class R, class... Params, class... Args>
    [[nodiscard]] Run<R> start(const Flow<R(Params...)>& flow,
                               const StartOptions& options,
                               const Args&... args) {
        StartOptions all = options;
        Result<Payload> input = flow.prepare(all, args...);
        if (!input) return Run<R>(*this, flow.name(), input.error());
        return Run<R>(*this, flow.name(), begin(flow.name(), std::move(*input), all));
    }
    /// The same by name, for an input that is encoded already. The result of the run is a Payload.
    /// For types, make a handle: `client.start(Definition<int(int)>(name), 7)`.
    [[nodiscard]] Run<Payload> start(const std::string& definition,
                                     Payload input = {},
                                     const StartOptions& options = StartOptions()) {
        return Run<Payload>(*this, definition, begin(definition, std::move(input), options));
    }
    void start(std::string definition,
               Payload input,
               const StartOptions& options,
               Done<StartResult> done);

    /// Starts another run like this one, which must have ended: with its input or another one, its
    /// definition, document, owner, headers, labels, priority and terms. It has no idempotency key,
    /// and the label kRerunLabel names the run that it repeats. A child is repeated as a run of its
    /// own. Errors: `not_found`, also for an input that was pruned; `still_running`;
    /// `invalid_argument` for a run that the failure of another one has started.
    [[nodiscard]] Result<StartResult> rerun(const InstanceAddress& name,
                                            const RerunOptions& options = RerunOptions());
    void rerun(const InstanceAddress& name, const RerunOptions& options, Done<StartResult> done);

    using ManagementClient::resume;  // Ends pauses.
    /// Starts another run that keeps the history of this one before a turn: that of the event
    /// numbered `from`. The run must have ended. The new run goes on with the version of its code.
    /// Calls that were open at that point are made again, also those that were completed later;
    /// timers have the time that was left. Messages that came later are gone: raise them again. The
    /// label kResumeLabel names the old run. Its code must not depend on its own id, except in the
    /// ids of its children; otherwise the run is held.
    ///
    /// The new run is committed together with its history, or not at all. Errors: as `rerun`;
    /// `invalid_argument` for an event in the first turn (`rerun` begins there) or beyond the last,
    /// for options that `rerun` alone has (input, document, version, delay), and for a run that is
    /// interpreted by a document: see resume_flow.
    [[nodiscard]] Result<StartResult> resume(const InstanceAddress& name,
                                             EventNo from,
                                             const RerunOptions& options = RerunOptions());
    /// The same for an event of this execution; the form above takes the last one. The new run has
    /// what the execution took along: input, values and messages. Errors: the same; `not_found` if
    /// its history was pruned.
    [[nodiscard]] Result<StartResult> resume(const InstanceAddress& name,
                                             ExecutionNo execution,
                                             EventNo from,
                                             const RerunOptions& options = RerunOptions());

    /// Finds the roots that match, have ended, and were not started again; the longest ended first.
    /// Default states: failed and canceled. Errors: `invalid_argument` for a state that is no end.
    [[nodiscard]] Result<EndedRuns> find_ended(const InstanceFilter& filter);
    /// Starts each of these runs again, as `rerun` does. Goes on after an error.
    RerunManyResult rerun_many(const EndedRuns& runs, const RerunOptions& options = RerunOptions());
    /// The same with another way to start each run. `start` must not throw.
    RerunManyResult rerun_many(
        const EndedRuns& runs,
        const std::function<Result<StartResult>(const InstanceInfo& run)>& start);

    /// Cancels a run. Returns when the cancel is recorded, which is before the run has ended: see
    /// `wait`. Activities that wait are deleted, those that run are asked to stop, and the code of
    /// the run gets Canceled where it awaits. Shielded work goes on and compensations run, until
    /// CancelOptions::deadline (default: Policy::cancel_deadline of this client), or longer if a
    /// shield asked for more. A run ends at once, without running code, if it has not begun or is
    /// held, or if its code has been missing for as long as that deadline.
    ///
    /// Errors: `not_found` if the run is unknown. It is no error if the run was canceled before or
    /// has ended: the first record stays, and `changed` is false.
    [[nodiscard]] Result<CancelResult> cancel(const InstanceAddress& name,
                                              const CancelOptions& options = CancelOptions());
    void cancel(const InstanceAddress& name, const CancelOptions& options, Done<CancelResult> done);

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
    [[nodiscard]] Result<CancelResult> terminate(const InstanceAddress& name,
                                                 const CancelOptions& options = CancelOptions());
    void terminate(const InstanceAddress& name,
                   const CancelOptions& options,
                   Done<CancelResult> done);

    /// Raises an event, for OrchestrationContext::wait. An event that nobody waits for is kept
    /// until somebody does, or the run ends. Errors: `not_found`; `already_ended`; `limit_exceeded`
    /// if the run has no room for more messages, or this one is too large; `invalid_argument` for a
    /// value that its Codec throws at, or that has Payload::flags.
    ///
    ///     client.raise(name, "decision", Decision{"ann", true});   // wait<Decision>("decision")
    ///     client.raise(name, "note", "no hurry");                  // wait<std::string>("note")
    template <class T>
        requires(!std::same_as<T, Payload>)
    [[nodiscard]] Result<void> raise(const InstanceAddress& name,
                                     std::string event,
                                     const T& value,
                                     std::string request_id = {}) {
        Result<Payload> payload = encoded("the value of the event", value);
        if (!payload) return payload.error();
        return raise(name, std::move(event), std::move(*payload), std::move(request_id));
    }
    /// Raises an event without a value, for a `wait<void>`.
    [[nodiscard]] Result<void> raise(const InstanceAddress& name, std::string event) {
        return raise(name, std::move(event), Payload());
    }
    /// The same for a value that is encoded already; the empty Payload is that of a `wait<void>`.
    [[nodiscard]] Result<void> raise(const InstanceAddress& name,
                                     std::string event,
                                     Payload payload,
                                     std::string request_id = {});
    void raise(const InstanceAddress& name,
               std::string event,
               Payload payload,
               std::string request_id,
               Done<InstanceBrief> done);
    /// Puts a message into a queue of the run, for OrchestrationContext::receive: first in, first
    /// out. The message is kept until it is received or the run ends, also when the run continues
    /// as new. Errors as with `raise`.
    template <class T>
        requires(!std::same_as<T, Payload>)
    [[nodiscard]] Result<void> enqueue(const InstanceAddress& name,
                                       std::string queue,
                                       const T& value,
                                       std::string request_id = {}) {
        Result<Payload> payload = encoded("the message", value);
        if (!payload) return payload.error();
        return enqueue(name, std::move(queue), std::move(*payload), std::move(request_id));
    }
    /// The same for a value that is encoded already.
    [[nodiscard]] Result<void> enqueue(const InstanceAddress& name,
                                       std::string queue,
                                       Payload payload,
                                       std::string request_id = {});
    void enqueue(const InstanceAddress& name,
                 std::string queue,
                 Payload payload,
                 std::string request_id,
                 Done<InstanceBrief> done);

    /// Returns the state of a run, as people see it: shown_status. Errors: `not_found`.
    [[nodiscard]] Result<Status> status(const InstanceAddress& name);
    /// Returns the custom status of a run; none if it has set none. Errors: `not_found`;
    /// `invalid_argument` if it is no T.
    template <class T>
    [[nodiscard]] Result<std::optional<T>> custom_status(const InstanceAddress& name) {
        return detail::decode_found<T>("the custom status", custom_status_payload(name));
    }
    /// Returns the executions of a run that were not pruned, in order: more than one if it has
    /// continued as new. Errors: `not_found`.
    [[nodiscard]] Result<std::vector<ExecutionInfo>> executions(const InstanceAddress& name);
    /// The same, each with its arguments. Errors: `invalid_argument` if it is a run of another
    /// definition, or its Codec throws; `corrupt` and `unsupported` for an unreadable history.
    template <class R, class... Params>
    [[nodiscard]] Result<std::vector<ExecutionOf<Params...>>> executions(
        const Definition<R(Params...)>& definition, const InstanceAddress& name) {
        const auto found = executions_with_input(definition.name(), name);
        if (!found) return found.error();
        return detail::try_codec("the input of an execution", [&] {
            std::vector<ExecutionOf<Params...>> typed;
            for (const auto& [info, input] : *found) {
                typed.push_back({info, detail::decode_arguments<Params...>(input)});
            }
            return typed;
        });
    }
    /// Returns how a run ended; `still_running` before that. Given its definition, the result has a
    /// type; error `invalid_argument` if it is a run of another definition.
    [[nodiscard]] Result<Outcome> outcome(const InstanceAddress& name);
    template <class R, class... Params>
    [[nodiscard]] Result<Ended<R>> outcome(const Definition<R(Params...)>& definition,
                                           const InstanceAddress& name) {
        return as_ended<R>(outcome_as(definition.name(), name));
    }

    /// Returns the key-values of a run as of its last turn, ended or not. Errors: `not_found`.
    [[nodiscard]] Result<std::map<std::string, Payload>> values(const InstanceAddress& name);
    /// Returns one of them; none if it is not set. Errors: `not_found`; `invalid_argument` if it is
    /// no T, or its Codec throws anything else.
    template <class T>
    [[nodiscard]] Result<std::optional<T>> value(const InstanceAddress& name,
                                                 const std::string& key) {
        const Result<std::map<std::string, Payload>> all = values(name);
        if (!all) return all.error();
        const auto found = all->find(key);
        if (found == all->end()) return std::optional<T>();
        return detail::try_codec("the value of key '" + key + "'", [&] {
            return std::optional<T>(std::in_place, Codec<T>::decode(found->second));
        });
    }

    /// Waits until the run that has this name now has ended, in any way, and returns its outcome. A
    /// canceled run of a flow or task has ended when it has settled (belay/shown_status.hpp).
    /// Errors: `not_found`, also if it is deleted meanwhile; `still_running` after `timeout`.
    /// Blocks. Reads again when the store tells of an end, and now and then in any case. Any number
    /// of threads may wait: one read answers all waits for the same run, and each is woken only
    /// when its wait ends.
    [[nodiscard]] Result<Outcome> wait(const InstanceAddress& name, Millis timeout = Millis::max());
    template <class R, class... Params>
    [[nodiscard]] Result<Ended<R>> wait(const Definition<R(Params...)>& definition,
                                        const InstanceAddress& name,
                                        Millis timeout = Millis::max()) {
        return as_ended<R>(wait_as(definition.name(), name, timeout));
    }
    /// The same for the run that a start made or found, whichever run has its name by now. Prefer
    /// it after a start: if this client made the run, the wait reads nothing until the run has
    /// ended.
    template <std::same_as<StartResult> Started>
    [[nodiscard]] Result<Outcome> wait(const Started& started, Millis timeout = Millis::max()) {
        return wait(InstanceAddress(started.instance.name, started.instance.run), timeout);
    }
    template <class R, class... Params, std::same_as<StartResult> Started>
    [[nodiscard]] Result<Ended<R>> wait(const Definition<R(Params...)>& definition,
                                        const Started& started,
                                        Millis timeout = Millis::max()) {
        return wait(
            definition, InstanceAddress(started.instance.name, started.instance.run), timeout);
    }
    /// The same without blocking and without a timeout. The client has no thread: somebody must
    /// call `step`, or block in a wait of the same client, which does so too. `done` is dropped,
    /// uncalled, if the client is destroyed before.
    void wait(const InstanceAddress& name, Done<Outcome> done);
    template <std::same_as<StartResult> Started>
    void wait(const Started& started, Done<Outcome> done) {
        wait(InstanceAddress(started.instance.name, started.instance.run), std::move(done));
    }
    /// The same for a coroutine, which blocks no thread. Somebody must call `step`, as with a
    /// callback:
    ///
    ///     const belay::Result<belay::Outcome> outcome = co_await client.async_wait(run);
    [[nodiscard]] ClientWait<Outcome> async_wait(const InstanceAddress& name);
    template <std::same_as<StartResult> Started>
    [[nodiscard]] ClientWait<Outcome> async_wait(const Started& started) {
        return async_wait(InstanceAddress(started.instance.name, started.instance.run));
    }
    /// Waits until the custom status of the run that has this name now has another version than
    /// `seen` (`InstanceInfo::custom_status_version`; 0: until there is one), or the run has ended.
    /// Returns the instance as it is then. Quick changes may be seen as one: the last counts.
    /// Errors and blocking as with `wait`.
    [[nodiscard]] Result<InstanceInfo> wait_for_status(const InstanceAddress& name,
                                                       std::uint64_t seen,
                                                       Millis timeout = Millis::max());
    /// The same without blocking, as with `wait`.
    void wait_for_status(const InstanceAddress& name, std::uint64_t seen, Done<InstanceInfo> done);
    /// The same for a coroutine, as with `async_wait`.
    [[nodiscard]] ClientWait<InstanceInfo> async_wait_for_status(const InstanceAddress& name,
                                                                 std::uint64_t seen);
    /// Waits until the run that has this name now has settled: it has ended, and no handler of it
    /// or of its children runs any more. `wait` may return earlier. Errors, blocking and timeout as
    /// with `wait`.
    [[nodiscard]] Result<Outcome> wait_until_settled(const InstanceAddress& name,
                                                     Millis timeout = Millis::max());
    /// The same with the type of its result. Errors: `invalid_argument` for another definition.
    template <class R, class... Params>
    [[nodiscard]] Result<Ended<R>> wait_until_settled(const Definition<R(Params...)>& definition,
                                                      const InstanceAddress& name,
                                                      Millis timeout = Millis::max()) {
        return as_ended<R>(settled_as(definition.name(), name, timeout));
    }
    /// The same without blocking, as with `wait`.
    void wait_until_settled(const InstanceAddress& name, Done<Outcome> done);
    /// The same for a coroutine, as with `async_wait`.
    [[nodiscard]] ClientWait<Outcome> async_wait_until_settled(const InstanceAddress& name);
    /// Waits until a key of the run that has this name now has another value than `known` (none:
    /// until it has one), or the run has ended. Returns the value then; none if it has none. Quick
    /// changes may be seen as one: the last counts. Errors, blocking and timeout as with `wait`.
    [[nodiscard]] Result<std::optional<Payload>> wait_for_value(
        const InstanceAddress& name,
        const std::string& key,
        const std::optional<Payload>& known = std::nullopt,
        Millis timeout = Millis::max());
    /// The same with a type. Errors: `invalid_argument` if the value is no T or its Codec throws.
    template <class T>
    [[nodiscard]] Result<std::optional<T>> wait_for_value(
        const InstanceAddress& name,
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
        return detail::decode_found<T>("the value of key '" + key + "'",
                                       wait_for_value(name, key, known_payload, timeout));
    }
    /// The same without blocking, as with `wait`.
    void wait_for_value(const InstanceAddress& name,
                        const std::string& key,
                        const std::optional<Payload>& known,
                        Done<std::optional<Payload>> done);
    /// The same for a coroutine, as with `async_wait`.
    [[nodiscard]] ClientWait<std::optional<Payload>> async_wait_for_value(
        const InstanceAddress& name,
        const std::string& key,
        const std::optional<Payload>& known = std::nullopt);
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

private:
    friend class AnyRun;

    /// For a handle: asks the same service, and waits with the same waiters.
    Client(std::shared_ptr<Service> service, std::shared_ptr<client::Waits> waits);

    template <class T>
    [[nodiscard]] static Result<Payload> encoded(const char* what, const T& value) {
        return detail::try_codec(what, [&] { return detail::encode_message(value); });
    }
    template <class R>
    [[nodiscard]] static Result<Ended<R>> as_ended(Result<Outcome> outcome) {
        if (!outcome) return outcome.error();
        return Ended<R>(std::move(*outcome));
    }
    [[nodiscard]] Result<StartResult> begin(std::string definition,
                                            Payload input,
                                            const StartOptions& options);
    [[nodiscard]] Result<std::optional<Payload>> custom_status_payload(const InstanceAddress& name);
    [[nodiscard]] Result<std::vector<std::pair<ExecutionInfo, Payload>>> executions_with_input(
        std::string_view definition, const InstanceAddress& name);
    [[nodiscard]] Result<Outcome> outcome_as(std::string_view definition,
                                             const InstanceAddress& name);
    [[nodiscard]] Result<Outcome> wait_as(std::string_view definition,
                                          const InstanceAddress& name,
                                          Millis timeout);
    [[nodiscard]] Result<Outcome> settled_as(std::string_view definition,
                                             const InstanceAddress& name,
                                             Millis timeout);

    [[nodiscard]] requests::Start request_of(std::string definition,
                                             Payload input,
                                             const StartOptions& options) const;
    [[nodiscard]] requests::Rerun request_of(const InstanceAddress& name,
                                             const RerunOptions& options) const;
    [[nodiscard]] requests::Cancel request_of(const InstanceAddress& name,
                                              const CancelOptions& options) const;
    [[nodiscard]] static requests::CancelMany request_of(const CancelTargets& targets,
                                                         const CancelOptions& options);

    std::shared_ptr<client::Waits> waits_;
    bool closes_waits_ = true;
};

}  // namespace belay
