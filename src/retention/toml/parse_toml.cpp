#include "retention/toml/parse_toml.hpp"

#include <algorithm>
#include <optional>
#include <string>
#include <utility>

namespace belay::retention {

namespace {

Error problem_at(std::string_view text, std::size_t at, const std::string& what) {
    const std::string_view before = text.substr(0, at);
    const auto line = 1 + std::count(before.begin(), before.end(), '\n');
    const std::string_view in_line = before.substr(before.rfind('\n') + 1);
    // A character of several bytes counts once.
    const auto column = 1 + std::count_if(in_line.begin(), in_line.end(), [](char one) {
                            return (static_cast<unsigned char>(one) & 0xC0U) != 0x80U;
                        });
    return Error(Errc::invalid_argument,
                 "line " + std::to_string(line) + ", column " + std::to_string(column) +
                     " of the configuration: " + what);
}

/// TOML allows tabs and ends of lines, and no other control character.
bool is_forbidden(std::string_view text, std::size_t at) {
    const auto byte = static_cast<unsigned char>(text[at]);
    if (byte == '\r') return text.substr(at + 1, 1) != "\n";
    return (byte < ' ' && byte != '\t' && byte != '\n') || byte == 0x7F;
}

std::optional<Error> find_control_character(std::string_view text) {
    for (std::size_t i = 0; i < text.size(); ++i) {
        if (!is_forbidden(text, i)) continue;
        const int code = static_cast<unsigned char>(text[i]);
        return problem_at(
            text, i, "control character " + std::to_string(code) + ", which TOML does not allow");
    }
    return std::nullopt;
}

/// Returns none if toml++ gives up.
std::optional<toml::parse_result> try_to_parse(std::string_view text) {
    try {
        return toml::parse(text);
    } catch (const ParserGaveUp&) {
        return std::nullopt;
    }
}

/// Finds the character at which toml++ gives up. toml++ reads a text from beginning to end. So it
/// is the last character of the shortest beginning of the text that makes it give up.
std::size_t find_give_up(std::string_view text) {
    std::size_t read = 0;
    std::size_t gives_up = text.size();
    while (gives_up - read > 1) {
        const std::size_t half = read + (gives_up - read) / 2;
        if (try_to_parse(text.substr(0, half))) {
            read = half;
        } else {
            gives_up = half;
        }
    }
    return read;
}

}  // namespace

Result<toml::table> parse_toml(std::string_view text) {
    if (std::optional<Error> wrong = find_control_character(text)) return *wrong;
    std::optional<toml::parse_result> parsed = try_to_parse(text);
    if (!parsed) return problem_at(text, find_give_up(text), "this is no TOML");
    if (*parsed) return std::move(*parsed).table();
    const toml::parse_error& error = parsed->error();
    return Error(Errc::invalid_argument,
                 "line " + std::to_string(error.source().begin.line) +
                     " of the configuration: " + std::string(error.description()));
}

}  // namespace belay::retention
