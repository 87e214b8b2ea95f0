#include "expr/value_json.hpp"

#include "expr/times.hpp"
#include "json/base64.hpp"
#include "json/writer.hpp"

#include <array>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <utility>
#include <vector>

namespace belay::expr {

namespace {

Value number_from(const std::string& text) {
    const char* const end = text.data() + text.size();
    std::int64_t integer = 0;
    if (const auto read = std::from_chars(text.data(), end, integer);
        read.ec == std::errc() && read.ptr == end) {
        return Value(integer);
    }
    std::uint64_t large = 0;
    if (const auto read = std::from_chars(text.data(), end, large);
        read.ec == std::errc() && read.ptr == end) {
        return Value(large);
    }
    return Value(std::strtod(text.c_str(), nullptr));
}

Value map_from(const json::Value& json) {
    std::vector<Map::Entry> entries;
    entries.reserve(json.items.size());
    for (std::size_t i = 0; i < json.items.size(); ++i) {
        entries.emplace_back(Value(json.names[i]), from_json(json.items[i]));
    }
    // The reader of JSON refuses names that are there twice.
    return Value(Map::make(std::move(entries)).value());
}

std::string key_text(const Value& key) {
    switch (key.kind()) {
        case Kind::text: return key.text();
        case Kind::boolean: return key.boolean() ? "true" : "false";
        case Kind::unsigned_integer: return std::to_string(key.unsigned_integer());
        default: return std::to_string(key.integer());
    }
}

/// Writes values. Fails at the first one that JSON cannot hold.
class JsonWriter {
public:
    bool write(const Value& value) {
        switch (value.kind()) {
            case Kind::null: return done(writer_.null());
            case Kind::boolean: return done(writer_.boolean(value.boolean()));
            case Kind::integer: return done(writer_.number(value.integer()));
            case Kind::unsigned_integer: return done(writer_.number(value.unsigned_integer()));
            case Kind::real: return real(value.real());
            case Kind::text: return done(writer_.text(value.text()));
            case Kind::bytes: return done(writer_.text(json::base64(value.bytes())));
            case Kind::timestamp: return done(writer_.text(to_text(value.timestamp())));
            case Kind::duration: return done(writer_.text(to_text(value.duration())));
            case Kind::type: return done(writer_.text(to_string(value.type())));
            case Kind::optional:
                return value.held() == nullptr ? done(writer_.null()) : write(*value.held());
            case Kind::list: return list(value.list());
            case Kind::map: return map(value.map());
        }
        return false;
    }

    [[nodiscard]] const std::string& text() const noexcept { return writer_.str(); }

private:
    static bool done(const json::Writer& /*writer*/) { return true; }

    /// Keeps a double a double: "1" would be read back as an int.
    bool real(double value) {
        if (!std::isfinite(value)) return false;
        std::array<char, 32> digits{};
        const auto [end, error] =
            std::to_chars(digits.data(), digits.data() + digits.size(), value);
        std::string text(digits.data(), end);
        if (text.find_first_of(".e") == std::string::npos) text += ".0";
        return done(writer_.raw(text));
    }

    bool list(const List& items) {
        writer_.open_array();
        for (const Value& item : items) {
            if (!write(item)) return false;
        }
        return done(writer_.close_array());
    }

    bool map(const Map& map) {
        writer_.open_object();
        for (const auto& [key, value] : map.entries()) {
            writer_.key(key_text(key));
            if (!write(value)) return false;
        }
        return done(writer_.close_object());
    }

    json::Writer writer_;
};

}  // namespace

Value from_json(const json::Value& json) {
    switch (json.kind) {
        case json::Kind::null: return {};
        case json::Kind::boolean: return Value(json.truth);
        case json::Kind::number: return number_from(json.text);
        case json::Kind::text: return Value(json.text);
        case json::Kind::array: {
            List items;
            items.reserve(json.items.size());
            for (const json::Value& item : json.items) items.push_back(from_json(item));
            return Value(std::move(items));
        }
        case json::Kind::object: return map_from(json);
    }
    return {};
}

Result<Value> parse_json(std::string_view text) {
    const auto json = json::parse(text);
    if (!json) return json.error();
    return from_json(*json);
}

Result<std::string> to_json(const Value& value) {
    JsonWriter writer;
    if (writer.write(value)) return writer.text();
    return Error(Errc::invalid_argument, "JSON cannot hold an infinite number or NaN");
}

}  // namespace belay::expr
