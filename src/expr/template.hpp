// Texts with expressions in them: "${{ host }}.dump".
#pragma once

#include "expr/place.hpp"
#include "expr/program.hpp"

#include <expected>
#include <string>
#include <string_view>
#include <vector>

namespace belay::expr {

class Template {
public:
    /// Reads a text. `$${{` stands for `${{` itself. `origin` is the place where it begins.
    [[nodiscard]] static std::expected<Template, Problem> parse(std::string_view text,
                                                                Origin origin = {});

    /// A text that is one expression.
    [[nodiscard]] static Template of(Program expression);

    /// True if there is no expression in it.
    [[nodiscard]] bool is_plain() const noexcept { return holes_.empty(); }
    /// True if it is one expression and nothing else. Its value keeps its type.
    [[nodiscard]] bool is_one_expression() const noexcept;
    [[nodiscard]] const std::vector<Program>& expressions() const noexcept { return holes_; }

    /// Appends the mistakes that can be known before evaluation. Returns the type of the result.
    Type check(const Type::Fields& names, std::vector<Problem>& problems) const;

    /// Returns the value of the only expression, or the whole text. In a text, texts stand as they
    /// are, and other values as JSON.
    [[nodiscard]] std::expected<Value, Problem> run(const Map& variables) const;

private:
    std::vector<std::string> texts_;  ///< One more than holes_: those before, between and behind.
    std::vector<Program> holes_;
    std::vector<Place> places_;  ///< One for each of holes_.
};

}  // namespace belay::expr
