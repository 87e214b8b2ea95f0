// An expression, ready to be evaluated any number of times, by any number of threads.
#pragma once

#include "expr/ast.hpp"
#include "expr/limits.hpp"
#include "expr/place.hpp"
#include "expr/type.hpp"
#include "expr/value.hpp"

#include <expected>
#include <memory>
#include <string_view>
#include <vector>

namespace belay::expr {

/// The version of the language. A definition keeps the version that it was checked with.
inline constexpr int kLanguage = 1;

class Program {
public:
    /// Reads an expression. `origin` is the place where `source` begins.
    [[nodiscard]] static std::expected<Program, Problem> parse(std::string_view source,
                                                               Origin origin = {});

    /// An expression that is this value.
    [[nodiscard]] static Program constant(Value value, Place place = {});

    /// Appends the mistakes that can be known before evaluation. Returns the type of the result.
    Type check(const Type::Fields& names, std::vector<Problem>& problems) const;

    /// Evaluates the expression with these variables.
    [[nodiscard]] std::expected<Value, Problem> run(const Map& variables,
                                                    std::uint64_t work = kMostWork,
                                                    std::uint64_t memory = kMostMemory) const;

    [[nodiscard]] const Node& root() const noexcept { return *root_; }

private:
    explicit Program(NodePtr root) : root_(std::move(root)) {}

    std::shared_ptr<const Node> root_;
};

}  // namespace belay::expr
