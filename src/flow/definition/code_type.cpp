#include "flow/definition/code_type.hpp"

#include <algorithm>
#include <array>

namespace belay::flow {

namespace {

/// By CodeType::Kind.
constexpr std::array<std::string_view, 7> kNames{
    "json", "string", "integer", "number", "boolean", "list", "optional"};
constexpr int kDeepestType = 8;

std::optional<CodeType> parse_type(std::string_view text, int depth) {
    const std::size_t open = text.find('<');
    const auto name = std::ranges::find(kNames, text.substr(0, open));
    if (name == kNames.end()) return std::nullopt;
    const auto kind = static_cast<CodeType::Kind>(name - kNames.begin());
    const bool has_elements = kind == CodeType::Kind::list || kind == CodeType::Kind::optional;
    if (has_elements != (open != std::string_view::npos)) return std::nullopt;
    if (!has_elements) return CodeType(kind);
    if (!text.ends_with('>') || depth == kDeepestType) return std::nullopt;
    auto of = parse_type(text.substr(open + 1, text.size() - open - 2), depth + 1);
    if (!of) return std::nullopt;
    return CodeType(kind, *std::move(of));
}

}  // namespace

std::optional<CodeType> CodeType::parse(std::string_view text) { return parse_type(text, 0); }

std::string to_string(const CodeType& type) {
    std::string text(kNames[static_cast<std::size_t>(type.kind())]);
    const bool has_elements =
        type.kind() == CodeType::Kind::list || type.kind() == CodeType::Kind::optional;
    if (has_elements) text.append("<").append(to_string(type.of())).append(">");
    return text;
}

}  // namespace belay::flow
