#include "expr/program.hpp"

#include "expr/budget.hpp"
#include "expr/checker.hpp"
#include "expr/constants.hpp"
#include "expr/evaluator.hpp"
#include "expr/parser.hpp"

#include <utility>

namespace belay::expr {

std::expected<Program, Problem> Program::parse(std::string_view source, Origin origin) {
    auto root = expr::parse(source, origin);
    if (!root) return std::unexpected(root.error());
    return Program(std::move(*root));
}

Program Program::constant(Value value, Place place) {
    auto node = std::make_unique<Node>();
    node->place = place;
    node->value = std::move(value);
    return Program(std::move(node));
}

Type Program::check(const Type::Fields& names, std::vector<Problem>& problems) const {
    const std::size_t before = problems.size();
    Type type = expr::check(*root_, names, problems);
    if (problems.size() == before) check_constants(*root_, problems);
    return type;
}

std::expected<Value, Problem> Program::run(const Map& variables,
                                           std::uint64_t work,
                                           std::uint64_t memory) const {
    Budget budget(work, memory);
    return evaluate(*root_, variables, budget);
}

}  // namespace belay::expr
