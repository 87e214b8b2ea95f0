#include "expr/parser.hpp"

#include "expr/functions.hpp"
#include "expr/limits.hpp"
#include "expr/macros.hpp"
#include "expr/token.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace belay::expr {

namespace {

constexpr std::array<std::string_view, 18> kReserved = {"as",
                                                        "break",
                                                        "const",
                                                        "continue",
                                                        "else",
                                                        "for",
                                                        "function",
                                                        "if",
                                                        "import",
                                                        "let",
                                                        "loop",
                                                        "in",
                                                        "namespace",
                                                        "return",
                                                        "var",
                                                        "void",
                                                        "while",
                                                        "package"};

/// Binary operators, from those that bind least.
constexpr std::array<std::array<std::string_view, 7>, 3> kLevels = {{
    {"==", "!=", "<=", ">=", "<", ">", "in"},
    {"+", "-"},
    {"*", "/", "%"},
}};

class Parser {
public:
    explicit Parser(std::vector<Token> tokens) : tokens_(std::move(tokens)) {}

    std::expected<NodePtr, Problem> whole() {
        NodePtr node = expression();
        if (node && look().kind != Token::Kind::end) unexpected("the end or an operator");
        if (problem_) return std::unexpected(*problem_);
        return node;
    }

private:
    // ---- Tokens --------------------------------------------------------------------------------

    [[nodiscard]] const Token& look() const { return tokens_[at_]; }
    [[nodiscard]] bool sees(std::string_view text) const {
        const Token& token = look();
        const bool word = token.kind == Token::Kind::symbol || token.kind == Token::Kind::name;
        return word && token.text == text;
    }
    const Token& take() { return tokens_[look().kind == Token::Kind::end ? at_ : at_++]; }
    bool take(std::string_view symbol) {
        if (!sees(symbol)) return false;
        ++at_;
        return true;
    }
    bool expect(std::string_view symbol) {
        if (take(symbol)) return true;
        unexpected(symbol);
        return false;
    }

    NodePtr fail(Place place, std::string message) {
        if (!problem_) problem_ = Problem{place, std::move(message)};
        return nullptr;
    }
    NodePtr unexpected(std::string_view wanted) {
        const Token& token = look();
        std::string found = "\"" + std::string(token.text) + "\"";
        if (token.kind == Token::Kind::end) found = "the end";
        if (token.kind == Token::Kind::literal) found = "a value";
        return fail(token.place, "expected " + std::string(wanted) + ", found " + found);
    }

    // ---- Nodes ---------------------------------------------------------------------------------

    NodePtr make(Node::Kind kind, Place place, std::vector<NodePtr> children = {}) {
        auto node = std::make_unique<Node>();
        node->kind = kind;
        node->place = place;
        node->children = std::move(children);
        for (const NodePtr& child : node->children) {
            node->depth = std::max(node->depth, child->depth + 1);
        }
        if (node->depth > kDeepest) return fail(place, "the expression is nested too deeply");
        if (++nodes_ > kMostNodes) return fail(place, "the expression has too many parts");
        return node;
    }

    NodePtr literal(Place place, Value value) {
        NodePtr node = make(Node::Kind::literal, place);
        if (node) node->value = std::move(value);
        return node;
    }

    /// Makes a call of an operator, a function or a method.
    NodePtr call(std::string name,
                 Place place,
                 std::vector<NodePtr> children,
                 bool method = false) {
        NodePtr node = make(Node::Kind::call, place, std::move(children));
        if (!node) return nullptr;
        node->name = std::move(name);
        node->method = method;
        if (auto wrong = expand_macro(node)) return fail(wrong->place, wrong->message);
        if (node->kind == Node::Kind::call) return bound(std::move(node));
        return node;
    }

    /// Finds the functions of a call. `math.least(a)` reads as a method of `math` at first.
    NodePtr bound(NodePtr node) {
        if (node->method && node->children[0]->kind == Node::Kind::name) {
            const std::string qualified = node->children[0]->name + "." + node->name;
            if (const OverloadSet* found = find_functions(qualified, false)) {
                node->name = qualified;
                node->method = false;
                node->children.erase(node->children.begin());
                node->overloads = found;
                return node;
            }
        }
        node->overloads = find_functions(node->name, node->method);
        if (node->overloads == nullptr) {
            const std::string shown = node->method ? "method ." : "function ";
            return fail(node->place, "unknown " + shown + node->name + "()");
        }
        return node;
    }

    static std::vector<NodePtr> both(NodePtr a, NodePtr b) {
        std::vector<NodePtr> children;
        children.push_back(std::move(a));
        children.push_back(std::move(b));
        return children;
    }

    // ---- Operators -----------------------------------------------------------------------------

    NodePtr expression() {
        if (++nesting_ > kDeepest) return fail(look().place, "the expression is nested too deeply");
        NodePtr condition = chain(Node::Kind::any_of);
        if (condition && sees("?")) condition = conditional(std::move(condition));
        --nesting_;
        return condition;
    }

    NodePtr conditional(NodePtr condition) {
        const Place place = take().place;
        NodePtr yes = chain(Node::Kind::any_of);
        if (!yes || !expect(":")) return nullptr;
        NodePtr no = expression();
        if (!no) return nullptr;
        std::vector<NodePtr> children = both(std::move(condition), std::move(yes));
        children.push_back(std::move(no));
        return make(Node::Kind::conditional, place, std::move(children));
    }

    /// `a || b || c`, or `a && b && c` inside of it.
    NodePtr chain(Node::Kind kind) {
        const std::string_view symbol = kind == Node::Kind::any_of ? "||" : "&&";
        const auto part = [&] {
            return kind == Node::Kind::any_of ? chain(Node::Kind::all_of) : binary(0);
        };
        NodePtr first = part();
        if (!first || !sees(symbol)) return first;
        const Place place = look().place;
        std::vector<NodePtr> parts;
        parts.push_back(std::move(first));
        while (take(symbol)) {
            parts.push_back(part());
            if (!parts.back()) return nullptr;
        }
        return make(kind, place, std::move(parts));
    }

    NodePtr binary(std::size_t level) {
        if (level == kLevels.size()) return unary();
        NodePtr left = binary(level + 1);
        while (left) {
            const auto* const symbol = std::ranges::find_if(
                kLevels[level], [&](std::string_view s) { return !s.empty() && sees(s); });
            if (symbol == kLevels[level].end()) break;
            const Place place = take().place;
            NodePtr right = binary(level + 1);
            if (!right) return nullptr;
            left = call(
                "_" + std::string(*symbol) + "_", place, both(std::move(left), std::move(right)));
        }
        return left;
    }

    NodePtr unary() {
        if (sees("!") || sees("-")) {
            const Token sign = take();
            if (sign.text == "-" && look().kind == Token::Kind::literal && look().is_signed) {
                return members(negative_literal(sign.place));
            }
            if (++nesting_ > kDeepest)
                return fail(sign.place, "the expression is nested too deeply");
            NodePtr operand = unary();
            --nesting_;
            if (!operand) return nullptr;
            std::vector<NodePtr> children;
            children.push_back(std::move(operand));
            return call(std::string(sign.text) + "_", sign.place, std::move(children));
        }
        return members(primary());
    }

    NodePtr negative_literal(Place place) {
        const std::uint64_t size = take().value.unsigned_integer();
        constexpr std::uint64_t kSmallest = std::uint64_t{1} << 63U;
        if (size > kSmallest) return fail(place, "the number is out of range");
        return literal(place, Value(static_cast<std::int64_t>(0 - size)));
    }

    // ---- Members -------------------------------------------------------------------------------

    NodePtr members(NodePtr node) {
        while (node) {
            const Place place = look().place;
            if (take(".")) {
                node = member(std::move(node));
            } else if (take(".?")) {
                node = field(std::move(node), true);
            } else if (sees("[") || sees("[?")) {
                const bool optional = take().text == "[?";
                node = index(std::move(node), place, optional);
            } else {
                return node;
            }
        }
        return nullptr;
    }

    NodePtr member(NodePtr object) {
        const bool called = look().kind == Token::Kind::name && at_ + 1 < tokens_.size() &&
                            tokens_[at_ + 1].kind == Token::Kind::symbol &&
                            tokens_[at_ + 1].text == "(";
        if (!called) return field(std::move(object), false);
        const Token name = take();
        std::vector<NodePtr> children;
        children.push_back(std::move(object));
        if (!arguments(children)) return nullptr;
        return call(std::string(name.text), name.place, std::move(children), true);
    }

    NodePtr field(NodePtr object, bool optional) {
        if (look().kind != Token::Kind::name && look().kind != Token::Kind::quoted_name) {
            return unexpected("the name of a field");
        }
        const Token name = take();
        std::vector<NodePtr> children;
        children.push_back(std::move(object));
        NodePtr node = make(Node::Kind::field, name.place, std::move(children));
        if (!node) return nullptr;
        node->name = name.text;
        node->optional = optional;
        return node;
    }

    NodePtr index(NodePtr object, Place place, bool optional) {
        NodePtr key = expression();
        if (!key || !expect("]")) return nullptr;
        NodePtr node = make(Node::Kind::index, place, both(std::move(object), std::move(key)));
        if (node) node->optional = optional;
        return node;
    }

    /// Reads the arguments of a call, with the parentheses.
    bool arguments(std::vector<NodePtr>& into) {
        if (!expect("(")) return false;
        if (take(")")) return true;
        do {
            into.push_back(expression());
            if (!into.back()) return false;
        } while (take(","));
        return expect(")");
    }

    // ---- Values --------------------------------------------------------------------------------

    NodePtr primary() {
        const Token& token = look();
        if (token.kind == Token::Kind::literal) return value();
        if (token.kind == Token::Kind::name) return name();
        if (take("(")) {
            NodePtr inner = expression();
            return inner && expect(")") ? std::move(inner) : nullptr;
        }
        if (sees("[") || sees("[?")) return list();
        if (sees("{") || sees("{?")) return map();
        return unexpected("a value");
    }

    NodePtr value() {
        const Token& token = take();
        if (!token.is_signed) return literal(token.place, token.value);
        constexpr auto kLargest =
            static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max());
        const std::uint64_t number = token.value.unsigned_integer();
        if (number > kLargest) return fail(token.place, "the number is out of range");
        return literal(token.place, Value(static_cast<std::int64_t>(number)));
    }

    NodePtr name() {
        const Token& token = take();
        if (token.text == "true" || token.text == "false") {
            return literal(token.place, Value(token.text == "true"));
        }
        if (token.text == "null") return literal(token.place, Value());
        if (std::ranges::find(kReserved, token.text) != kReserved.end()) {
            return fail(token.place, "\"" + std::string(token.text) + "\" is a reserved word");
        }
        if (sees("(")) {
            std::vector<NodePtr> children;
            if (!arguments(children)) return nullptr;
            return call(std::string(token.text), token.place, std::move(children));
        }
        if (sees("{")) return fail(look().place, "messages are not supported: write a map");
        NodePtr node = make(Node::Kind::name, token.place);
        if (node) node->name = token.text;
        return node;
    }

    /// True if the next element stands behind a question mark. The first one's is a part of the
    /// bracket.
    bool takes_question(bool first, bool in_bracket) { return first ? in_bracket : take("?"); }

    NodePtr list() {
        const Token open = take();
        std::vector<NodePtr> children;
        std::vector<bool> optional;
        while (!sees("]")) {
            optional.push_back(takes_question(children.empty(), open.text == "[?"));
            children.push_back(expression());
            if (!children.back()) return nullptr;
            if (!take(",")) break;
        }
        if (!expect("]")) return nullptr;
        NodePtr node = make(Node::Kind::list, open.place, std::move(children));
        if (node) node->optional_elements = std::move(optional);
        return node;
    }

    NodePtr map() {
        const Token open = take();
        std::vector<NodePtr> children;
        std::vector<bool> optional;
        while (!sees("}")) {
            optional.push_back(takes_question(children.empty(), open.text == "{?"));
            NodePtr key = expression();
            if (!key || !expect(":")) return nullptr;
            NodePtr entry = expression();
            if (!entry) return nullptr;
            children.push_back(std::move(key));
            children.push_back(std::move(entry));
            if (!take(",")) break;
        }
        if (!expect("}")) return nullptr;
        NodePtr node = make(Node::Kind::map, open.place, std::move(children));
        if (node) node->optional_elements = std::move(optional);
        return node;
    }

    std::vector<Token> tokens_;
    std::size_t at_ = 0;
    int nesting_ = 0;
    std::size_t nodes_ = 0;
    std::optional<Problem> problem_;
};

}  // namespace

std::expected<NodePtr, Problem> parse(std::string_view source, Origin origin) {
    auto tokens = tokens_of(source, origin);
    if (!tokens) return std::unexpected(tokens.error());
    return Parser(std::move(*tokens)).whole();
}

}  // namespace belay::expr
