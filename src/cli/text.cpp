#include "cli/text.hpp"

#include "base/utf8.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstdio>
#include <vector>

namespace belay::cli {

namespace {

struct CodeRange {
    char32_t first;
    char32_t last;
};

/// Invisible marks with which a text can pretend to be another one.
constexpr std::array kInvisible{CodeRange{0x061C, 0x061C},
                                CodeRange{0x200B, 0x200F},
                                CodeRange{0x2028, 0x202E},
                                CodeRange{0x2060, 0x206F},
                                CodeRange{0xFEFF, 0xFEFF},
                                CodeRange{0xFFF9, 0xFFFB},
                                CodeRange{0xE0000, 0xE007F}};
/// Marks that are drawn onto the character before them.
constexpr std::array kCombining{CodeRange{0x0300, 0x036F},
                                CodeRange{0x0483, 0x0489},
                                CodeRange{0x0591, 0x05BD},
                                CodeRange{0x064B, 0x065F},
                                CodeRange{0x0E31, 0x0E31},
                                CodeRange{0x0E34, 0x0E3A},
                                CodeRange{0x1AB0, 0x1AFF},
                                CodeRange{0x1DC0, 0x1DFF},
                                CodeRange{0x20D0, 0x20FF},
                                CodeRange{0xFE00, 0xFE0F},
                                CodeRange{0xFE20, 0xFE2F}};
/// Characters that take two columns.
constexpr std::array kWide{CodeRange{0x1100, 0x115F},
                           CodeRange{0x2E80, 0x303E},
                           CodeRange{0x3041, 0x33FF},
                           CodeRange{0x3400, 0x4DBF},
                           CodeRange{0x4E00, 0x9FFF},
                           CodeRange{0xA000, 0xA4CF},
                           CodeRange{0xAC00, 0xD7A3},
                           CodeRange{0xF900, 0xFAFF},
                           CodeRange{0xFE30, 0xFE4F},
                           CodeRange{0xFF00, 0xFF60},
                           CodeRange{0xFFE0, 0xFFE6},
                           CodeRange{0x1F300, 0x1F64F},
                           CodeRange{0x1F680, 0x1F6FF},
                           CodeRange{0x1F900, 0x1F9FF},
                           CodeRange{0x20000, 0x3FFFD}};

template <std::size_t N>
bool is_in(const std::array<CodeRange, N>& ranges, char32_t code) noexcept {
    for (const CodeRange& range : ranges) {
        if (code >= range.first && code <= range.last) return true;
    }
    return false;
}

/// The code point of a valid sequence.
char32_t decode(std::string_view sequence) noexcept {
    const auto first = static_cast<unsigned char>(sequence[0]);
    if (sequence.size() == 1) return first;
    char32_t code = first & (0x7FU >> sequence.size());
    for (const char c : sequence.substr(1)) {
        code = (code << 6U) | (static_cast<unsigned char>(c) & 0x3FU);
    }
    return code;
}

/// The next piece of a text: a sequence, or one byte that is none.
struct Piece {
    std::string_view bytes;
    bool valid;
};

Piece piece_at(std::string_view text, std::size_t at) noexcept {
    const std::size_t size = base::utf8_sequence(text.substr(at));
    return {text.substr(at, size == 0 ? 1 : size), size != 0};
}

std::string escaped(const Piece& piece) {
    char buffer[16];
    if (piece.valid && piece.bytes.size() > 1) {
        std::snprintf(buffer,
                      sizeof buffer,
                      "\\u{%x}",
                      static_cast<unsigned>(decode(piece.bytes)));  // A mark, or a C1 control.
        return buffer;
    }
    if (piece.bytes == "\n") return "\\n";
    if (piece.bytes == "\t") return "\\t";
    std::snprintf(
        buffer, sizeof buffer, "\\x%02x", static_cast<unsigned char>(piece.bytes.front()));
    return buffer;
}

std::string shown(std::string_view text, bool keep_lines) {
    std::string result;
    for (std::size_t at = 0; at < text.size();) {
        const Piece piece = piece_at(text, at);
        at += piece.bytes.size();
        const bool kept = keep_lines && (piece.bytes == "\n" || piece.bytes == "\t");
        const bool harmless = piece.valid && !base::is_control(piece.bytes) &&
                              !is_in(kInvisible, decode(piece.bytes));
        if (kept || harmless) {
            result += piece.bytes;
        } else {
            result += escaped(piece);
        }
    }
    return result;
}

std::size_t columns_of_piece(const Piece& piece) noexcept {
    if (!piece.valid) return 1;
    const char32_t code = decode(piece.bytes);
    if (is_in(kCombining, code)) return 0;
    return is_in(kWide, code) ? 2 : 1;
}

}  // namespace

std::string safe(std::string_view text) { return shown(text, false); }
std::string safe_lines(std::string_view text) { return shown(text, true); }

bool is_utf8(std::string_view text) noexcept {
    for (std::size_t at = 0; at < text.size();) {
        const Piece piece = piece_at(text, at);
        if (!piece.valid) return false;
        at += piece.bytes.size();
    }
    return true;
}

std::size_t columns_of(std::string_view text) noexcept {
    std::size_t columns = 0;
    for (std::size_t at = 0; at < text.size();) {
        const Piece piece = piece_at(text, at);
        columns += columns_of_piece(piece);
        at += piece.bytes.size();
    }
    return columns;
}

std::string fitted(std::string_view text, std::size_t columns) {
    if (columns_of(text) <= columns) return std::string(text);
    if (columns == 0) return {};
    std::size_t used = 1;  // The mark.
    std::size_t at = 0;
    while (at < text.size()) {
        const Piece piece = piece_at(text, at);
        const std::size_t more = columns_of_piece(piece);
        if (used + more > columns) break;
        used += more;
        at += piece.bytes.size();
    }
    return std::string(text.substr(0, at)) + "…";
}

std::string fitted_in_middle(std::string_view text, std::size_t columns) {
    if (columns_of(text) <= columns) return std::string(text);
    if (columns < 3) return fitted(text, columns);
    std::vector<Piece> pieces;
    for (std::size_t at = 0; at < text.size(); at += pieces.back().bytes.size()) {
        pieces.push_back(piece_at(text, at));
    }
    std::string left;
    std::size_t used = 1;  // The mark.
    for (const Piece& piece : pieces) {
        if (used + columns_of_piece(piece) > (columns + 1) / 2) break;
        used += columns_of_piece(piece);
        left += piece.bytes;
    }
    std::string_view right;
    for (std::size_t i = pieces.size(); i-- > 0;) {
        if (used + columns_of_piece(pieces[i]) > columns) break;
        used += columns_of_piece(pieces[i]);
        right = text.substr(text.size() - right.size() - pieces[i].bytes.size());
    }
    return left + "…" + std::string(right);
}

std::string wrapped(std::string_view text, std::size_t indent, std::size_t width) {
    std::string result;
    std::size_t column = indent;
    const std::size_t most = std::max(width, indent + 20);
    while (!text.empty()) {
        const std::size_t end = std::min(text.find(' '), text.size());
        const std::string_view word = text.substr(0, end);
        text.remove_prefix(std::min(end + 1, text.size()));
        if (column > indent && column + 1 + columns_of(word) > most) {
            result += "\n" + std::string(indent, ' ');
            column = indent;
        } else if (column > indent) {
            result += ' ';
            ++column;
        }
        result += word;
        column += columns_of(word);
    }
    return result;
}

std::string indented(std::string_view text, std::size_t indent) {
    while (text.ends_with('\n')) text.remove_suffix(1);
    std::string result;
    for (const char c : text) {
        result += c;
        if (c == '\n') result.append(indent, ' ');
    }
    return result;
}

std::string last_lines(std::string_view text, std::size_t most) {
    while (text.ends_with('\n')) text.remove_suffix(1);
    const auto lines = static_cast<std::size_t>(std::count(text.begin(), text.end(), '\n')) + 1;
    if (lines <= most) return std::string(text);
    std::string_view rest = text;
    for (std::size_t i = most; i < lines; ++i) rest.remove_prefix(rest.find('\n') + 1);
    return "... (" + std::to_string(lines - most) + (lines - most == 1 ? " line" : " lines") +
           " before)\n" + std::string(rest);
}

}  // namespace belay::cli
