// Several payloads in one: the arguments of a call.
#include "model/encoding.hpp"
#include <belay/codec.hpp>

namespace belay::detail {

Payload join_payloads(const std::vector<Payload>& parts) {
    model::Writer out;
    out.number(parts.size());
    for (const Payload& part : parts) out.payload(part);
    return Payload(PayloadCodec::arguments, out.take());
}

std::vector<Payload> split_payloads(const Payload& joined, std::size_t count) {
    expect_codec(joined, PayloadCodec::arguments, "several arguments");
    model::Reader in(joined.bytes);
    const std::uint64_t stored = in.number();
    if (in.ok() && stored != count) {
        throw DecodeError("expected " + std::to_string(count) + " arguments, got " +
                          std::to_string(stored));
    }
    std::vector<Payload> parts;
    while (in.ok() && parts.size() < count) parts.push_back(in.payload());
    if (!in.ok() || !in.at_end()) throw DecodeError("the stored arguments cannot be read");
    return parts;
}

}  // namespace belay::detail
