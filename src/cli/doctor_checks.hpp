// Checks of a file's state, and their results.
#pragma once

#include <belay/store/sqlite/examine.hpp>

#include <cstdint>
#include <string>
#include <vector>

namespace belay::cli {

enum class Health : std::uint8_t {
    well = 1,
    warning,  ///< It works, but somebody should look.
    fault,
    unknown,  ///< The faults before it must be mended first.
};

[[nodiscard]] std::string_view to_string(Health health) noexcept;

struct Check {
    std::string name;  ///< Never changes: scripts know it.
    Health health = Health::well;
    std::string says;
    std::string advice{};
};

/// All checks, in an order in which the first fault explains those behind it.
[[nodiscard]] std::vector<Check> checks_of(const sqlite::Examination& seen, Timestamp now);

}  // namespace belay::cli
