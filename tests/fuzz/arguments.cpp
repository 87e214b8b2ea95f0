// Decoding of users' values: single ones, and several in one payload.
#include "fuzz/target.hpp"
#include <belay/codec.hpp>

#include <cmath>

using namespace belay;

namespace {

template <class T>
void try_value(const Payload& payload) {
    try {
        const T value = Codec<T>::decode(payload);
        const Payload again = Codec<T>::encode(value);
        fuzz::require(Codec<T>::encode(Codec<T>::decode(again)) == again, "a value stays the same");
    } catch (const DecodeError&) {
    }
}

void try_arguments(const Payload& payload, std::size_t count) {
    try {
        const std::vector<Payload> parts = detail::split_payloads(payload, count);
        fuzz::require(parts.size() == count, "as many as were asked for");
        const Payload again = detail::join_payloads(parts);
        fuzz::require(detail::split_payloads(again, count) == parts, "arguments stay the same");
    } catch (const DecodeError&) {
    }
    try {
        (void)detail::decode_arguments<std::string, int>(payload);
    } catch (const DecodeError&) {
    }
    try {
        // The recorded form of a program's output.
        (void)detail::decode_arguments<int, int, std::string, std::string, bool, bool>(payload);
    } catch (const DecodeError&) {
    }
}

}  // namespace

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    std::string_view rest = fuzz::text_of(data, size);
    Payload payload;
    payload.codec = static_cast<PayloadCodec>(fuzz::take_byte(rest) % 9);
    const std::size_t count = fuzz::take_byte(rest) % 6;
    payload.bytes = rest;
    try_value<std::string>(payload);
    try_value<bool>(payload);
    try_value<std::int8_t>(payload);
    try_value<std::uint16_t>(payload);
    try_value<std::int64_t>(payload);
    try_value<std::uint64_t>(payload);
    try_value<float>(payload);
    try_value<double>(payload);
    try_value<std::vector<std::byte>>(payload);
    try_value<std::vector<std::vector<int>>>(payload);
    try_value<std::tuple<int, std::optional<std::string>>>(payload);
    try_value<std::map<std::string, bool>>(payload);
    try_value<std::array<double, 2>>(payload);
    try_arguments(payload, count);
    return 0;
}
