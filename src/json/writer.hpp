// JSON, written piece by piece.
#pragma once

#include <concepts>
#include <cstdint>
#include <string>
#include <string_view>

namespace belay::json {

/// Puts commas and quotes where they belong; who uses it sees to it that what is opened is closed.
class Writer {
public:
    Writer() = default;
    /// The members of what is nested less deep than `broken` stand on lines of their own; 0: all is
    /// one line.
    explicit Writer(int broken) : broken_(broken) {}

    Writer& open_object() { return open('{'); }
    Writer& close_object() { return close('}'); }
    Writer& open_array() { return open('['); }
    Writer& close_array() { return close(']'); }
    Writer& key(std::string_view name);

    /// What is not UTF-8 shows as U+FFFD.
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

    // A key and its value.
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
    int depth_ = 0;      ///< How many objects and arrays are open.
    bool first_ = true;  ///< Nothing stands before in this object or array.
    bool after_key_ = false;
};

}  // namespace belay::json
