#include "expr/token.hpp"

#include "base/utf8.hpp"
#include "expr/characters.hpp"
#include "expr/limits.hpp"

#include <array>
#include <charconv>
#include <cmath>
#include <cstdlib>
#include <optional>
#include <utility>

namespace belay::expr {

using namespace std::string_view_literals;

namespace {

constexpr bool is_digit(char c) noexcept { return c >= '0' && c <= '9'; }
constexpr bool begins_name(char c) noexcept {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}
constexpr bool continues_name(char c) noexcept { return begins_name(c) || is_digit(c); }

int hex_digit(char c) noexcept {
    if (is_digit(c)) return c - '0';
    if (c >= 'a' && c <= 'f') return c - 'a' + 10;
    if (c >= 'A' && c <= 'F') return c - 'A' + 10;
    return -1;
}

/// Longer symbols before those they begin with.
constexpr std::array<std::string_view, 27> kSymbols = {
    "&&", "||", "==", "!=", "<=", ">=", ".?", "[?", "{?", "<", ">", "+", "-", "*",
    "/",  "%",  "!",  "?",  ":",  ".",  ",",  "(",  ")",  "[", "]", "{", "}"};

struct Prefix {
    bool raw = false;
    bool bytes = false;
    std::size_t size = 0;
};

class Lexer {
public:
    Lexer(std::string_view source, Origin origin)
        : source_(source), origin_(origin), place_(origin.place) {}

    std::expected<std::vector<Token>, Problem> all() {
        if (source_.size() > kMostSource) {
            fail("the expression is longer than " + std::to_string(kMostSource) + " bytes");
        }
        while (!problem_) {
            skip_space();
            if (problem_) break;
            Token token = next();
            if (problem_) break;
            const bool last = token.kind == Token::Kind::end;
            found_.push_back(std::move(token));
            if (last) return std::move(found_);
        }
        return std::unexpected(*problem_);
    }

private:
    [[nodiscard]] char look(std::size_t ahead = 0) const noexcept {
        return at_ + ahead < source_.size() ? source_[at_ + ahead] : '\0';
    }
    [[nodiscard]] std::string_view rest() const noexcept { return source_.substr(at_); }

    void fail(std::string message) {
        if (!problem_) problem_ = Problem{place_, std::move(message)};
    }

    /// Moves on by whole characters, and keeps the place.
    void advance(std::size_t bytes) {
        const std::size_t end = at_ + bytes;
        while (at_ < end) {
            origin_.advance(place_, source_[at_] == '\n');
            const std::size_t size = base::utf8_sequence(rest());
            at_ += size == 0 ? 1 : size;
        }
    }

    void skip_space() {
        while (at_ < source_.size()) {
            const char c = look();
            if (c == ' ' || c == '\t' || c == '\n' || c == '\r' || c == '\f') {
                advance(1);
            } else if (c == '/' && look(1) == '/') {
                while (at_ < source_.size() && look() != '\n') advance(1);
            } else {
                return;
            }
        }
    }

    Token next() {
        Token token;
        token.place = place_;
        const char c = look();
        if (at_ >= source_.size()) return token;
        if (const auto prefix = string_prefix()) return string_literal(*prefix, std::move(token));
        if (begins_name(c)) return name(std::move(token));
        if (is_digit(c) || (c == '.' && is_digit(look(1)))) return number(std::move(token));
        if (c == '`') return quoted_name(std::move(token));
        for (const std::string_view symbol : kSymbols) {
            if (!rest().starts_with(symbol)) continue;
            token.kind = Token::Kind::symbol;
            token.text = source_.substr(at_, symbol.size());
            advance(symbol.size());
            return token;
        }
        const std::size_t size = base::utf8_sequence(rest());
        fail("unexpected character " +
             base::printable(source_.substr(at_, size == 0 ? 1 : size), 16));
        return token;
    }

    Token name(Token token) {
        std::size_t size = 0;
        while (continues_name(look(size))) ++size;
        token.kind = Token::Kind::name;
        token.text = source_.substr(at_, size);
        advance(size);
        return token;
    }

    /// A field whose name is not one of expressions: `a-b`.
    Token quoted_name(Token token) {
        std::size_t size = 1;
        while (continues_name(look(size)) ||
               (look(size) != '\0' && "-./ "sv.contains(look(size)))) {
            ++size;
        }
        if (size == 1 || look(size) != '`') {
            fail("the quoted name does not end: ` is missing");
            return token;
        }
        token.kind = Token::Kind::quoted_name;
        token.text = source_.substr(at_ + 1, size - 1);
        advance(size + 1);
        return token;
    }

    // ---- Numbers -------------------------------------------------------------------------------

    Token number(Token token) {
        token.kind = Token::Kind::literal;
        if (look() == '0' && (look(1) == 'x' || look(1) == 'X')) {
            std::size_t size = 2;
            while (hex_digit(look(size)) >= 0) ++size;
            return integer(std::move(token), source_.substr(at_ + 2, size - 2), size, 16);
        }
        std::size_t size = 0;
        while (is_digit(look(size))) ++size;
        const std::size_t whole = size;
        if (look(size) == '.' && is_digit(look(size + 1))) {
            ++size;
            while (is_digit(look(size))) ++size;
        }
        if (look(size) == 'e' || look(size) == 'E') {
            std::size_t digits = size + 1;
            if (look(digits) == '+' || look(digits) == '-') ++digits;
            if (is_digit(look(digits))) {
                size = digits;
                while (is_digit(look(size))) ++size;
            }
        }
        if (size == whole) return integer(std::move(token), source_.substr(at_, size), size, 10);
        return real(std::move(token), size);
    }

    Token integer(Token token, std::string_view digits, std::size_t size, int base) {
        std::uint64_t value = 0;
        const auto [end, error] =
            std::from_chars(digits.data(), digits.data() + digits.size(), value, base);
        if (error != std::errc() || end != digits.data() + digits.size()) {
            fail("the number " + std::string(source_.substr(at_, size)) + " is out of range");
        }
        token.value = Value(value);
        token.is_signed = true;
        advance(size);
        if (look() == 'u' || look() == 'U') {
            token.is_signed = false;
            advance(1);
        }
        must_end_number();
        return token;
    }

    Token real(Token token, std::size_t size) {
        const std::string digits(source_.substr(at_, size));
        const double value = std::strtod(digits.c_str(), nullptr);
        if (std::isinf(value)) fail("the number " + digits + " is out of range");
        token.value = Value(value);
        advance(size);
        must_end_number();
        return token;
    }

    void must_end_number() {
        if (continues_name(look())) fail("a number must not be followed by a letter");
    }

    // ---- Texts ---------------------------------------------------------------------------------

    [[nodiscard]] std::optional<Prefix> string_prefix() const noexcept {
        Prefix prefix;
        for (;; ++prefix.size) {
            const char c = look(prefix.size);
            if (c == '"' || c == '\'') return prefix;
            if ((c == 'r' || c == 'R') && !prefix.raw) {
                prefix.raw = true;
            } else if ((c == 'b' || c == 'B') && !prefix.bytes) {
                prefix.bytes = true;
            } else {
                return std::nullopt;
            }
        }
    }

    Token string_literal(const Prefix& prefix, Token token) {
        advance(prefix.size);
        const char quote = look();
        const std::string three(3, quote);
        const bool is_long = rest().starts_with(three);
        const std::string end = is_long ? three : std::string(1, quote);
        advance(end.size());
        std::string content;
        while (!rest().starts_with(end)) {
            if (at_ >= source_.size() || (!is_long && (look() == '\n' || look() == '\r'))) {
                problem_ = Problem{token.place, "the text does not end: " + end + " is missing"};
                return token;
            }
            if (look() == '\\' && !prefix.raw) {
                escape(content, prefix.bytes);
            } else {
                character(content);
            }
            if (problem_) return token;
        }
        advance(end.size());
        token.kind = Token::Kind::literal;
        token.value = prefix.bytes ? Value::bytes(std::move(content)) : Value(std::move(content));
        return token;
    }

    void character(std::string& content) {
        const std::size_t size = base::utf8_sequence(rest());
        if (size == 0) return fail("the text is not valid UTF-8");
        content.append(source_.substr(at_, size));
        advance(size);
    }

    void escape(std::string& content, bool bytes) {
        constexpr std::string_view kLetters = "abfnrtv\\\"'`?";
        constexpr std::string_view kMeanings = "\a\b\f\n\r\t\v\\\"'`?";
        const char c = look(1);
        if (const auto known = kLetters.find(c); c != '\0' && known != std::string_view::npos) {
            content += kMeanings[known];
            return advance(2);
        }
        switch (c) {
            case 'x':
            case 'X': return code(content, 2, 2, 16, bytes);
            case 'u': return bytes ? wrong_escape() : code(content, 2, 4, 16, false);
            case 'U': return bytes ? wrong_escape() : code(content, 2, 8, 16, false);
            case '0':
            case '1':
            case '2':
            case '3': return code(content, 1, 3, 8, bytes);
            default: return wrong_escape();
        }
    }

    void wrong_escape() {
        fail("unknown escape " + std::string(rest().substr(0, 1)) +
             base::printable(rest().substr(1, 1), 16));
    }

    /// Reads the number of a character, or of a byte.
    void code(std::string& content, std::size_t skip, std::size_t digits, int base, bool byte) {
        std::uint32_t number = 0;
        for (std::size_t i = 0; i < digits; ++i) {
            const int digit = hex_digit(look(skip + i));
            if (digit < 0 || digit >= base) return wrong_escape();
            number = number * static_cast<std::uint32_t>(base) + static_cast<std::uint32_t>(digit);
        }
        if (byte) {
            content += static_cast<char>(number);
        } else if (!append_character(content, number)) {
            return fail("the escape is no character of Unicode");
        }
        advance(skip + digits);
    }

    std::string_view source_;
    std::size_t at_ = 0;
    Origin origin_;
    Place place_;
    std::vector<Token> found_;
    std::optional<Problem> problem_;
};

}  // namespace

std::expected<std::vector<Token>, Problem> tokens_of(std::string_view source, Origin origin) {
    return Lexer(source, origin).all();
}

}  // namespace belay::expr
