// Options and results of starts and cancels.
#pragma once

#include <belay/filter.hpp>
#include <belay/message.hpp>
#include <belay/payload.hpp>
#include <belay/status.hpp>
#include <belay/store/brief.hpp>
#include <belay/store/parts/start.hpp>
#include <belay/time.hpp>

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace belay {

/// An idempotency key to look for.
struct KeyMatch {
    std::string key;
    std::optional<std::string> definition{};  ///< Not set: any.
    std::optional<std::string> owner{};       ///< Not set: any.
    bool operator==(const KeyMatch&) const = default;
};

/// A run that a preview chose.
struct ChosenRun {
    std::string id;
    RunRef run;
    bool operator==(const ChosenRun&) const = default;
};

namespace detail {
struct FlowDefaults;
}  // namespace detail

/// Options of a start. Chained setters: `StartOptions().id("order-7").owner("shop")`.
class StartOptions {
public:
    StartOptions() = default;

    /// The instance's id. Default: a fresh one, made from the request id if there is one. '/' is
    /// reserved for children.
    StartOptions& id(std::string id) { return set(id_, std::move(id)); }
    /// The namespace. Default: that of the client (Client::default_namespace).
    StartOptions& space(std::string space) { return set(space_, std::move(space)); }
    /// The effect of a start whose id is in use. Default: it fails.
    StartOptions& on_conflict(IdConflict policy) { return set(on_conflict_, policy); }
    /// Exactly one of all starts with this key creates a run: see IdempotencyKey.
    StartOptions& key(std::string key,
                      KeyScope scope = KeyScope::forever,
                      Millis window = Millis(0)) {
        key_ = IdempotencyKey{std::move(key), scope, window};
        return *this;
    }
    /// The owner, for finding and as a scope of idempotency keys. Default: "default".
    StartOptions& owner(std::string owner) { return set(owner_, std::move(owner)); }
    /// The person or program that starts it, for people to see.
    StartOptions& started_by(std::string who) { return set(started_by_, std::move(who)); }
    /// A repeat of the request under this id gets the first answer.
    StartOptions& request_id(std::string id) { return set(request_id_, std::move(id)); }
    /// The version of its code. Default: the newest that the worker of its first turn has.
    StartOptions& version(std::string version) { return set(version_, std::move(version)); }
    /// Delays its first turn by this long.
    StartOptions& delay(Millis delay) { return set(delay_, delay); }
    /// Added to the priority of each of its activities (CallOptions::priority) and inherited by its
    /// children; larger first. Runs themselves take their turns in the order in which they became
    /// ready. Default: 0.
    StartOptions& priority(std::int32_t priority) { return set(priority_, priority); }
    /// If its first turn has not begun this long after the start, it ends as canceled, by policy,
    /// and none of its code runs. At least a millisecond, and longer than `delay`. Default: never.
    StartOptions& expires(Millis after) { return set(expires_, after); }
    /// If it has not ended this long after the start, it ends as failed (FailureKind::timeout).
    /// None of its code runs any more, its children are canceled and its activities stopped.
    /// Applies to all its executions together. At least a millisecond. Default: never.
    StartOptions& deadline(Millis after) { return set(deadline_, after); }
    /// Of all runs of the definition with this key, one at a time is under way. See WhenBusy.
    StartOptions& concurrency(std::string key, WhenBusy when_busy = WhenBusy::refuse) {
        concurrency_ = Concurrency{std::move(key), when_busy};
        return *this;
    }
    /// At most `count` runs of the definition begin within any `per`, of those that are started
    /// with a rate. See RateOfStarts and WhenOver.
    StartOptions& rate(std::uint32_t count, Millis per, WhenOver when_over = WhenOver::refuse) {
        rate_ = RateOfStarts{count, per, when_over};
        return *this;
    }
    /// A header: trace context and the like. Passed on unchanged to its activities and children,
    /// and to the runs it starts; they read it with `headers()` of their context. Names that begin
    /// with "belay-" are reserved for Belay and refused.
    StartOptions& header(std::string name, std::string value) {
        headers_[std::move(name)] = std::move(value);
        return *this;
    }
    /// Adds a label for finding it: see ListOptions::label.
    StartOptions& label(std::string name, LabelValue value) {
        labels_[std::move(name)] = std::move(value);
        return *this;
    }

    /// The document by which the run is interpreted: see Registry::set_interpreter. It is kept with
    /// the first run that has it, and removed with the last.
    StartOptions& document(Payload text) {
        document_ = std::move(text);
        return *this;
    }
    /// Starts another run of the same definition if this one fails, in the commit that writes the
    /// failure: see NewInstance::on_fail and OrchestrationContext::take_failure. A cancel does not.
    StartOptions& on_fail(bool start = true) { return set(on_fail_, start); }

private:
    friend class Client;
    friend struct detail::FlowDefaults;
    template <class T, class U>
    StartOptions& set(T& member, U&& value) {
        member = std::forward<U>(value);
        return *this;
    }

    std::string id_;
    std::optional<std::string> space_;
    IdConflict on_conflict_ = IdConflict::fail;
    std::optional<IdempotencyKey> key_;
    std::string owner_ = "default";
    std::string started_by_;
    std::string request_id_;
    std::string version_;
    Millis delay_{0};
    std::int32_t priority_ = 0;
    std::optional<Millis> expires_;
    std::optional<Millis> deadline_;
    std::optional<Concurrency> concurrency_;
    std::optional<RateOfStarts> rate_;
    Headers headers_;
    Labels labels_;
    std::optional<Payload> document_;
    bool on_fail_ = false;
};

/// The labels of a rerun and of a resumed run: the id of the run that they repeat. No other rerun
/// takes them over.
inline constexpr const char* kRerunLabel = "rerun-of";
inline constexpr const char* kResumeLabel = "resumed-from";
/// The header of both, for their code: the same id.
inline constexpr const char* kRerunHeader = "rerun-of";

/// Options of a rerun.
class RerunOptions {
public:
    RerunOptions() = default;

    /// The id of the new run. Default: as StartOptions::id.
    RerunOptions& id(std::string id) { return set(id_, std::move(id)); }
    /// Another input, as encoded for the definition. Default: that of the first execution.
    RerunOptions& input(Payload input) { return set(input_, std::move(input)); }
    /// The person or program that starts it, for people to see.
    RerunOptions& started_by(std::string who) { return set(started_by_, std::move(who)); }
    /// The version of its code. Default: the newest that the worker of its first turn has; a run
    /// that has a document keeps its version.
    RerunOptions& version(std::string version) { return set(version_, std::move(version)); }
    /// Delays its first turn by this long.
    RerunOptions& delay(Millis delay) { return set(delay_, delay); }
    /// Adds a header, in the place of one of this name.
    RerunOptions& header(std::string name, std::string value) {
        headers_[std::move(name)] = std::move(value);
        return *this;
    }
    /// Adds a label, in the place of one of this name.
    RerunOptions& label(std::string name, LabelValue value) {
        labels_[std::move(name)] = std::move(value);
        return *this;
    }
    /// As StartOptions::key. Default: none, because the key of the first run is its own.
    RerunOptions& key(std::string key,
                      KeyScope scope = KeyScope::forever,
                      Millis window = Millis(0)) {
        key_ = IdempotencyKey{std::move(key), scope, window};
        return *this;
    }
    /// Another document, as StartOptions::document. Default: that of the run.
    RerunOptions& document(Payload text) {
        document_ = std::move(text);
        return *this;
    }
    /// As StartOptions::on_fail. Default: as the run did.
    RerunOptions& on_fail(bool start) { return set(on_fail_, start); }
    /// The label that names the run that is repeated. Default: kRerunLabel.
    RerunOptions& link(std::string label) { return set(link_, std::move(label)); }
    /// The treatment of its concurrency key, if it has one. Default: it waits in line.
    RerunOptions& when_busy(WhenBusy choice) { return set(when_busy_, choice); }
    /// Another concurrency key, or none if it is empty. Default: that of the run.
    RerunOptions& concurrency_key(std::string key) { return set(concurrency_key_, std::move(key)); }
    /// As StartOptions::rate. Default: none, so a rerun does not count for a rate.
    RerunOptions& rate(std::uint32_t count, Millis per, WhenOver when_over = WhenOver::queue) {
        rate_ = RateOfStarts{count, per, when_over};
        return *this;
    }
    /// A repeat of the request under this id gets the first answer.
    RerunOptions& request_id(std::string id) { return set(request_id_, std::move(id)); }

private:
    friend class Client;
    template <class T, class U>
    RerunOptions& set(T& member, U&& value) {
        member = std::forward<U>(value);
        return *this;
    }

    std::string id_;
    std::optional<Payload> input_;
    std::string started_by_;
    std::string version_;
    Millis delay_{0};
    Headers headers_;
    Labels labels_;
    WhenBusy when_busy_ = WhenBusy::queue;
    std::optional<std::string> concurrency_key_;
    std::optional<RateOfStarts> rate_;
    std::string request_id_;
    std::optional<IdempotencyKey> key_;
    std::optional<Payload> document_;
    std::optional<bool> on_fail_;
    std::string link_ = kRerunLabel;
};

/// Options of a cancel.
class CancelOptions {
public:
    CancelOptions() = default;
    /// The reason, for people; kept with the run, and seen by its code as Canceled::reason.
    CancelOptions& reason(std::string reason) { return set(reason_, std::move(reason)); }
    /// The person or program that cancels; kept with the run.
    CancelOptions& by(std::string who) { return set(by_, std::move(who)); }
    /// A repeat of the request under this id gets the first answer.
    CancelOptions& request_id(std::string id) { return set(request_id_, std::move(id)); }
    /// The source of the cancel. Default: a user.
    CancelOptions& source(CancelSource source) { return set(source_, source); }
    /// The time from now that this run has for its cleanup. Default: Policy::cancel_deadline of the
    /// client. A shield can still ask for more. A run whose code has been missing for as long ends
    /// at once, and its cleanup is skipped. Does not apply to its children or to `terminate`, and
    /// is no part of what a request id stands for. From one millisecond to ten years, else
    /// `invalid_argument`.
    CancelOptions& deadline(Millis time) { return set(deadline_, time); }
    /// Cancels only a run of this definition: a run of another one is `not_found`. For a single
    /// run; refused with `invalid_argument` by `terminate` and `cancel_bulk`, whose filter says it.
    CancelOptions& definition(std::string name) { return set(definition_, std::move(name)); }

private:
    friend class Client;
    template <class T, class U>
    CancelOptions& set(T& member, U&& value) {
        member = std::forward<U>(value);
        return *this;
    }

    std::string reason_;
    std::string by_;
    std::string request_id_;
    CancelSource source_ = CancelSource::user;
    std::optional<Millis> deadline_;
    std::optional<std::string> definition_;
};

/// The runs of one `cancel_bulk`: chosen by a filter, a tree, or an idempotency key. A run must
/// meet all conditions.
class CancelTargets {
public:
    /// Runs that the filter chooses and that have not ended; at most its limit. Runs that start
    /// after the cancel began are left alone. Ended runs are not read unless `ids`, `statuses`,
    /// `tree` or `key` is given.
    CancelTargets(InstanceFilter filter) : filter_(std::move(filter)) {}

    /// Only the instance that has this id, and all below it, parents first. Includes children that
    /// a cancel of their parent leaves alone (ParentClose::abandon).
    CancelTargets& tree(std::string id) {
        tree_ = std::move(id);
        return *this;
    }
    /// Only the run that was started with this idempotency key. Default: of any definition and
    /// owner.
    CancelTargets& key(std::string key,
                       std::optional<std::string> definition = std::nullopt,
                       std::optional<std::string> owner = std::nullopt) {
        key_ = KeyMatch{std::move(key), std::move(definition), std::move(owner)};
        return *this;
    }
    /// Only these runs, in this order: those that a preview chose. A run that has taken over one of
    /// their ids since then is left alone and counts as `not_found`. At most Limits::bulk_ids.
    CancelTargets& runs(std::vector<ChosenRun> runs) {
        runs_ = std::move(runs);
        return *this;
    }

private:
    friend class Client;

    InstanceFilter filter_;
    std::optional<std::string> tree_;
    std::optional<KeyMatch> key_;
    std::optional<std::vector<ChosenRun>> runs_;
};

/// The result of a start. If `created` is false, `instance` is the run that was there before.
struct StartResult {
    InstanceBrief instance;
    bool created = false;
    bool by_key = false;  ///< Not created because of the idempotency key, rather than the id.
    bool input_differs = false;  ///< The run that was there has another input.
};

/// The result of a cancel. A cancel that came too late, or again, is no error. The status is as
/// people see it: a flow or task reads `canceling` until it has settled (belay/shown_status.hpp).
struct CancelResult {
    InstanceBrief instance;
    bool changed = false;  ///< False if it had been canceled before, or had ended.
};

/// Runs that have ended and can run again: Client::find_ended.
struct EndedRuns {
    std::vector<InstanceBrief> found;
    std::uint64_t started_again = 0;  ///< Runs that match and were run again, or resumed, before.
    bool more = false;                ///< The limit of the filter has left some.
};

/// The result of Client::rerun_many.
struct RerunManyResult {
    /// A run that could not be started again.
    struct Refused {
        InstanceName name;
        Error why;
    };
    std::uint64_t started = 0;       ///< Runs that were started.
    std::uint64_t there = 0;         ///< Their new runs were there already.
    std::vector<Refused> refused{};  ///< In the order of the runs.
};

/// The result of a cancel of many, or, from a preview, the result it would have.
struct CancelManyResult {
    /// Runs that were looked at: each is canceled, ending already, or not found any more.
    std::uint64_t matched = 0;
    std::uint64_t canceled = 0;        ///< Canceled by this request.
    std::uint64_t already_ending = 0;  ///< Canceled before, or ended.
    /// Named, but not there or not matched by the filter; or gone before the cancel.
    std::uint64_t not_found = 0;
    /// Runs that match and were left alone because of the limit: the first ones, at most a
    /// thousand.
    std::vector<std::string> remaining;
    bool more = false;  ///< More remain than are named.
    /// Set by a preview only: the runs that would be canceled, in that order, for
    /// CancelTargets::runs.
    std::vector<ChosenRun> chosen;
    bool operator==(const CancelManyResult&) const = default;
};

}  // namespace belay
