// Codecs of containers whose values have a Codec. Included by codec.hpp.
//
//     inline constexpr belay::Activity<std::map<std::string, int>(std::vector<std::string>)> Count{
//         "Count"};
//
// Each element is stored with its own codec, as the arguments of a call are. So a container of
// types that cannot be stored (a view, a pointer) does not compile either. Hash maps have no Codec:
// equal ones would not give equal bytes.
#pragma once

#include <belay/codec.hpp>

#include <array>
#include <concepts>
#include <cstddef>
#include <map>
#include <optional>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

namespace belay {

namespace detail {

/// Splits a result of `join_payloads`: as many as there are, or as many as there must be. `wanted`
/// is for the DecodeError: "a list".
[[nodiscard]] std::vector<Payload> split_elements(const Payload& joined, const char* wanted);
[[nodiscard]] std::vector<Payload> split_elements(const Payload& joined,
                                                  const char* wanted,
                                                  std::size_t count);

template <class... Ts>
Payload encode_elements(const Ts&... values) {
    std::vector<Payload> parts;
    parts.reserve(sizeof...(Ts));
    (parts.push_back(Codec<Ts>::encode(values)), ...);
    return join_payloads(parts);
}

/// Decodes an element; an error names its place.
template <class T>
T decode_element(const std::vector<Payload>& parts, std::size_t at) {
    try {
        return Codec<T>::decode(parts[at]);
    } catch (const DecodeError& problem) {
        throw DecodeError("element " + std::to_string(at) + ": " + problem.what());
    }
}

template <class T>
concept MapKey = std::same_as<T, std::string> || PlainInteger<T>;

}  // namespace detail

/// Any number of values.
template <Encodable T>
struct Codec<std::vector<T>> {
    static Payload encode(const std::vector<T>& values) {
        std::vector<Payload> parts;
        parts.reserve(values.size());
        for (const auto& value : values) parts.push_back(Codec<T>::encode(value));
        return detail::join_payloads(parts);
    }
    static std::vector<T> decode(const Payload& payload) {
        const std::vector<Payload> parts = detail::split_elements(payload, "a list");
        std::vector<T> values;
        values.reserve(parts.size());
        for (std::size_t i = 0; i < parts.size(); ++i) {
            values.push_back(detail::decode_element<T>(parts, i));
        }
        return values;
    }
};

/// N values.
template <Encodable T, std::size_t N>
struct Codec<std::array<T, N>> {
    static Payload encode(const std::array<T, N>& values) {
        std::vector<Payload> parts;
        parts.reserve(N);
        for (const T& value : values) parts.push_back(Codec<T>::encode(value));
        return detail::join_payloads(parts);
    }
    static std::array<T, N> decode(const Payload& payload) {
        return made_of(detail::split_elements(payload, "an array", N),
                       std::make_index_sequence<N>{});
    }

private:
    template <std::size_t... I>
    static std::array<T, N> made_of([[maybe_unused]] const std::vector<Payload>& parts,
                                    std::index_sequence<I...> /*places*/) {
        return std::array<T, N>{{detail::decode_element<T>(parts, I)...}};
    }
};

/// Encodes both of its values.
template <Encodable A, Encodable B>
struct Codec<std::pair<A, B>> {
    static Payload encode(const std::pair<A, B>& value) {
        return detail::encode_elements(value.first, value.second);
    }
    static std::pair<A, B> decode(const Payload& payload) {
        const std::vector<Payload> parts = detail::split_elements(payload, "a pair", 2);
        return std::pair<A, B>{detail::decode_element<A>(parts, 0),
                               detail::decode_element<B>(parts, 1)};
    }
};

/// Encodes all of its values, in their order.
template <Encodable... Ts>
struct Codec<std::tuple<Ts...>> {
    static Payload encode(const std::tuple<Ts...>& values) {
        return std::apply([](const Ts&... each) { return detail::encode_elements(each...); },
                          values);
    }
    static std::tuple<Ts...> decode(const Payload& payload) {
        return made_of(detail::split_elements(payload, "a tuple", sizeof...(Ts)),
                       std::index_sequence_for<Ts...>{});
    }

private:
    template <std::size_t... I>
    static std::tuple<Ts...> made_of([[maybe_unused]] const std::vector<Payload>& parts,
                                     std::index_sequence<I...> /*places*/) {
        return std::tuple<Ts...>{detail::decode_element<Ts>(parts, I)...};
    }
};

/// One value or none. No value differs from every value, also from another optional without one.
template <Encodable T>
struct Codec<std::optional<T>> {
    static Payload encode(const std::optional<T>& value) {
        return value ? detail::encode_elements(*value) : detail::join_payloads({});
    }
    static std::optional<T> decode(const Payload& payload) {
        const std::vector<Payload> parts = detail::split_elements(payload, "an optional value");
        if (parts.empty()) return std::nullopt;
        if (parts.size() > 1) {
            throw DecodeError("expected an optional value, got " + std::to_string(parts.size()) +
                              " values");
        }
        return std::optional<T>(std::in_place, Codec<T>::decode(parts.front()));
    }
};

/// By key, in the order of the keys.
template <detail::MapKey K, Encodable V>
struct Codec<std::map<K, V>> {
    static Payload encode(const std::map<K, V>& values) {
        std::vector<Payload> parts;
        parts.reserve(2 * values.size());
        for (const auto& [key, value] : values) {
            parts.push_back(Codec<K>::encode(key));
            parts.push_back(Codec<V>::encode(value));
        }
        return detail::join_payloads(parts);
    }
    static std::map<K, V> decode(const Payload& payload) {
        const std::vector<Payload> parts = detail::split_elements(payload, "a map");
        if (parts.size() % 2 != 0) throw DecodeError("the last key of the map has no value");
        std::map<K, V> values;
        for (std::size_t i = 0; i < parts.size(); i += 2) {
            K key = detail::decode_element<K>(parts, i);
            const auto [at, added] = values.emplace(std::move(key), decode_value(parts, i));
            if (!added) throw DecodeError("the map has the key '" + parts[i].bytes + "' twice");
        }
        return values;
    }

private:
    static V decode_value(const std::vector<Payload>& parts, std::size_t key_at) {
        try {
            return Codec<V>::decode(parts[key_at + 1]);
        } catch (const DecodeError& problem) {
            throw DecodeError("key '" + parts[key_at].bytes + "': " + problem.what());
        }
    }
};

}  // namespace belay
