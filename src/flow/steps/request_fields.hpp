// The fields of a request of a step, read strictly.
#pragma once

#include "json/value.hpp"
#include <belay/payload.hpp>

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace belay::flow {

/// A JSON object whose fields have types. Unknown fields are ignored, because a later release may
/// have written them. Every function throws DecodeError for a field of another type.
class RequestFields {
public:
    /// Throws DecodeError, with the place, if the payload is no JSON object. `what` is for errors.
    [[nodiscard]] static RequestFields read(const Payload& payload, std::string what);

    [[nodiscard]] std::string text(std::string_view name) const;
    [[nodiscard]] std::string text_or(std::string_view name, std::string_view missing) const;
    [[nodiscard]] bool truth_or(std::string_view name, bool missing) const;
    [[nodiscard]] std::optional<std::uint64_t> number_if_any(std::string_view name) const;
    /// A missing list is empty.
    [[nodiscard]] std::vector<std::string> texts(std::string_view name) const;
    [[nodiscard]] std::vector<int> numbers(std::string_view name) const;
    [[nodiscard]] std::vector<std::pair<std::string, std::string>> pairs(
        std::string_view name) const;
    [[nodiscard]] std::vector<RequestFields> objects(std::string_view name) const;

    /// Throws DecodeError: "<what> <problem>".
    [[noreturn]] void fail(const std::string& problem) const;

private:
    RequestFields(json::Value object, std::string what)
        : object_(std::move(object)), what_(std::move(what)) {}
    /// Returns null if there is none; JSON's null counts as none.
    [[nodiscard]] const json::Value* find(std::string_view name) const;
    [[nodiscard]] const std::vector<json::Value>& list(std::string_view name) const;
    [[noreturn]] void wrong(std::string_view name, std::string_view expected) const;

    json::Value object_;
    std::string what_;
};

}  // namespace belay::flow
