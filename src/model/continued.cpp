#include "model/continued.hpp"

#include "model/encoding.hpp"

#include <utility>

namespace belay::model {

namespace {

/// Stands in the place of a message's channel: a key and its value follow.
constexpr std::uint64_t kKeyValue = 256;

bool is_channel(std::uint64_t entry) {
    return entry == static_cast<std::uint64_t>(MessageKind::event_raised) ||
           entry == static_cast<std::uint64_t>(MessageKind::queue_message);
}

}  // namespace

Payload pack(const Continued& continued) {
    if (continued.messages.empty() && continued.values.empty()) return continued.input;
    Writer out;
    out.payload(continued.input);
    for (const CarriedMessage& message : continued.messages) {
        out.number(static_cast<std::uint64_t>(message.channel));
        out.text(message.name);
        out.payload(message.payload);
    }
    for (const auto& [key, value] : continued.values) {
        out.number(kKeyValue);
        out.text(key);
        out.payload(value);
    }
    return Payload(PayloadCodec::continued, out.take());
}

Result<Continued> unpack(const Payload& input) {
    Continued continued;
    if (input.codec != PayloadCodec::continued) {
        continued.input = input;
        return continued;
    }
    Reader in(input.bytes);
    continued.input = in.payload();
    while (in.ok() && !in.at_end()) {
        const std::uint64_t entry = in.number();
        if (!is_channel(entry) && entry != kKeyValue) in.fail();
        std::string name = in.text();
        Payload payload = in.payload();
        if (!in.ok()) break;
        if (entry == kKeyValue) {
            continued.values.insert_or_assign(std::move(name), std::move(payload));
        } else {
            continued.messages.push_back(CarriedMessage{
                static_cast<MessageKind>(entry), std::move(name), std::move(payload)});
        }
    }
    if (!in.ok()) {
        return Error(Errc::corrupt, "what the execution before left behind cannot be read");
    }
    return continued;
}

}  // namespace belay::model
