// Reads a definition from YAML or JSON, and finds all mistakes in it.
#pragma once

#include "flow/definition/definition.hpp"
#include "flow/definition/problem.hpp"

#include <expected>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

namespace belay::flow {

/// The reason why a text is refused.
struct Refusal {
    std::string why{};     ///< Empty: the message tells all.
    std::string advice{};  ///< A sentence that tells what to write instead; empty: none.
};

/// Checks that another layer gives. Each returns what is wrong with a text, or none.
struct ReadOptions {
    using Check = std::function<std::optional<Refusal>(std::string_view)>;

    Check check_cron{};  ///< A cron expression. Not set: every text passes.
    Check check_zone{};  ///< The name of a time zone. Not set: every text passes.
};

/// Reads and checks a definition. Returns all problems of the text, in the order of their places.
[[nodiscard]] std::expected<Definition, Problems> read_definition(std::string_view text,
                                                                  const ReadOptions& options = {});

}  // namespace belay::flow
