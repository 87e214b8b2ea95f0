// The words of an expression.
#pragma once

#include "expr/place.hpp"
#include "expr/value.hpp"

#include <cstddef>
#include <cstdint>
#include <expected>
#include <string>
#include <string_view>
#include <vector>

namespace belay::expr {

struct Token {
    enum class Kind : std::uint8_t { name, quoted_name, literal, symbol, end };

    Kind kind = Kind::end;
    Place place;
    /// A name or a symbol, as it is written.
    std::string_view text;
    /// The value of a literal. An integer has no sign yet: it is unsigned, see `is_signed`.
    Value value{};
    /// True for an integer literal without the suffix `u`.
    bool is_signed = false;
};

/// Cuts `source` into tokens; the last one is `end`. `origin` is the place where `source` begins.
/// The tokens refer to `source`.
[[nodiscard]] std::expected<std::vector<Token>, Problem> tokens_of(std::string_view source,
                                                                   Origin origin = {});

}  // namespace belay::expr
