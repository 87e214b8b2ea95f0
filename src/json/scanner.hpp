// The grammar of JSON (RFC 8259): for reading values, or only for checking that a text is JSON.
#pragma once

#include "base/utf8.hpp"

#include <cstddef>
#include <string_view>

namespace belay::json {

/// The deepest nesting of values. A recursive reader can bear it.
inline constexpr int kDeepest = 200;

/// Receives the pieces that a scanner finds, as they are written: strings without their quotes and
/// with their escapes. The scan ends if a function returns false.
struct NoSink {
    bool open(bool /*object*/) { return true; }
    bool close() { return true; }
    bool name(std::string_view) { return true; }
    bool text(std::string_view) { return true; }
    bool number(std::string_view) { return true; }
    bool boolean(bool) { return true; }
    bool null() { return true; }
};

/// Walks over one value. Each function leaves `at` behind the text it has read, or returns false.
template <class Sink>
class Scanner {
public:
    Scanner(std::string_view text, Sink& sink) : text_(text), sink_(sink) {}

    bool document() {
        space();
        if (!value(0)) return false;
        space();
        return at_end();
    }
    bool number() {
        take('-');
        if (take('0')) {
            if (digit()) return false;
        } else if (!digits()) {
            return false;
        }
        if (take('.') && !digits()) return false;
        if (take('e') || take('E')) {
            if (!take('+')) take('-');
            if (!digits()) return false;
        }
        return true;
    }
    [[nodiscard]] bool at_end() const noexcept { return at_ == text_.size(); }
    /// Returns the current place. After a failure: the place of the failure.
    [[nodiscard]] std::size_t at() const noexcept { return at_; }

private:
    [[nodiscard]] char look() const noexcept { return at_ < text_.size() ? text_[at_] : '\0'; }
    [[nodiscard]] bool digit() const noexcept { return look() >= '0' && look() <= '9'; }
    bool take(char c) noexcept {
        if (at_ >= text_.size() || text_[at_] != c) return false;
        ++at_;
        return true;
    }
    bool digits() noexcept {
        if (!digit()) return false;
        while (digit()) ++at_;
        return true;
    }
    void space() noexcept {
        while (look() == ' ' || look() == '\t' || look() == '\n' || look() == '\r') ++at_;
    }
    bool word(std::string_view expected) noexcept {
        if (!text_.substr(at_).starts_with(expected)) return false;
        at_ += expected.size();
        return true;
    }
    bool escape() noexcept {
        const char c = look();
        if (c == 'u') {
            ++at_;
            for (int i = 0; i < 4; ++i, ++at_) {
                const char h = look();
                const bool hex = digit() || (h >= 'a' && h <= 'f') || (h >= 'A' && h <= 'F');
                if (!hex) return false;
            }
            return true;
        }
        if (c == '\0' || !std::string_view("\"\\/bfnrt").contains(c)) return false;
        ++at_;
        return true;
    }
    bool string(std::string_view& content) noexcept {
        if (!take('"')) return false;
        const std::size_t begin = at_;
        while (at_ < text_.size()) {
            if (take('"')) {
                content = text_.substr(begin, at_ - 1 - begin);
                return true;
            }
            if (take('\\')) {
                if (!escape()) return false;
                continue;
            }
            const std::size_t size = base::utf8_sequence(text_.substr(at_));
            if (size == 0 || static_cast<unsigned char>(text_[at_]) < 0x20) return false;
            at_ += size;
        }
        return false;
    }
    /// Scans the members of an array or object, up to the bracket.
    template <class Member>
    bool members(char end, Member member) {
        ++at_;
        if (!sink_.open(end == '}')) return false;
        space();
        if (take(end)) return sink_.close();
        do {
            space();
            if (!member()) return false;
            space();
        } while (take(','));
        return take(end) && sink_.close();
    }
    bool named(int depth) {
        std::string_view name;
        if (!string(name) || !sink_.name(name)) return false;
        space();
        if (!take(':')) return false;
        space();
        return value(depth + 1);
    }
    bool value(int depth) {
        if (depth > kDeepest) return false;
        switch (look()) {
            case '{': return members('}', [&] { return named(depth); });
            case '[': return members(']', [&] { return value(depth + 1); });
            case '"': {
                std::string_view content;
                return string(content) && sink_.text(content);
            }
            case 't': return word("true") && sink_.boolean(true);
            case 'f': return word("false") && sink_.boolean(false);
            case 'n': return word("null") && sink_.null();
            default: {
                const std::size_t begin = at_;
                return number() && sink_.number(text_.substr(begin, at_ - begin));
            }
        }
    }

    std::string_view text_;
    Sink& sink_;
    std::size_t at_ = 0;
};

}  // namespace belay::json
