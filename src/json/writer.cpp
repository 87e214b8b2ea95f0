#include "json/writer.hpp"

#include "base/utf8.hpp"

#include <charconv>
#include <cmath>
#include <cstdio>

namespace belay::json {

namespace {

void append_quoted(std::string& out, std::string_view text) {
    out += '"';
    for (std::size_t at = 0; at < text.size();) {
        const std::size_t size = base::utf8_sequence(text.substr(at));
        const char c = text[at];
        if (size == 0) {
            out += "\xEF\xBF\xBD";
            ++at;
            continue;
        }
        if (c == '"' || c == '\\') {
            out += '\\';
            out += c;
        } else if (c == '\n') {
            out += "\\n";
        } else if (c == '\t') {
            out += "\\t";
        } else if (base::is_control(text.substr(at, size))) {
            // Also C1: a script may print the text to a terminal.
            const unsigned code = size == 1 ? static_cast<unsigned char>(c)
                                            : static_cast<unsigned char>(text[at + 1]);
            char buffer[8];
            std::snprintf(buffer, sizeof buffer, "\\u%04x", code);
            out += buffer;
        } else {
            out += text.substr(at, size);
        }
        at += size;
    }
    out += '"';
}

}  // namespace

void Writer::separate() {
    if (!first_) text_ += ',';
    if (depth_ > 0 && depth_ <= broken_ && !after_key_) break_line();
    first_ = false;
    after_key_ = false;
}

void Writer::break_line() {
    text_ += '\n';
    text_.append(2 * static_cast<std::size_t>(depth_), ' ');
}

Writer& Writer::open(char bracket) {
    separate();
    text_ += bracket;
    first_ = true;
    ++depth_;
    return *this;
}

Writer& Writer::close(char bracket) {
    --depth_;
    if (!first_ && depth_ < broken_) break_line();
    text_ += bracket;
    first_ = false;
    return *this;
}

Writer& Writer::key(std::string_view name) {
    separate();
    append_quoted(text_, name);
    text_ += depth_ <= broken_ ? ": " : ":";
    first_ = true;  // No comma between a key and its value.
    after_key_ = true;
    return *this;
}

Writer& Writer::text(std::string_view value) {
    separate();
    append_quoted(text_, value);
    return *this;
}

Writer& Writer::number(double value) {
    if (!std::isfinite(value)) return null();
    char buffer[64];
    const auto [end, problem] = std::to_chars(buffer, buffer + sizeof buffer, value);
    (void)problem;  // 64 characters hold every shortest form.
    return raw(std::string_view(buffer, static_cast<std::size_t>(end - buffer)));
}

Writer& Writer::raw(std::string_view value) {
    separate();
    text_ += value;
    return *this;
}

}  // namespace belay::json
