// What a start and a cancel are asked with, and what they answer.
#pragma once

#include <belay/message.hpp>
#include <belay/status.hpp>
#include <belay/store/answer.hpp>
#include <belay/store/parts/start.hpp>
#include <belay/time.hpp>

#include <optional>
#include <string>
#include <utility>

namespace belay {

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

}  // namespace belay
