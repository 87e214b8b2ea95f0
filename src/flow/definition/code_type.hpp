// The types of values that C++ code takes and returns, as far as a flow must know them.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

namespace belay::flow {

/// The form in which a value is stored for C++ code: that of the Codec of its type.
class CodeType {
public:
    enum class Kind : std::uint8_t { json, string, integer, number, boolean, list, optional };

    /// JSON, whatever the value is.
    CodeType() = default;
    explicit CodeType(Kind kind) noexcept : kind_(kind) {}
    /// `kind`: list or optional.
    CodeType(Kind kind, CodeType of)
        : kind_(kind), of_(std::make_shared<const CodeType>(std::move(of))) {}

    /// Reads `string`, `integer`, `number`, `boolean`, `json`, and `list<...>` or `optional<...>`
    /// of one of these. Returns none for anything else.
    [[nodiscard]] static std::optional<CodeType> parse(std::string_view text);

    [[nodiscard]] Kind kind() const noexcept { return kind_; }
    /// list, optional: the type of the elements.
    [[nodiscard]] const CodeType& of() const noexcept { return *of_; }

private:
    Kind kind_ = Kind::json;
    std::shared_ptr<const CodeType> of_;
};

/// Returns the text that `parse` reads.
[[nodiscard]] std::string to_string(const CodeType& type);

}  // namespace belay::flow
