// The data that an execution takes along when it continues as new.
#pragma once

#include <belay/error.hpp>
#include <belay/message.hpp>
#include <belay/payload.hpp>

#include <functional>
#include <map>
#include <string>
#include <vector>

namespace belay::model {

struct CarriedMessage {
    MessageKind channel = MessageKind::event_raised;
    std::string name;
    Payload payload;
    bool operator==(const CarriedMessage&) const = default;
};

struct Continued {
    Payload input;
    /// Messages that the code has not received. Those of one channel are in their order.
    std::vector<CarriedMessage> messages;
    std::map<std::string, Payload, std::less<>> values;
    bool operator==(const Continued&) const = default;
};

/// Returns the input of the next execution: `input` itself if there is nothing else.
[[nodiscard]] Payload pack(const Continued& continued);
/// Accepts any input: one that takes nothing along is just the input. Returns `corrupt` if the
/// bytes are damaged.
[[nodiscard]] Result<Continued> unpack(const Payload& input);

}  // namespace belay::model
