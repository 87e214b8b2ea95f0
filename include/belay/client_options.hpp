// What a start and a cancel are asked with, and what they answer.
#pragma once

#include <belay/filter.hpp>
#include <belay/message.hpp>
#include <belay/status.hpp>
#include <belay/store/answer.hpp>
#include <belay/store/parts/start.hpp>
#include <belay/time.hpp>

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace belay {

/// An idempotency key, as whoever looks for it knows it.
struct KeyMatch {
    std::string key;
    std::optional<std::string> definition{};  ///< Not set: of any.
    std::optional<std::string> owner{};       ///< Not set: of anybody.
    bool operator==(const KeyMatch&) const = default;
};

/// A run that a preview chose.
struct ChosenRun {
    std::string id;
    RunRef run;
    bool operator==(const ChosenRun&) const = default;
};

/// How a run is started. Chained setters: `StartOptions().id("order-7").owner("shop")`.
class StartOptions {
public:
    StartOptions() = default;

    /// The instance's id; without one, a fresh one is made (from the request id, if there is one).
    /// '/' is kept for children.
    StartOptions& id(std::string id) { return set(id_, std::move(id)); }
    /// The namespace; "default" unless something is said.
    StartOptions& space(std::string space) { return set(space_, std::move(space)); }
    /// What happens when the id is in use; it fails, unless something is said.
    StartOptions& on_conflict(IdConflict policy) { return set(on_conflict_, policy); }
    /// Of any number of starts with this key, exactly one creates a run: see IdempotencyKey.
    StartOptions& key(std::string key,
                      KeyScope scope = KeyScope::forever,
                      Millis window = Millis(0)) {
        key_ = IdempotencyKey{std::move(key), scope, window};
        return *this;
    }
    /// Whom it belongs to, for finding, and as a scope of idempotency keys; "default" unless
    /// something is said.
    StartOptions& owner(std::string owner) { return set(owner_, std::move(owner)); }
    /// Who starts it, for people to see.
    StartOptions& started_by(std::string who) { return set(started_by_, std::move(who)); }
    /// A repeat of the request under this id is answered as the first one was.
    StartOptions& request_id(std::string id) { return set(request_id_, std::move(id)); }
    /// The version of its code; the newest of whoever takes its first turn, unless something is
    /// said.
    StartOptions& version(std::string version) { return set(version_, std::move(version)); }
    /// Its first turn is not taken before.
    StartOptions& delay(Millis delay) { return set(delay_, delay); }
    /// Passed on to its activities and children as it is, and to what it starts: trace context and
    /// the like. They read it with `headers()` of their context. A name that begins with "belay-"
    /// is refused: those are Belay's own.
    StartOptions& header(std::string name, std::string value) {
        headers_[std::move(name)] = std::move(value);
        return *this;
    }
    /// A label for finding it: ListOptions::label. Said several times, several.
    StartOptions& label(std::string name, LabelValue value) {
        labels_[std::move(name)] = std::move(value);
        return *this;
    }

private:
    friend class Client;
    template <class T, class U>
    StartOptions& set(T& member, U&& value) {
        member = std::forward<U>(value);
        return *this;
    }

    std::string id_;
    std::string space_ = "default";
    IdConflict on_conflict_ = IdConflict::fail;
    std::optional<IdempotencyKey> key_;
    std::string owner_ = "default";
    std::string started_by_;
    std::string request_id_;
    std::string version_;
    Millis delay_{0};
    Headers headers_;
    Labels labels_;
};

/// How a cancel is asked for.
class CancelOptions {
public:
    CancelOptions() = default;
    /// Why, for people; kept with the run, and seen by its code as Canceled::reason.
    CancelOptions& reason(std::string reason) { return set(reason_, std::move(reason)); }
    /// Who; kept with the run.
    CancelOptions& by(std::string who) { return set(by_, std::move(who)); }
    /// A repeat of the request under this id is answered as the first one was.
    CancelOptions& request_id(std::string id) { return set(request_id_, std::move(id)); }
    /// On whose account; a user's, unless something is said.
    CancelOptions& source(CancelSource source) { return set(source_, source); }
    /// How long this run has from now for its cleanup, in the place of Policy::cancel_deadline of
    /// the client; a shield can still ask for more. A run whose code has been missing for as
    /// long ends at once, and its cleanup is skipped. Not for its children. Of no use to
    /// `terminate`, and no part of what a request id stands for. At least a millisecond and at most
    /// ten years, else `invalid_argument`.
    CancelOptions& deadline(Millis time) { return set(deadline_, time); }

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
};

/// Which runs are canceled together: those that a filter chooses, a tree, or the run that was
/// started with an idempotency key. All that is said must be true of a run.
class CancelTargets {
public:
    /// Those that the filter chooses and that have not ended; at most as many as its limit says.
    /// Runs that start after the cancel began are left alone.
    /// Without `ids`, `statuses`, `tree` and `key`, what has ended is not even looked at.
    CancelTargets(InstanceFilter filter) : filter_(std::move(filter)) {}

    /// Only the instance that has this id, and all below it, parents first. Reaches also children
    /// that a cancel of their parent leaves alone (ParentClose::abandon).
    CancelTargets& tree(std::string id) {
        tree_ = std::move(id);
        return *this;
    }
    /// Only the run that was started with this idempotency key: of any owner and definition, unless
    /// one is said.
    CancelTargets& key(std::string key,
                       std::optional<std::string> definition = std::nullopt,
                       std::optional<std::string> owner = std::nullopt) {
        key_ = KeyMatch{std::move(key), std::move(definition), std::move(owner)};
        return *this;
    }
    /// Only these runs, in this order: those that a preview chose. A run that took over the id of
    /// one of them since then is left alone and counts as `not_found`. At most Limits::bulk_ids.
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

/// What became of a start. With `created` false, `instance` is the run that was there before.
struct StartResult {
    InstanceBrief instance;
    bool created = false;
    bool by_key = false;         ///< Not created because of the idempotency key (else of the id).
    bool input_differs = false;  ///< The run that was there has another input.
};

/// What became of a cancel. One that came too late, or again, is no error.
struct CancelResult {
    InstanceBrief instance;
    bool changed = false;  ///< False: it had been canceled before, or had ended.
};

/// The result of a cancel of many. Of a preview: what the result would be.
struct CancelManyResult {
    /// Looked at: each is canceled, ending already, or not found any more.
    std::uint64_t matched = 0;
    std::uint64_t canceled = 0;        ///< By this request, which changed them.
    std::uint64_t already_ending = 0;  ///< Canceled before, or ended.
    /// Named, and not there or not as the filter says; or gone before it could be canceled.
    std::uint64_t not_found = 0;
    /// The limit was reached: these match and were left alone. The first ones, at most a thousand.
    std::vector<std::string> remaining;
    bool more = false;  ///< More remain than are named.
    /// Set by a preview only: the runs that would be canceled, in that order. CancelTargets::runs
    /// takes them.
    std::vector<ChosenRun> chosen;
    bool operator==(const CancelManyResult&) const = default;
};

}  // namespace belay
