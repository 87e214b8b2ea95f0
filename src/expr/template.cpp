#include "expr/template.hpp"

#include "base/utf8.hpp"
#include "expr/value_json.hpp"

#include <algorithm>
#include <cstddef>
#include <optional>
#include <utility>

namespace belay::expr {

namespace {

constexpr std::string_view kOpen = "${{";
constexpr std::string_view kClose = "}}";
constexpr std::string_view kEscaped = "$${{";
/// The number of `}}` in one expression that are looked at.
constexpr int kMostBraces = 64;

/// Moves a place over text.
void move_over(Place& place, std::string_view text, const Origin& origin) {
    while (!text.empty()) {
        origin.advance(place, text.front() == '\n');
        const std::size_t size = base::utf8_sequence(text);
        text.remove_prefix(size == 0 ? 1 : size);
    }
}

/// Finds the end of the expression at the start of `text`: the first `}}` outside of quotes behind
/// which the expression can be read. A map may end in `}}` too.
std::optional<std::size_t> end_of(std::string_view text) {
    const std::size_t first = text.find(kClose);
    if (first == std::string_view::npos) return std::nullopt;
    std::size_t at = first;
    for (int i = 0; i < kMostBraces && at != std::string_view::npos; ++i) {
        if (Program::parse(text.substr(0, at))) return at;
        at = text.find(kClose, at + 1);
    }
    return first;
}

std::expected<std::string, Problem> shown(const Value& value, Place place) {
    if (value.is(Kind::text)) return value.text();
    auto json = to_json(value);
    if (!json) return std::unexpected(Problem{place, json.error().message()});
    return std::move(*json);
}

}  // namespace

std::expected<Template, Problem> Template::parse(std::string_view text, Origin origin) {
    Template made;
    Place place = origin.place;
    std::string before;
    const auto take = [&](std::size_t bytes) {
        move_over(place, text.substr(0, bytes), origin);
        text.remove_prefix(bytes);
    };
    while (!text.empty()) {
        if (text.starts_with(kEscaped)) {
            before += kOpen;
            take(kEscaped.size());
        } else if (text.starts_with(kOpen)) {
            const Place open = place;
            take(kOpen.size());
            const auto end = end_of(text);
            if (!end) return std::unexpected(Problem{open, "${{ does not end: }} is missing"});
            Origin here = origin;
            here.place = place;
            auto program = Program::parse(text.substr(0, *end), here);
            if (!program) return std::unexpected(program.error());
            made.texts_.push_back(std::exchange(before, {}));
            made.holes_.push_back(std::move(*program));
            made.places_.push_back(open);
            take(*end + kClose.size());
        } else {
            const std::size_t size = std::max<std::size_t>(1, base::utf8_sequence(text));
            before += text.substr(0, size);
            take(size);
        }
    }
    made.texts_.push_back(std::move(before));
    return made;
}

Template Template::of(Program expression) {
    Template made;
    made.texts_.resize(2);
    made.places_.push_back(expression.root().place);
    made.holes_.push_back(std::move(expression));
    return made;
}

bool Template::is_one_expression() const noexcept {
    return holes_.size() == 1 && texts_[0].empty() && texts_[1].empty();
}

Type Template::check(const Type::Fields& names, std::vector<Problem>& problems) const {
    Type last;
    for (const Program& hole : holes_) last = hole.check(names, problems);
    return is_one_expression() ? last : Type(Kind::text);
}

std::expected<Value, Problem> Template::run(const Map& variables) const {
    if (is_one_expression()) return holes_[0].run(variables);
    std::string text = texts_[0];
    for (std::size_t i = 0; i < holes_.size(); ++i) {
        const auto value = holes_[i].run(variables);
        if (!value) return value;
        auto part = shown(*value, places_[i]);
        if (!part) return std::unexpected(part.error());
        if (text.size() + part->size() > kMostMemory) {
            return std::unexpected(Problem{places_[i], "the text is too long", true});
        }
        text += *part;
        text += texts_[i + 1];
    }
    return Value(std::move(text));
}

}  // namespace belay::expr
