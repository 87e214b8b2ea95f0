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
#include <cstddef>
#include <cstdint>
#include <optional>
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

/// Whether the whole number `made` is what a conversion makes of the number `read` that does not
/// fit: of a fraction, anything else than it is; of a whole number, its low bits. Any other number
/// was made by users' code, which may read what it does not write any more.
inline bool is_misfit(const nlohmann::json& read, const nlohmann::json& made) {
    const auto is_negative = [](const nlohmann::json& number) {
        return !number.is_number_unsigned() && number.get<std::int64_t>() < 0;
    };
    const auto bits = made.get<std::uint64_t>();
    if (!read.is_number_float()) {
        const auto others = read.get<std::uint64_t>();
        const bool same = bits == others && is_negative(read) == is_negative(made);
        return !same && (bits & 0xffU) == (others & 0xffU);
    }
    const auto value = read.get<double>();
    if (value < -0x1p63 || value >= 0x1p64 || std::trunc(value) != value) return true;
    return is_negative(made)
               ? value >= 0 || static_cast<std::int64_t>(value) != made.get<std::int64_t>()
               : value < 0 || static_cast<std::uint64_t>(value) != bits;
}

/// A number that does not fit the type that it was read into, and where it is.
struct Misfit {
    std::string path;
    std::string what;
};

/// The first in `read`, of which a value was made that is `made` when it is written again.
inline std::optional<Misfit> find_misfit(const nlohmann::json& read, const nlohmann::json& made) {
    std::optional<Misfit> found;
    if (made.is_number_integer() && read.is_number() && is_misfit(read, made)) {
        found = Misfit{"", read.dump() + " does not fit: it would become " + made.dump()};
    } else if (made.is_object() && read.is_object()) {
        for (auto one = made.begin(); one != made.end() && !found; ++one) {
            const auto same = read.find(one.key());
            if (same != read.end()) found = find_misfit(*same, *one);
            if (found) found->path.insert(0, "/" + one.key());
        }
    } else if (made.is_array() && read.is_array()) {
        for (std::size_t i = 0; i < made.size() && i < read.size() && !found; ++i) {
            found = find_misfit(read[i], made[i]);
            if (found) found->path.insert(0, "/" + std::to_string(i));
        }
    }
    return found;
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
/// and where, if the program is compiled with JSON_DIAGNOSTICS=1. So is a number that a member of a
/// whole-number type cannot hold, with its place: nlohmann-json would make another number of it. It
/// is found by writing again what was read. No exception of nlohmann-json gets out. Those that
/// `to_json` and `from_json` throw of their own do, each from its own direction.
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
            T value = json.get<T>();
            if (const auto misfit = detail::find_misfit(json, written_again(value))) {
                refuse(misfit->what + (misfit->path.empty() ? "" : ", at " + misfit->path));
            }
            return value;
        } catch (const nlohmann::json::exception& problem) {
            refuse(detail::message_of(problem));
        }
    }

private:
    [[noreturn]] static void refuse(const std::string& why) {
        throw DecodeError("this JSON is no " + detail::type_name(typeid(T)) + ": " + why);
    }
    /// Null if it cannot be: then there is nothing to compare, and it was read all the same.
    static nlohmann::json written_again(const T& value) {
        nlohmann::json json;
        try {
            json = value;
        } catch (...) {
            return nullptr;
        }
        return json;
    }
};

}  // namespace belay
