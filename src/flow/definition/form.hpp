// A value of a definition in which texts may have expressions: evaluated when its step begins.
#pragma once

#include "expr/template.hpp"
#include "expr/value.hpp"

#include <expected>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

namespace belay::flow {

/// A constant, a text with `${{ }}`, or a list or map of forms.
class Form {
public:
    using Items = std::vector<Form>;
    using Fields = std::vector<std::pair<std::string, Form>>;

    /// Null.
    Form() = default;
    explicit Form(expr::Value constant) : held_(std::move(constant)) {}
    explicit Form(expr::Template text) : held_(std::move(text)) {}
    explicit Form(Items items) : held_(std::move(items)) {}
    explicit Form(Fields fields) : held_(std::move(fields)) {}

    /// Returns null if it is something else.
    [[nodiscard]] const expr::Value* constant() const noexcept {
        return std::get_if<expr::Value>(&held_);
    }
    [[nodiscard]] const expr::Template* text() const noexcept {
        return std::get_if<expr::Template>(&held_);
    }
    [[nodiscard]] const Items* items() const noexcept { return std::get_if<Items>(&held_); }
    [[nodiscard]] const Fields* fields() const noexcept { return std::get_if<Fields>(&held_); }

    /// Evaluates all of its texts. A text that is one expression keeps the type of its value.
    [[nodiscard]] std::expected<expr::Value, expr::Problem> run(const expr::Map& variables) const;

private:
    std::variant<expr::Value, expr::Template, Items, Fields> held_;
};

/// The variable `secrets` holds, for each secret, this mark instead of the secret itself. The step
/// replaces the mark where it runs. `nonce` is drawn for each run, so that no input can forge one.
[[nodiscard]] std::string secret_mark(std::string_view nonce, std::string_view name);

}  // namespace belay::flow
