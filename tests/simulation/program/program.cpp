#include "simulation/program/program.hpp"

#include "simulation/world/large.hpp"

#include <charconv>
#include <stdexcept>
#include <utility>

namespace belay::sim {

namespace {

void write(std::string& out, const Node& node) {
    out += '(';
    out += node.op;
    for (const std::int64_t arg : node.args) out += " " + std::to_string(arg);
    for (const NodePtr& inner : node.body) write(out, *inner);
    out += ')';
}

class Parser {
public:
    explicit Parser(std::string_view text) : text_(text) {}

    NodePtr parse() {
        NodePtr node = statement();
        if (at_ != text_.size()) fail();
        return node;
    }

private:
    NodePtr statement() {
        auto node = std::make_shared<Node>();
        take('(');
        if (at_ == text_.size()) fail();
        node->op = text_[at_++];
        while (peek() == ' ') {
            ++at_;
            node->args.push_back(number());
        }
        while (peek() == '(') node->body.push_back(statement());
        take(')');
        return node;
    }
    std::int64_t number() {
        std::int64_t value = 0;
        const auto [end, problem] =
            std::from_chars(text_.data() + at_, text_.data() + text_.size(), value);
        if (problem != std::errc()) fail();
        at_ = static_cast<std::size_t>(end - text_.data());
        return value;
    }
    [[nodiscard]] char peek() const { return at_ < text_.size() ? text_[at_] : '\0'; }
    void take(char wanted) {
        if (peek() != wanted) fail();
        ++at_;
    }
    [[noreturn]] void fail() const {
        throw std::runtime_error("not a program, at " + std::to_string(at_) + ": " +
                                 std::string(text_));
    }

    std::string_view text_;
    std::size_t at_ = 0;
};

class Generator {
public:
    Generator(Rng& rng, const ProgramStyle& style) : rng_(rng), style_(style) {}

    NodePtr program(std::size_t statements, int depth) {
        auto root = make('g');
        for (std::size_t i = 0; i < statements; ++i) root->body.push_back(statement(depth));
        return root;
    }

private:
    using Made = std::shared_ptr<Node>;

    static Made make(char op, std::vector<std::int64_t> args = {}) {
        auto node = std::make_shared<Node>();
        node->op = op;
        node->args = std::move(args);
        return node;
    }
    /// With a body of a few statements.
    Made block(char op, std::vector<std::int64_t> args, int depth) {
        Made node = make(op, std::move(args));
        const std::size_t count = 1 + rng_.below(3);
        for (std::size_t i = 0; i < count; ++i) node->body.push_back(statement(depth + 1));
        return node;
    }
    std::int64_t delay() { return rng_.between(1, style_.longest_timer_ms); }
    std::int64_t up_to(std::int64_t most) { return rng_.between(0, most); }
    /// Not long enough for the timer to win always, nor short enough to win never.
    std::int64_t timeout() {
        return rng_.percent(forever_percent()) ? 0 : rng_.between(1, 2 * style_.longest_timer_ms);
    }
    [[nodiscard]] unsigned forever_percent() const { return style_.forever_waits_percent; }

    NodePtr statement(int depth) {
        const bool leaf = depth >= 3;
        const std::size_t kind = rng_.below(leaf ? 80 : 123);
        if (kind < 20) return make('a', {up_to(2), up_to(1)});
        if (kind < 26) return make('t', {up_to(2), up_to(1)});
        if (kind < 31) return make('d', {delay()});
        if (kind < 34) return make('b', {up_to(1), delay(), up_to(3)});
        if (kind < 38) return make('u', {up_to(99)});
        if (kind < 42) return make('e', {up_to(1), timeout()});
        if (kind < 46) return make('q', {up_to(1), timeout()});
        if (kind < 50) return make('f', {rng_.between(1, 3), up_to(1)});
        if (kind < 53) return make('r', {up_to(2)});
        if (kind < 54) return make('x');
        if (kind < 56) return make('n', {up_to(1) * delay(), up_to(1)});
        if (kind < 57) return make(rng_.percent(30) ? 'l' : 'd', {delay()});
        if (kind < 65) return make('o', {up_to(2), up_to(3), delay()});
        if (kind < 69) return make('v', {up_to(2), rng_.percent(70) ? 0 : rng_.between(1, 2)});
        if (kind < 71) return make('k');
        if (kind < 75) return make('m', {up_to(1), up_to(1)});
        if (kind < 79) return make('p', {up_to(2), up_to(1)});
        if (kind < 80) return make('w', {up_to(1)});
        if (kind < 91) return block('s', {up_to(7), delay()}, depth);
        if (kind < 100) return block('j', {up_to(4), delay()}, depth);
        if (kind < 105) return block('h', {rng_.percent(30) ? 3 * delay() : 0}, depth);
        if (kind < 109) return block('y', {}, depth);
        if (kind < 112) return block('z', {}, depth);
        if (kind < 115) return block('g', {}, depth);
        return block('c', {up_to(1), up_to(5), up_to(3)}, depth + 1);
    }

    Rng& rng_;
    const ProgramStyle& style_;
};

}  // namespace

std::string to_text(const Node& node) {
    std::string text;
    write(text, node);
    return text;
}

std::string as_input(std::string program, std::int64_t continuations) {
    const auto number = static_cast<std::int64_t>(program.size()) + continuations;
    return padded_by(number, std::move(program));
}

NodePtr parse_program(std::string_view text) {
    return Parser(text.substr(0, text.find_last_not_of(' ') + 1)).parse();
}

NodePtr random_program(Rng& rng, const ProgramStyle& style) {
    return Generator(rng, style).program(1 + rng.below(style.statements), 0);
}

}  // namespace belay::sim
