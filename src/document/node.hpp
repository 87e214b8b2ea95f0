// A value of a document that is being read, and its place.
#pragma once

#include "base/utf8.hpp"
#include "json/value.hpp"

#include <cstddef>
#include <stdexcept>
#include <string>
#include <string_view>

namespace belay::document {

/// Ends the reading of a document.
class Damage final : public std::runtime_error {
public:
    Damage(Errc code, const std::string& what) : std::runtime_error(what), code_(code) {}
    [[nodiscard]] Errc code() const noexcept { return code_; }

private:
    Errc code_;
};

/// Must not outlive the node above it.
class Node {
public:
    explicit Node(const json::Value& value) : value_(value) {}
    Node(const Node& above, std::string_view name, const json::Value& value)
        : value_(value), above_(&above), name_(name) {}
    Node(const Node& above, std::size_t index, const json::Value& value)
        : value_(value), above_(&above), index_(index) {}

    [[nodiscard]] const json::Value& value() const noexcept { return value_; }
    /// Returns its value, which must be of this kind.
    [[nodiscard]] const json::Value& as(json::Kind kind) const {
        if (value_.kind != kind) {
            fail("is " + std::string(to_string(value_.kind)) + " and should be " +
                 std::string(to_string(kind)));
        }
        return value_;
    }

    /// Returns text like "executions[0].turns[2][1].command".
    [[nodiscard]] std::string place() const {
        if (above_ == nullptr) return {};
        std::string text = above_->place();
        if (name_.empty()) return text + "[" + std::to_string(index_) + "]";
        return (text.empty() ? text : text + ".") + base::printable(name_, 64);
    }
    [[noreturn]] void fail(const std::string& what, Errc code = Errc::invalid_argument) const {
        const std::string where = place();
        throw Damage(code, (where.empty() ? "the document" : "'" + where + "'") + " " + what);
    }

private:
    const json::Value& value_;
    const Node* above_ = nullptr;
    std::string_view name_;
    std::size_t index_ = 0;
};

}  // namespace belay::document
