// The handle of a run that a client has started.
#pragma once

#include <belay/client_options.hpp>
#include <belay/codec.hpp>
#include <belay/detail/signature.hpp>
#include <belay/detail/try_codec.hpp>
#include <belay/ended.hpp>
#include <belay/error.hpp>
#include <belay/instance_address.hpp>

#include <concepts>
#include <memory>
#include <optional>
#include <string>
#include <utility>

namespace belay {

class Client;
class Service;
struct InstanceInfo;

namespace client {
class Waits;
}  // namespace client

/// A started run, or the error of its start. It is exactly this run: no operation reaches a later
/// run of the same id. If an existing run was found instead (IdConflict::use_existing, or an
/// idempotency key), it is that one.
///
/// It is the Result of the start as well: `if (!run->created) ...`. If the start failed, each
/// operation returns the error of the start, so one check at the end is enough. The store (or
/// service) must outlive it. After the client is gone, waits return `unavailable`; all else goes
/// on. Any thread. Copies are cheap and mean the same run.
class AnyRun : public Result<StartResult> {
public:
    /// Made by Client::start.
    AnyRun(const Client& client, std::string definition, Result<StartResult> started);

    /// Returns the id of the instance. The process ends if the start failed.
    [[nodiscard]] const std::string& id() const { return value().instance.name.id; }
    /// Returns the id with its namespace. The process ends if the start failed.
    [[nodiscard]] const InstanceName& name() const { return value().instance.name; }
    /// Returns the run's own key, which no other run has. The process ends if the start failed.
    [[nodiscard]] RunRef ref() const { return value().instance.run; }
    /// Returns its address, for operations of a client. The process ends if the start failed.
    [[nodiscard]] InstanceAddress address() const { return {name(), ref()}; }
    /// As `address`: `client.describe(run)`.
    operator InstanceAddress() const { return address(); }

    /// As Client::cancel.
    Result<CancelResult> cancel(std::string reason = {}) const;
    Result<CancelResult> cancel(const CancelOptions& options) const;
    /// As Client::terminate.
    Result<CancelResult> terminate(std::string reason = {}) const;

    /// Raises an event without a value, for `wait<void>`. As Client::raise.
    Result<void> raise(std::string event) const;
    /// Raises an event with a value.
    Result<void> raise(std::string event, Payload payload) const;
    template <class T>
        requires(!std::same_as<T, Payload>)
    Result<void> raise(std::string event, const T& value) const {
        Result<Payload> payload = detail::try_codec("the value of the event",
                                                    [&] { return detail::encode_message(value); });
        if (!payload) return payload.error();
        return raise(std::move(event), std::move(*payload));
    }
    /// Puts a message into a queue of the run. As Client::enqueue.
    Result<void> enqueue(std::string queue, Payload payload) const;
    template <class T>
        requires(!std::same_as<T, Payload>)
    Result<void> enqueue(std::string queue, const T& value) const {
        Result<Payload> payload =
            detail::try_codec("the message", [&] { return detail::encode_message(value); });
        if (!payload) return payload.error();
        return enqueue(std::move(queue), std::move(*payload));
    }

    /// Returns its state now, as Client::status.
    [[nodiscard]] Result<Status> status() const;
    /// Returns its custom status; none if it has set none. Errors: `invalid_argument` if it is no
    /// T.
    template <class T>
    [[nodiscard]] Result<std::optional<T>> custom_status() const {
        return detail::decode_found<T>("the custom status", custom_status_payload());
    }
    /// Returns everything known of it (belay/store/query.hpp).
    [[nodiscard]] Result<InstanceInfo> inspect() const;

protected:
    [[nodiscard]] Result<Outcome> wait_for_end(Millis timeout) const;
    [[nodiscard]] Result<Outcome> wait_until_all_settled(Millis timeout) const;

private:
    [[nodiscard]] Client client() const;
    [[nodiscard]] Result<std::optional<Payload>> custom_status_payload() const;

    std::shared_ptr<Service> service_;
    std::shared_ptr<client::Waits> waits_;
    std::string definition_;
};

/// A started run whose result is an R; Payload for a run that was started by name.
///
///     auto run = client.start(Hello, "World");
///     std::string greeting = run.result();
template <class R>
class Run : public AnyRun {
public:
    using AnyRun::AnyRun;

    /// Waits until it has ended, in any way; a canceled flow or task: until it has settled. Errors:
    /// `still_running` after `timeout`; `not_found` if it is deleted meanwhile; `invalid_argument`
    /// if an existing run was found that is one of another definition. Blocks: see Client::wait.
    [[nodiscard]] Result<Ended<R>> wait(Millis timeout = Millis::max()) const {
        return as_ended(wait_for_end(timeout));
    }
    /// Waits until it has ended and no handler of it or of its children runs any more. Errors as
    /// with `wait`.
    [[nodiscard]] Result<Ended<R>> wait_until_settled(Millis timeout = Millis::max()) const {
        return as_ended(wait_until_all_settled(timeout));
    }
    /// Waits until it has ended, and returns the result of its code. Throws ResultError if the
    /// start or the wait failed, and what Ended::value throws.
    R result(Millis timeout = Millis::max()) const { return wait(timeout).or_throw().value(); }

    /// Returns the handle itself. Throws ResultError if the start failed.
    const Run& or_throw() const& {
        if (!ok()) detail::throw_error(error());
        return *this;
    }
    Run or_throw() && {
        if (!ok()) detail::throw_error(error());
        return std::move(*this);
    }

private:
    [[nodiscard]] static Result<Ended<R>> as_ended(Result<Outcome> outcome) {
        if (!outcome) return outcome.error();
        return Ended<R>(std::move(*outcome));
    }
};

}  // namespace belay
