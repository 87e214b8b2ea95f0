#include "json/base64.hpp"

#include <cstdint>

namespace belay::json {

namespace {

constexpr std::string_view kDigits =
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

}  // namespace

std::string base64(std::string_view bytes) {
    std::string text;
    text.reserve((bytes.size() + 2) / 3 * 4);
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

std::optional<std::string> decode_base64(std::string_view text) {
    if (text.size() % 4 != 0) return std::nullopt;
    std::string bytes;
    bytes.reserve(text.size() / 4 * 3);
    while (!text.empty()) {
        const std::string_view group = text.substr(0, 4);
        text.remove_prefix(4);
        const std::size_t padding = group.ends_with("==") ? 2 : group.ends_with('=') ? 1 : 0;
        if (padding > 0 && !text.empty()) return std::nullopt;
        std::uint32_t bits = 0;
        for (std::size_t i = 0; i < 4; ++i) {
            const std::size_t digit = i + padding >= 4 ? 0 : kDigits.find(group[i]);
            if (digit == std::string_view::npos) return std::nullopt;
            bits = (bits << 6U) | static_cast<std::uint32_t>(digit);
        }
        // Bits that padding leaves over must be zero: only one text is right for some bytes.
        if (padding > 0 && (bits & (padding == 1 ? 0xFFU : 0xFFFFU)) != 0) return std::nullopt;
        for (std::size_t i = 0; i < 3 - padding; ++i) {
            bytes += static_cast<char>((bits >> (16U - 8U * i)) & 0xFFU);
        }
    }
    return bytes;
}

}  // namespace belay::json
