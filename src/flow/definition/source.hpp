// The places of what stands inside of the scalars of a document.
#pragma once

#include "expr/place.hpp"
#include "yaml/value.hpp"

#include <cstddef>
#include <string_view>
#include <vector>

namespace belay::flow {

class Source {
public:
    /// Refers to `text`.
    explicit Source(std::string_view text);

    /// Returns where the content of a scalar begins. Everything in a text that was written with
    /// escapes, or folded from several lines, has the place of the scalar.
    [[nodiscard]] expr::Origin inside(const yaml::Value& scalar) const;

private:
    /// Returns a line without its end; empty behind the last one. `line` counts from 1.
    [[nodiscard]] std::string_view line(std::size_t line) const;

    std::string_view text_;
    std::vector<std::size_t> lines_;  ///< Where each begins.
};

}  // namespace belay::flow
