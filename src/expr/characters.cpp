#include "expr/characters.hpp"

#include <algorithm>

namespace belay::expr {

namespace {

bool begins_character(char c) noexcept { return (static_cast<unsigned char>(c) & 0xC0U) != 0x80U; }

}  // namespace

bool append_character(std::string& text, std::uint32_t number) {
    const auto tail = [&](unsigned shift) {
        text += static_cast<char>(0x80U | ((number >> shift) & 0x3FU));
    };
    if (number < 0x80) {
        text += static_cast<char>(number);
    } else if (number < 0x800) {
        text += static_cast<char>(0xC0U | (number >> 6U));
        tail(0);
    } else if (number < 0x10000) {
        if (number >= 0xD800 && number < 0xE000) return false;
        text += static_cast<char>(0xE0U | (number >> 12U));
        tail(6);
        tail(0);
    } else if (number < 0x110000) {
        text += static_cast<char>(0xF0U | (number >> 18U));
        tail(12);
        tail(6);
        tail(0);
    } else {
        return false;
    }
    return true;
}

std::size_t count_characters(std::string_view text) noexcept {
    return static_cast<std::size_t>(std::ranges::count_if(text, begins_character));
}

std::optional<std::size_t> offset_of(std::string_view text, std::size_t index) noexcept {
    std::size_t seen = 0;
    for (std::size_t at = 0; at < text.size(); ++at) {
        if (!begins_character(text[at])) continue;
        if (seen == index) return at;
        ++seen;
    }
    if (seen == index) return text.size();
    return std::nullopt;
}

std::vector<std::string_view> characters_of(std::string_view text) {
    std::vector<std::string_view> found;
    std::size_t begin = 0;
    for (std::size_t at = 1; at <= text.size(); ++at) {
        if (at < text.size() && !begins_character(text[at])) continue;
        found.push_back(text.substr(begin, at - begin));
        begin = at;
    }
    return found;
}

}  // namespace belay::expr
