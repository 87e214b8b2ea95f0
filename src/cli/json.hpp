// JSON for scripts: written piece by piece, one line each document.
#pragma once

#include <concepts>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace belay::cli {

/// Whether `text` is one JSON value (RFC 8259), nested at most so deep that a reader can bear it.
[[nodiscard]] bool is_json(std::string_view text) noexcept;

/// Whether `text` is a number as JSON writes it.
[[nodiscard]] bool is_json_number(std::string_view text) noexcept;

[[nodiscard]] std::string base64(std::string_view bytes);

/// Puts commas and quotes where they belong; who uses it sees to it that what is opened is closed.
class JsonWriter {
public:
    JsonWriter& open_object() { return open('{'); }
    JsonWriter& close_object() { return close('}'); }
    JsonWriter& open_array() { return open('['); }
    JsonWriter& close_array() { return close(']'); }
    JsonWriter& key(std::string_view name);

    /// What is not UTF-8 shows as U+FFFD.
    JsonWriter& text(std::string_view value);
    template <std::integral Number>
    JsonWriter& number(Number value) {
        return raw(std::to_string(value));
    }
    JsonWriter& number(double value);
    JsonWriter& boolean(bool value) { return raw(value ? "true" : "false"); }
    JsonWriter& null() { return raw("null"); }
    /// `value` is JSON already.
    JsonWriter& raw(std::string_view value);

    // A key and its value.
    JsonWriter& field(std::string_view name, std::string_view value) {
        return key(name).text(value);
    }
    JsonWriter& field(std::string_view name, const std::string& value) {
        return key(name).text(value);
    }
    JsonWriter& field(std::string_view name, const char* value) { return key(name).text(value); }
    JsonWriter& field(std::string_view name, bool value) { return key(name).boolean(value); }
    template <std::integral Number>
        requires(!std::same_as<Number, bool>)
    JsonWriter& field(std::string_view name, Number value) {
        return key(name).number(value);
    }
    JsonWriter& field(std::string_view name, double value) { return key(name).number(value); }

    [[nodiscard]] const std::string& str() const noexcept { return text_; }

private:
    JsonWriter& open(char bracket);
    JsonWriter& close(char bracket);
    void separate();

    std::string text_;
    bool first_ = true;  ///< Nothing stands before in this object or array.
};

}  // namespace belay::cli
