#include "cli/json.hpp"

#include "base/utf8.hpp"

#include <charconv>
#include <cmath>
#include <cstdio>

namespace belay::cli {

namespace {

constexpr int kDeepest = 200;

/// Walks over one value. Each function leaves `at` behind what it has read, or says false.
class JsonScanner {
public:
    explicit JsonScanner(std::string_view text) : text_(text) {}

    bool document() {
        space();
        if (!value(0)) return false;
        space();
        return at_ == text_.size();
    }
    bool number() {
        take('-');
        if (take('0')) {
            if (digit()) return false;
        } else if (!digits()) {
            return false;
        }
        if (take('.') && !digits()) return false;
        if (take('e') || take('E')) {
            if (!take('+')) take('-');
            if (!digits()) return false;
        }
        return true;
    }
    [[nodiscard]] bool at_end() const noexcept { return at_ == text_.size(); }

private:
    [[nodiscard]] char look() const noexcept { return at_ < text_.size() ? text_[at_] : '\0'; }
    [[nodiscard]] bool digit() const noexcept { return look() >= '0' && look() <= '9'; }
    bool take(char c) noexcept {
        if (at_ >= text_.size() || text_[at_] != c) return false;
        ++at_;
        return true;
    }
    bool digits() noexcept {
        if (!digit()) return false;
        while (digit()) ++at_;
        return true;
    }
    void space() noexcept {
        while (look() == ' ' || look() == '\t' || look() == '\n' || look() == '\r') ++at_;
    }
    bool word(std::string_view expected) noexcept {
        if (!text_.substr(at_).starts_with(expected)) return false;
        at_ += expected.size();
        return true;
    }
    bool escape() noexcept {
        const char c = look();
        ++at_;
        if (std::string_view("\"\\/bfnrt").contains(c)) return c != '\0';
        if (c != 'u') return false;
        for (int i = 0; i < 4; ++i, ++at_) {
            const char h = look();
            const bool hex = digit() || (h >= 'a' && h <= 'f') || (h >= 'A' && h <= 'F');
            if (!hex) return false;
        }
        return true;
    }
    bool string() noexcept {
        if (!take('"')) return false;
        while (at_ < text_.size()) {
            if (take('"')) return true;
            if (take('\\')) {
                if (!escape()) return false;
                continue;
            }
            const std::size_t size = base::utf8_sequence(text_.substr(at_));
            if (size == 0 || static_cast<unsigned char>(text_[at_]) < 0x20) return false;
            at_ += size;
        }
        return false;
    }
    /// The members of an array or object, up to the bracket.
    template <class Member>
    bool members(char end, Member member) {
        ++at_;
        space();
        if (take(end)) return true;
        do {
            space();
            if (!member()) return false;
            space();
        } while (take(','));
        return take(end);
    }
    bool value(int depth) {
        if (depth > kDeepest) return false;
        switch (look()) {
            case '{':
                return members('}', [&] {
                    if (!string()) return false;
                    space();
                    if (!take(':')) return false;
                    space();
                    return value(depth + 1);
                });
            case '[': return members(']', [&] { return value(depth + 1); });
            case '"': return string();
            case 't': return word("true");
            case 'f': return word("false");
            case 'n': return word("null");
            default: return number();
        }
    }

    std::string_view text_;
    std::size_t at_ = 0;
};

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
            // C1 too: what a script prints may reach a terminal.
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

bool is_json(std::string_view text) noexcept { return JsonScanner(text).document(); }

bool is_json_number(std::string_view text) noexcept {
    JsonScanner scanner(text);
    return scanner.number() && scanner.at_end();
}

std::string base64(std::string_view bytes) {
    constexpr std::string_view kDigits =
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    std::string text;
    for (std::size_t at = 0; at < bytes.size(); at += 3) {
        const std::string_view group = bytes.substr(at, 3);
        std::uint32_t bits = 0;
        for (std::size_t i = 0; i < 3; ++i) {
            bits = (bits << 8U) | (i < group.size() ? static_cast<unsigned char>(group[i]) : 0U);
        }
        for (std::size_t i = 0; i < 4; ++i) {
            text += i <= group.size() ? kDigits[(bits >> (18U - 6U * i)) & 0x3FU] : '=';
        }
    }
    return text;
}

void JsonWriter::separate() {
    if (!first_) text_ += ',';
    first_ = false;
}

JsonWriter& JsonWriter::open(char bracket) {
    separate();
    text_ += bracket;
    first_ = true;
    return *this;
}

JsonWriter& JsonWriter::close(char bracket) {
    text_ += bracket;
    first_ = false;
    return *this;
}

JsonWriter& JsonWriter::key(std::string_view name) {
    separate();
    append_quoted(text_, name);
    text_ += ':';
    first_ = true;  // No comma between a key and its value.
    return *this;
}

JsonWriter& JsonWriter::text(std::string_view value) {
    separate();
    append_quoted(text_, value);
    return *this;
}

JsonWriter& JsonWriter::number(double value) {
    if (!std::isfinite(value)) return null();
    char buffer[64];
    const auto [end, problem] = std::to_chars(buffer, buffer + sizeof buffer, value);
    (void)problem;  // 64 characters hold every shortest form.
    return raw(std::string_view(buffer, static_cast<std::size_t>(end - buffer)));
}

JsonWriter& JsonWriter::raw(std::string_view value) {
    separate();
    text_ += value;
    return *this;
}

}  // namespace belay::cli
