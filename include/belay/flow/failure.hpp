// The failure of a run of a flow, as its handler sees it.
#pragma once

#include <belay/codec.hpp>
#include <belay/flow/value.hpp>
#include <belay/payload.hpp>

#include <cstdint>
#include <string>

namespace belay {

/// The failure of a run, for the steps of `on_fail`.
struct FlowFailure {
    std::string step;          ///< The step that failed.
    std::string kind;          ///< FailureKind: "application", "timeout".
    std::string message;       ///< For people.
    std::string detail;        ///< More for people.
    std::string type;          ///< The type of the error, as ApplicationError::type.
    std::int64_t attempt = 0;  ///< The number of the last attempt.
    bool operator==(const FlowFailure&) const = default;
};

/// JSON, as expressions see it.
template <>
struct Codec<FlowFailure> {
    static Payload encode(const FlowFailure& value);
    static FlowFailure decode(const Payload& payload);
};

/// Expressions see its members.
template <>
inline constexpr bool kIsJson<FlowFailure> = true;

}  // namespace belay
