#include "flow/definition/source.hpp"

#include "expr/characters.hpp"

#include <algorithm>
#include <cstdint>

namespace belay::flow {

Source::Source(std::string_view text) : text_(text) {
    lines_.push_back(0);
    for (std::size_t at = 0; at < text.size(); ++at) {
        if (text[at] == '\n') lines_.push_back(at + 1);
    }
}

std::string_view Source::line(std::size_t line) const {
    if (line == 0 || line > lines_.size()) return {};
    std::string_view rest = text_.substr(lines_[line - 1]);
    rest = rest.substr(0, rest.find('\n'));
    if (rest.ends_with('\r')) rest.remove_suffix(1);
    return rest;
}

expr::Origin Source::inside(const yaml::Value& scalar) const {
    const expr::Place place = scalar.place;
    const std::string_view first = line(place.line);
    const auto at = expr::offset_of(first, place.column - 1);
    if (!at || *at >= first.size()) return expr::Origin::fixed_at(place);
    // An alias has its own place, where the text is not.
    if (scalar.plain && first.substr(*at).starts_with(scalar.text)) return {place};

    const char quote = first[*at];
    const std::string_view behind = first.substr(*at + 1);
    if (quote == '"' || quote == '\'') {
        const bool as_written =
            behind.starts_with(scalar.text) && behind.substr(scalar.text.size()).starts_with(quote);
        if (as_written) return {expr::Place{place.line, place.column + 1}};
    }
    if (quote == '|') {
        const std::string_view second = line(place.line + 1);
        const std::string_view content = std::string_view(scalar.text);
        const std::string_view begin = content.substr(0, content.find('\n'));
        const std::size_t indent = second.size() - std::min(second.size(), begin.size());
        if (!begin.empty() && second.substr(indent) == begin) {
            const auto columns = static_cast<std::uint32_t>(indent);
            return {expr::Place{place.line + 1, columns + 1}, columns};
        }
    }
    return expr::Origin::fixed_at(place);
}

}  // namespace belay::flow
