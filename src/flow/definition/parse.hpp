// A definition that was read, with its problems: for the reader of one and of bundles.
#pragma once

#include "flow/definition/reader.hpp"
#include "flow/definition/site.hpp"

#include <cstdint>
#include <string_view>
#include <vector>

namespace belay::flow {

struct Parsed {
    Definition definition{};  ///< Only usable if there are no problems.
    Problems problems{};
    std::vector<FlowUse> uses{};
};

enum class Checks : std::uint8_t {
    form,  ///< The fields and the syntax. Enough for a text that was checked before.
    all,
};

[[nodiscard]] Parsed parse_definition(std::string_view text,
                                      const ReadOptions& options,
                                      Checks checks);

}  // namespace belay::flow
