// Several payloads in one: the arguments of a call, the elements of a container.
#include "model/arguments.hpp"

#include "model/encoding.hpp"
#include <belay/codec.hpp>

#include <cstdint>
#include <string>

namespace belay {

namespace {

/// The deepest nesting of containers. Deeper ones are shown as bytes.
constexpr int kDeepest = 8;

std::optional<std::vector<Payload>> read_parts(const std::string& bytes) {
    model::Reader in(bytes);
    const std::uint64_t count = in.number();
    std::vector<Payload> parts;
    for (std::uint64_t i = 0; in.ok() && i < count; ++i) parts.push_back(in.payload());
    if (!in.ok() || !in.at_end()) return std::nullopt;
    return parts;
}

bool is_joined(const Payload& payload) {
    return payload.codec == PayloadCodec::arguments && payload.flags == 0;
}

bool goes_deeper_than(int levels, const std::vector<Payload>& parts) {
    for (const Payload& part : parts) {
        if (!is_joined(part)) continue;
        const auto inner = read_parts(part.bytes);
        if (inner && (levels == 0 || goes_deeper_than(levels - 1, *inner))) return true;
    }
    return false;
}

}  // namespace

namespace detail {

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

std::vector<Payload> split_elements(const Payload& joined, const char* wanted) {
    expect_codec(joined, PayloadCodec::arguments, wanted);
    std::optional<std::vector<Payload>> parts = read_parts(joined.bytes);
    if (!parts) throw DecodeError(std::string("the stored bytes are not ") + wanted);
    return std::move(*parts);
}

std::vector<Payload> split_elements(const Payload& joined, const char* wanted, std::size_t count) {
    std::vector<Payload> parts = split_elements(joined, wanted);
    if (parts.size() != count) {
        throw DecodeError(std::string("expected ") + wanted + " of " + std::to_string(count) +
                          ", got " + std::to_string(parts.size()));
    }
    return parts;
}

}  // namespace detail

std::optional<std::vector<Payload>> model::parts_of(const Payload& joined) {
    if (!is_joined(joined)) return std::nullopt;
    std::optional<std::vector<Payload>> parts = read_parts(joined.bytes);
    if (parts && goes_deeper_than(kDeepest - 1, *parts)) return std::nullopt;
    return parts;
}

}  // namespace belay
