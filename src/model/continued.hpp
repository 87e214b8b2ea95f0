// What an execution takes along when it continues as new.
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
    /// That the code has not received; those of one channel in their order.
    std::vector<CarriedMessage> messages;
    std::map<std::string, Payload, std::less<>> values;
    bool operator==(const Continued&) const = default;
};

/// As the input of the next execution: `input` itself if there is nothing else.
[[nodiscard]] Payload pack(const Continued& continued);
/// Of any input: one that takes nothing along is just that. `corrupt` for bytes that are not what
/// they should be.
[[nodiscard]] Result<Continued> unpack(const Payload& input);

}  // namespace belay::model
