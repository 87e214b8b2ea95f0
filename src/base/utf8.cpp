#include "base/utf8.hpp"

#include <cstdio>

namespace belay::base {

std::size_t utf8_sequence(std::string_view text) noexcept {
    const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
    const auto follows = [&](std::size_t i, unsigned low, unsigned high) {
        return i < text.size() && byte(i) >= low && byte(i) <= high;
    };
    const unsigned first = byte(0);
    if (first < 0x80) return 1;
    if (first >= 0xC2 && first <= 0xDF) return follows(1, 0x80, 0xBF) ? 2 : 0;
    if (first >= 0xE0 && first <= 0xEF) {
        const unsigned low = first == 0xE0 ? 0xA0 : 0x80;
        const unsigned high = first == 0xED ? 0x9F : 0xBF;
        return follows(1, low, high) && follows(2, 0x80, 0xBF) ? 3 : 0;
    }
    if (first >= 0xF0 && first <= 0xF4) {
        const unsigned low = first == 0xF0 ? 0x90 : 0x80;
        const unsigned high = first == 0xF4 ? 0x8F : 0xBF;
        return follows(1, low, high) && follows(2, 0x80, 0xBF) && follows(3, 0x80, 0xBF) ? 4 : 0;
    }
    return 0;
}

bool is_control(std::string_view sequence) noexcept {
    const auto first = static_cast<unsigned char>(sequence[0]);
    if (sequence.size() == 1) return first < 0x20 || first == 0x7F;
    // C1 is encoded as C2 80 to C2 9F.
    return sequence.size() == 2 && first == 0xC2 && static_cast<unsigned char>(sequence[1]) < 0xA0;
}

std::string printable(std::string_view text, std::size_t max_bytes) {
    std::string shown;
    std::size_t at = 0;
    while (at < text.size()) {
        const std::size_t valid = utf8_sequence(text.substr(at));
        const std::string_view sequence = text.substr(at, valid == 0 ? 1 : valid);
        if (at + sequence.size() > max_bytes) break;
        at += sequence.size();
        if (sequence == "\n") {
            shown += "\\n";
        } else if (sequence == "\\") {
            shown += "\\\\";
        } else if (valid == 0 || is_control(sequence)) {
            for (const char c : sequence) {
                char escape[5];
                std::snprintf(escape, sizeof escape, "\\x%02x", static_cast<unsigned char>(c));
                shown += escape;
            }
        } else {
            shown += sequence;
        }
    }
    if (at < text.size()) shown += "...";
    return shown;
}

std::string shortened(std::string text, std::size_t max_bytes) {
    if (text.size() <= max_bytes) return text;
    const std::string mark = "... (cut: it was " + std::to_string(text.size()) + " bytes long)";
    std::size_t end = max_bytes > mark.size() ? max_bytes - mark.size() : 0;
    // Goes back to the beginning of a character.
    while (end > 0 && (static_cast<unsigned char>(text[end]) & 0xC0) == 0x80) --end;
    text.resize(end);
    return text + mark;
}

}  // namespace belay::base
