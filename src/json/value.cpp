#include "json/value.hpp"

#include "json/scanner.hpp"

#include <algorithm>
#include <utility>

namespace belay::json {

namespace {

void append_utf8(std::string& out, std::uint32_t code) {
    const auto put = [&](std::uint32_t byte) { out += static_cast<char>(byte); };
    if (code < 0x80) {
        put(code);
    } else if (code < 0x800) {
        put(0xC0U | (code >> 6U));
        put(0x80U | (code & 0x3FU));
    } else if (code < 0x10000) {
        put(0xE0U | (code >> 12U));
        put(0x80U | ((code >> 6U) & 0x3FU));
        put(0x80U | (code & 0x3FU));
    } else {
        put(0xF0U | (code >> 18U));
        put(0x80U | ((code >> 12U) & 0x3FU));
        put(0x80U | ((code >> 6U) & 0x3FU));
        put(0x80U | (code & 0x3FU));
    }
}

/// Parses four digits, which a scanner has found to be hexadecimal.
std::uint32_t hex4(std::string_view digits) {
    std::uint32_t code = 0;
    for (const char c : digits.substr(0, 4)) {
        const int digit = c <= '9' ? c - '0' : (c | 0x20) - 'a' + 10;
        code = code * 16 + static_cast<std::uint32_t>(digit);
    }
    return code;
}

char plain_escape(char c) {
    switch (c) {
        case 'b': return '\b';
        case 'f': return '\f';
        case 'n': return '\n';
        case 'r': return '\r';
        case 't': return '\t';
        default: return c;
    }
}

/// Decodes a scanned string. Returns false for half of a surrogate pair.
bool unescape(std::string_view raw, std::string& out) {
    for (std::size_t at = raw.find('\\'); at != std::string_view::npos; at = raw.find('\\')) {
        out += raw.substr(0, at);
        const char kind = raw[at + 1];
        raw.remove_prefix(at + 2);
        if (kind != 'u') {
            out += plain_escape(kind);
            continue;
        }
        std::uint32_t code = hex4(raw);
        raw.remove_prefix(4);
        if (code >= 0xD800 && code < 0xE000) {
            if (code >= 0xDC00 || !raw.starts_with("\\u")) return false;
            const std::uint32_t low = hex4(raw.substr(2));
            if (low < 0xDC00 || low >= 0xE000) return false;
            raw.remove_prefix(6);
            code = 0x10000 + ((code - 0xD800) << 10U) + (low - 0xDC00);
        }
        append_utf8(out, code);
    }
    out += raw;
    return true;
}

/// Makes values of the pieces that a scanner finds.
class Builder {
public:
    bool open(bool object) {
        Value value;
        value.kind = object ? Kind::object : Kind::array;
        open_.push_back(std::move(value));
        return true;
    }
    bool close() {
        Value value = std::move(open_.back());
        open_.pop_back();
        if (!distinct(value.names)) return false;
        return put(std::move(value));
    }
    bool name(std::string_view raw) {
        std::string name;
        if (!decode(raw, name)) return false;
        open_.back().names.push_back(std::move(name));
        return true;
    }
    bool text(std::string_view raw) {
        Value value;
        value.kind = Kind::text;
        return decode(raw, value.text) && put(std::move(value));
    }
    bool number(std::string_view raw) {
        Value value;
        value.kind = Kind::number;
        value.text = raw;
        return put(std::move(value));
    }
    bool boolean(bool truth) {
        Value value;
        value.kind = Kind::boolean;
        value.truth = truth;
        return put(std::move(value));
    }
    bool null() { return put(Value()); }

    [[nodiscard]] Value take() { return std::move(root_); }
    /// If not empty: the text is JSON, but not acceptable.
    [[nodiscard]] const std::string& problem() const noexcept { return problem_; }

private:
    bool put(Value value) {
        (open_.empty() ? root_ : open_.back().items.emplace_back()) = std::move(value);
        return true;
    }
    bool decode(std::string_view raw, std::string& out) {
        if (unescape(raw, out)) return true;
        problem_ = "a string has half of a surrogate pair";
        return false;
    }
    bool distinct(const std::vector<std::string>& names) {
        std::vector<std::string_view> sorted(names.begin(), names.end());
        std::sort(sorted.begin(), sorted.end());
        const auto twice = std::adjacent_find(sorted.begin(), sorted.end());
        if (twice == sorted.end()) return true;
        problem_ = "the object that ends here has '" + base::printable(*twice, 64) + "' twice";
        return false;
    }

    Value root_;
    std::vector<Value> open_;
    std::string problem_;
};

/// Returns text like "line 3, column 7".
std::string place_of(std::string_view text, std::size_t at) {
    const std::string_view before = text.substr(0, at);
    const auto lines = std::count(before.begin(), before.end(), '\n');
    const std::size_t last = before.rfind('\n');
    const std::size_t column = last == std::string_view::npos ? at : at - last - 1;
    return "line " + std::to_string(lines + 1) + ", column " + std::to_string(column + 1);
}

}  // namespace

std::string_view to_string(Kind kind) noexcept {
    switch (kind) {
        case Kind::null: return "null";
        case Kind::boolean: return "true or false";
        case Kind::number: return "a number";
        case Kind::text: return "a string";
        case Kind::array: return "a list";
        case Kind::object: return "an object";
    }
    return "nothing known";
}

bool is_json(std::string_view text) {
    NoSink sink;
    return Scanner(text, sink).document();
}

bool is_json_number(std::string_view text) {
    NoSink sink;
    Scanner scanner(text, sink);
    return scanner.number() && scanner.at_end();
}

std::string one_line(std::string_view json) {
    constexpr const char* kHexDigits = "0123456789abcdef";
    std::string line;
    for (std::size_t i = 0; i < json.size(); ++i) {
        const auto byte = static_cast<unsigned char>(json[i]);
        const auto after = static_cast<unsigned char>(i + 1 < json.size() ? json[i + 1] : 0);
        if (byte == '\n' || byte == '\r' || byte == '\t') {
            line += ' ';
        } else if (byte == 0x7f) {
            line += "\\u007f";
        } else if (byte == 0xc2 && after >= 0x80 && after < 0xa0) {
            line += "\\u00";
            line += kHexDigits[after >> 4U];
            line += kHexDigits[after & 0xfU];
            ++i;
        } else {
            line += json[i];
        }
    }
    return line;
}

Result<Value> parse(std::string_view text) {
    Builder builder;
    Scanner scanner(text, builder);
    if (scanner.document()) return builder.take();
    const std::size_t at = scanner.at();
    std::string problem = builder.problem();
    if (problem.empty()) {
        problem = at >= text.size() ? "the text ends in the middle of a value"
                                    : "this is no JSON, or nested too deep";
    }
    return Error(Errc::invalid_argument, place_of(text, at) + ": " + problem);
}

}  // namespace belay::json
