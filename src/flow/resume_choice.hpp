// The steps that are chosen to run again.
#pragma once

#include <belay/error.hpp>

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <vector>

namespace belay::flow {

/// The choice of one run.
struct ResumeChoice {
    std::set<std::string> whole{};                           ///< Steps with all of their items.
    std::map<std::string, std::set<std::uint64_t>> items{};  ///< Single items, by step.
    /// Steps of the runs that steps have started, by the place of those: "sub", "sub[3]".
    std::map<std::string, ResumeChoice> below{};

    [[nodiscard]] bool empty() const noexcept {
        return whole.empty() && items.empty() && below.empty();
    }
    /// Returns the names of all steps of this run that it mentions.
    [[nodiscard]] std::set<std::string> mentioned() const;
    [[nodiscard]] bool has_item(const std::string& step, std::uint64_t item) const;
    /// Returns the choice below a place; an empty one if there is none.
    [[nodiscard]] const ResumeChoice& at(const std::string& place) const;
};

/// Reads "dump", "dump[3]" and "sub[3]/inner". Returns `invalid_argument` for anything else.
[[nodiscard]] Result<ResumeChoice> read_choice(const std::vector<std::string>& steps);

}  // namespace belay::flow
