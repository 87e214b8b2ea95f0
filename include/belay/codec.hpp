// Codecs, which turn values into payloads and back.
#pragma once

#include <belay/exceptions.hpp>
#include <belay/payload.hpp>

#include <charconv>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>
#include <system_error>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

namespace belay {

/// Specialise this for a type of your own:
///
///     template <> struct belay::Codec<Money> {
///         static Payload encode(const Money& value);
///         static Money decode(const Payload& payload);   // throws DecodeError
///     };
///
/// Equal values must give equal bytes: they are compared on replay and hashed for idempotent
/// starts. Both functions are called from several threads at once. `encode` must leave
/// Payload::flags 0: a payload with other flags is refused. Strings, numbers, booleans and bytes
/// (`std::vector<std::byte>`) are built in, and containers of types that have a Codec
/// (codec_containers.hpp). For types that become JSON see json.hpp.
template <class T>
struct Codec;

/// A type with a Codec: it can be a parameter, a result, a message or a value.
template <class T>
concept Encodable = requires(const T& value, const Payload& payload) {
    { Codec<T>::encode(value) } -> std::same_as<Payload>;
    { Codec<T>::decode(payload) } -> std::same_as<T>;
};

namespace detail {

inline void expect_codec(const Payload& payload, PayloadCodec codec, const char* wanted) {
    if (payload.flags != 0) {
        throw DecodeError(std::string("expected ") + wanted +
                          ", got a payload that is compressed or encrypted (flags " +
                          std::to_string(payload.flags) +
                          "): open the store with the coders that wrote it (make_coded_store)");
    }
    if (payload.codec != codec) {
        throw DecodeError(std::string("expected ") + wanted + ", got a payload with codec " +
                          std::to_string(static_cast<int>(payload.codec)));
    }
}

template <class Number>
Number parse_number(const std::string& text, const char* wanted) {
    Number value{};
    const char* const end = text.data() + text.size();
    const auto [stopped, problem] = std::from_chars(text.data(), end, value);
    if (problem != std::errc() || stopped != end) {
        throw DecodeError("'" + text + "' is not " + wanted);
    }
    return value;
}

template <class Number>
std::string format_number(Number value) {
    char buffer[64];
    const auto [end, problem] = std::to_chars(buffer, buffer + sizeof buffer, value);
    (void)problem;  // 64 characters hold every shortest form.
    return std::string(buffer, end);
}

template <class T>
concept PlainInteger = std::integral<T> && !std::same_as<T, bool> && !std::same_as<T, char> &&
                       !std::same_as<T, wchar_t> && !std::same_as<T, char8_t> &&
                       !std::same_as<T, char16_t> && !std::same_as<T, char32_t>;

}  // namespace detail

/// Text, as UTF-8.
template <>
struct Codec<std::string> {
    static Payload encode(const std::string& value) { return Payload::text(value); }
    static std::string decode(const Payload& payload) {
        detail::expect_codec(payload, PayloadCodec::text, "text");
        return payload.bytes;
    }
};

/// "true" or "false".
template <>
struct Codec<bool> {
    static Payload encode(bool value) {
        return Payload(PayloadCodec::boolean, value ? "true" : "false");
    }
    static bool decode(const Payload& payload) {
        detail::expect_codec(payload, PayloadCodec::boolean, "a boolean");
        if (payload.bytes != "true" && payload.bytes != "false") {
            throw DecodeError("'" + payload.bytes + "' is not a boolean");
        }
        return payload.bytes == "true";
    }
};

/// Integers of every size, as decimal text: one that is too large for T does not decode.
template <detail::PlainInteger T>
struct Codec<T> {
    static Payload encode(T value) {
        return Payload(PayloadCodec::integer, detail::format_number(value));
    }
    static T decode(const Payload& payload) {
        detail::expect_codec(payload, PayloadCodec::integer, "an integer");
        return detail::parse_number<T>(payload.bytes, "an integer of this size");
    }
};

/// Numbers, as the shortest text that reads back as the same.
template <std::floating_point T>
struct Codec<T> {
    static Payload encode(T value) {
        return Payload(PayloadCodec::real, detail::format_number(value));
    }
    static T decode(const Payload& payload) {
        detail::expect_codec(payload, PayloadCodec::real, "a number");
        return detail::parse_number<T>(payload.bytes, "a number");
    }
};

/// Bytes as they are.
template <>
struct Codec<std::vector<std::byte>> {
    static Payload encode(const std::vector<std::byte>& value) {
        std::string bytes(value.size(), '\0');
        if (!value.empty()) std::memcpy(bytes.data(), value.data(), value.size());
        return Payload(PayloadCodec::bytes, std::move(bytes));
    }
    static std::vector<std::byte> decode(const Payload& payload) {
        detail::expect_codec(payload, PayloadCodec::bytes, "bytes");
        std::vector<std::byte> value(payload.bytes.size());
        if (!value.empty()) std::memcpy(value.data(), payload.bytes.data(), value.size());
        return value;
    }
};

/// A payload passed on as it is.
template <>
struct Codec<Payload> {
    static Payload encode(const Payload& value) { return value; }
    static Payload decode(const Payload& payload) { return payload; }
};

namespace detail {

/// Several payloads as one, and back.
[[nodiscard]] Payload join_payloads(const std::vector<Payload>& parts);
[[nodiscard]] std::vector<Payload> split_payloads(const Payload& joined, std::size_t count);

/// No argument is no value, one is itself, several are joined.
template <class... Params>
Payload encode_arguments(const Params&... values) {
    if constexpr (sizeof...(Params) == 0) {
        return {};
    } else if constexpr (sizeof...(Params) == 1) {
        return (Codec<Params>::encode(values), ...);
    } else {
        std::vector<Payload> parts;
        parts.reserve(sizeof...(Params));
        (parts.push_back(Codec<Params>::encode(values)), ...);
        return join_payloads(parts);
    }
}

template <class... Params, std::size_t... I>
std::tuple<Params...> decode_parts(const std::vector<Payload>& parts, std::index_sequence<I...>) {
    return std::tuple<Params...>{Codec<Params>::decode(parts[I])...};
}

template <class... Params>
std::tuple<Params...> decode_arguments(const Payload& payload) {
    if constexpr (sizeof...(Params) == 0) {
        expect_codec(payload, PayloadCodec::none, "no argument");
        return {};
    } else if constexpr (sizeof...(Params) == 1) {
        return std::tuple<Params...>(Codec<Params>::decode(payload)...);
    } else {
        return decode_parts<Params...>(split_payloads(payload, sizeof...(Params)),
                                       std::index_sequence_for<Params...>{});
    }
}

template <class T>
Payload encode_result(const T& value) {
    return Codec<T>::encode(value);
}

template <class T>
T decode_result(const Payload& payload) {
    if constexpr (!std::is_void_v<T>) return Codec<T>::decode(payload);
}

}  // namespace detail

}  // namespace belay

#include <belay/codec_containers.hpp>
