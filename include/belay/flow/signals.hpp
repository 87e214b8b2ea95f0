// Events for a run of a flow, with an answer: whether a step took it. Link belay::flow.
//
//     auto sent = belay::signal_flow(client, "release-3", "approved", "yes").or_throw();
//     if (sent.answer == belay::SignalAnswer::already) ...
#pragma once

#include <belay/client.hpp>
#include <belay/payload.hpp>

#include <concepts>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

namespace belay {

/// The fate of an event.
enum class SignalAnswer : std::uint8_t {
    delivered,     ///< A step waits for it and has it now.
    kept,          ///< It is early: the step that waits for it has not begun. It is kept for it.
    already,       ///< Every wait for it has its event. The first one wins: this one was not sent.
    not_expected,  ///< No step of the definition waits for it, or that step has ended without it.
};

[[nodiscard]] std::string_view to_string(SignalAnswer answer) noexcept;

struct SignalOptions {
    bool anyway = false;       ///< Sends it also if it is not expected, or was there already.
    std::string request_id{};  ///< As Client::raise.
};

struct SignalResult {
    SignalAnswer answer = SignalAnswer::not_expected;
    bool sent = false;
    std::string why{};  ///< For people: "no step waits for 'go'".
};

/// Raises an event for a run of a flow or task, if a step of it waits for it or will. The answer is
/// that of the moment at which the run was read: of two events at the same time, both can be told
/// to be delivered, and the first one wins. Reads the run and replays its history. Errors: those of
/// Client::raise; `invalid_argument` if it is no run of a flow or task.
[[nodiscard]] Result<SignalResult> signal_flow(Client& client,
                                               const InstanceAddress& run,
                                               const std::string& event,
                                               const Payload& value,
                                               const SignalOptions& options = SignalOptions());

/// The same with a value that has a codec.
template <class T>
    requires(!std::same_as<T, Payload>)
[[nodiscard]] Result<SignalResult> signal_flow(Client& client,
                                               const InstanceAddress& run,
                                               const std::string& event,
                                               const T& value,
                                               const SignalOptions& options = SignalOptions()) {
    Result<Payload> payload =
        detail::try_codec("the value of the event", [&] { return detail::encode_message(value); });
    if (!payload) return payload.error();
    return signal_flow(client, run, event, *payload, options);
}

}  // namespace belay
