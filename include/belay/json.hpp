// JSON as a payload, and types of your own by way of it: with nlohmann-json (Debian's
// nlohmann-json3-dev). For who includes it; no other header of Belay does, and nothing is linked.
//
//     struct Order { std::string customer; std::int64_t cents = 0; };
//     NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(Order, customer, cents)
//     template <> struct belay::Codec<Order> : belay::JsonCodec<Order> {};
//
//     inline constexpr belay::Activity<std::string(Order)> Charge{"Charge"};
#pragma once

#include <belay/codec.hpp>
#include <belay/detail/type_name.hpp>

#include <nlohmann/json.hpp>

#include <cmath>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>

namespace belay {

namespace detail {

/// How deep arrays and objects may lie in one another. The library writes and copies them by
/// recursion; what comes from outside must not exhaust the stack of a worker.
inline constexpr int kDeepestJson = 500;

/// Its own messages begin with the name of a class in brackets, which is of no use to people.
inline std::string message_of(const nlohmann::json::exception& problem) {
    const std::string_view text = problem.what();
    const std::size_t end = text.find("] ");
    return std::string(text.starts_with('[') && end != std::string_view::npos ? text.substr(end + 2)
                                                                              : text);
}

inline bool nests_too_deep(std::string_view text) {
    int depth = 0;
    bool quoted = false;
    for (std::size_t i = 0; i < text.size(); ++i) {
        const char c = text[i];
        if (quoted) {
            if (c == '\\') ++i;
            if (c == '"') quoted = false;
        } else if (c == '"') {
            quoted = true;
        } else if (c == '[' || c == '{') {
            if (++depth > kDeepestJson) return true;
        } else if (c == ']' || c == '}') {
            --depth;
        }
    }
    return false;
}

[[noreturn]] inline void refuse_json(const std::string& what) {
    throw std::invalid_argument("belay: this cannot be stored as JSON: " + what);
}

/// Refuses what would not be the same when it is read again.
inline void check_storable(const nlohmann::json& value, int depth = 0) {
    if (value.is_number_float() && !std::isfinite(value.get<double>())) {
        refuse_json("a number that is not finite would become null");
    }
    if (value.is_binary() || value.is_discarded()) refuse_json("it has a value that JSON has not");
    if (!value.is_structured()) return;
    if (depth >= kDeepestJson) {
        refuse_json("it is more than " + std::to_string(kDeepestJson) + " levels deep");
    }
    for (const nlohmann::json& element : value) check_storable(element, depth + 1);
}

}  // namespace detail

/// Any JSON, as text without spaces, the names of an object in their order.
///
/// What JSON cannot say (text that is not UTF-8, a number that is not finite, bytes), and what lies
/// more than 500 levels deep, is refused with std::invalid_argument. Note that 1 and 1.0, which
/// nlohmann-json calls equal, are different texts: have replayed code make the same of the two each
/// time, as code does that does not change.
template <>
struct Codec<nlohmann::json> {
    static Payload encode(const nlohmann::json& value) {
        detail::check_storable(value);
        try {
            return Payload(PayloadCodec::json, value.dump());
        } catch (const nlohmann::json::exception& problem) {
            detail::refuse_json(detail::message_of(problem));
        }
    }
    /// Throws DecodeError, which names the line and the column that are wrong.
    static nlohmann::json decode(const Payload& payload) {
        detail::expect_codec(payload, PayloadCodec::json, "JSON");
        if (detail::nests_too_deep(payload.bytes)) {
            throw DecodeError("this JSON is more than " + std::to_string(detail::kDeepestJson) +
                              " levels deep");
        }
        try {
            return nlohmann::json::parse(payload.bytes);
        } catch (const nlohmann::json::exception& problem) {
            throw DecodeError("this is no JSON: " + detail::message_of(problem));
        }
    }
};

/// The base of a Codec for a type that nlohmann-json can convert: one with `to_json` and
/// `from_json`, by its macros or written by hand.
///
///     template <> struct belay::Codec<Order> : belay::JsonCodec<Order> {};
///
/// What does not fit is a DecodeError that names the type and what is missing or of another kind;
/// and where, if the program is compiled with JSON_DIAGNOSTICS=1. No exception of nlohmann-json
/// gets out. Those that `to_json` and `from_json` throw of their own do. Numbers are converted as
/// nlohmann-json does, which is as C++ does: 4294967297 and 1.9 both become 1 in an int. Check in
/// `from_json` what may come from outside.
template <class T>
struct JsonCodec {
    static Payload encode(const T& value) {
        nlohmann::json json;
        try {
            json = value;
        } catch (const nlohmann::json::exception& problem) {
            detail::refuse_json(detail::message_of(problem));
        }
        return Codec<nlohmann::json>::encode(json);
    }
    static T decode(const Payload& payload) {
        const nlohmann::json json = Codec<nlohmann::json>::decode(payload);
        try {
            return json.get<T>();
        } catch (const nlohmann::json::exception& problem) {
            throw DecodeError("this JSON is no " + detail::type_name(typeid(T)) + ": " +
                              detail::message_of(problem));
        }
    }
};

}  // namespace belay
