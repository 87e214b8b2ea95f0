// Types, as far as they are known before an expression is evaluated.
#pragma once

#include "expr/value.hpp"

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace belay::expr {

class Type {
public:
    using Fields = std::map<std::string, Type, std::less<>>;

    /// Any type: nothing is known.
    Type() = default;
    /// Every value of a kind, with nothing known of what is in it.
    explicit Type(Kind kind) : kind_(kind) {}

    [[nodiscard]] static Type list(Type element) { return {Kind::list, {std::move(element)}}; }
    [[nodiscard]] static Type map(Type value) { return {Kind::map, {std::move(value)}}; }
    [[nodiscard]] static Type optional(Type value) { return {Kind::optional, {std::move(value)}}; }
    /// A map that has these fields and no others.
    [[nodiscard]] static Type object(Fields fields);
    /// The parameter of a function that stands for the same type wherever it occurs.
    [[nodiscard]] static Type parameter();

    [[nodiscard]] bool is_any() const noexcept { return !kind_ && !parameter_; }
    [[nodiscard]] bool is_parameter() const noexcept { return parameter_; }
    [[nodiscard]] bool is(Kind kind) const noexcept { return kind_ == kind; }
    [[nodiscard]] std::optional<Kind> kind() const noexcept { return kind_; }
    /// Returns the type of elements, of a map's values, or of an optional's value.
    [[nodiscard]] Type inner() const { return inner_.empty() ? Type() : inner_.front(); }
    /// Returns the fields of an object, or nullptr for other types.
    [[nodiscard]] const Fields* fields() const noexcept { return fields_.get(); }

private:
    Type(Kind kind, std::vector<Type> inner) : kind_(kind), inner_(std::move(inner)) {}

    std::optional<Kind> kind_;
    bool parameter_ = false;
    std::vector<Type> inner_;
    std::shared_ptr<const Fields> fields_;
};

/// Returns text like "list(string)", for errors.
[[nodiscard]] std::string to_string(const Type& type);

/// True if a value of type `from` may be one of type `to`.
[[nodiscard]] bool may_be(const Type& from, const Type& to);

/// Returns the type that holds values of both.
[[nodiscard]] Type join(const Type& a, const Type& b);

/// Binds the parameter within `pattern`, which `actual` is passed for.
void bind_parameter(const Type& pattern, const Type& actual, std::optional<Type>& bound);

/// Returns `pattern` with its parameter replaced.
[[nodiscard]] Type substitute(const Type& pattern, const std::optional<Type>& bound);

}  // namespace belay::expr
