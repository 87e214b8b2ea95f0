// JSON as a payload, and types of your own by way of it: with nlohmann-json (Debian's
// nlohmann-json3-dev). No other header of Belay includes this one, and nothing is linked.
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

/// The deepest nesting of arrays and objects. The library writes and copies them by recursion, and
/// data from outside must not exhaust the stack of a worker.
inline constexpr int kDeepestJson = 500;

/// Removes the name of a class in brackets, with which messages of nlohmann-json begin.
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

/// Refuses values that would differ when they are read again.
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
/// Throws std::invalid_argument for values that JSON does not have (text that is not UTF-8, a
/// number that is not finite, bytes), and for more than 500 levels of nesting. Note that 1 and 1.0,
/// which nlohmann-json calls equal, are different texts: replayed code must make the same of the
/// two each time, as unchanged code does.
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
/// Throws a DecodeError for JSON that does not fit. It names the type and the member that is
/// missing or of another kind; and the place, if the program is compiled with JSON_DIAGNOSTICS=1.
/// No exception of nlohmann-json gets out, but those that `to_json` and `from_json` throw
/// themselves do. Numbers are converted as nlohmann-json does, which is as C++ does: 4294967297 and
/// 1.9 both become 1 in an int. Check data from outside in `from_json`.
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
