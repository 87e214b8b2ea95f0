// JSON, written piece by piece.
#pragma once

#include <concepts>
#include <cstdint>
#include <string>
#include <string_view>

namespace belay::json {

/// Adds commas and quotes. The caller must close everything that it opens.
class Writer {
public:
    Writer() = default;
    /// Members nested less deep than `broken` stand on lines of their own. 0: everything is on one
    /// line.
    explicit Writer(int broken) : broken_(broken) {}

    Writer& open_object() { return open('{'); }
    Writer& close_object() { return close('}'); }
    Writer& open_array() { return open('['); }
    Writer& close_array() { return close(']'); }
    Writer& key(std::string_view name);

    /// Writes U+FFFD for bytes that are not UTF-8.
    Writer& text(std::string_view value);
    template <std::integral Number>
    Writer& number(Number value) {
        return raw(std::to_string(value));
    }
    Writer& number(double value);
    Writer& boolean(bool value) { return raw(value ? "true" : "false"); }
    Writer& null() { return raw("null"); }
    /// `value` is JSON already.
    Writer& raw(std::string_view value);

    // These write a key and its value.
    Writer& field(std::string_view name, std::string_view value) { return key(name).text(value); }
    Writer& field(std::string_view name, const std::string& value) { return key(name).text(value); }
    Writer& field(std::string_view name, const char* value) { return key(name).text(value); }
    Writer& field(std::string_view name, bool value) { return key(name).boolean(value); }
    template <std::integral Number>
        requires(!std::same_as<Number, bool>)
    Writer& field(std::string_view name, Number value) {
        return key(name).number(value);
    }
    Writer& field(std::string_view name, double value) { return key(name).number(value); }

    [[nodiscard]] const std::string& str() const noexcept { return text_; }

private:
    Writer& open(char bracket);
    Writer& close(char bracket);
    void separate();
    void break_line();

    std::string text_;
    int broken_ = 0;
    int depth_ = 0;      ///< The number of open objects and arrays.
    bool first_ = true;  ///< True if nothing stands before in this object or array.
    bool after_key_ = false;
};

}  // namespace belay::json
