// Activities that a turn creates leased to whoever asked for them.
#pragma once

#include "store/rules/admission.hpp"
#include "store/rules/change.hpp"

namespace belay::store {

/// Judges the activities of one turn, one after the other.
class HandOvers {
public:
    HandOvers(Rows& rows, const Run& run) : rows_(rows), run_(run) {}

    /// True if it can be created leased: it overtakes nobody, and limits of its queue and its
    /// session allow it. What was allowed counts for the next.
    [[nodiscard]] bool allow(const NewActivity& wanted);

private:
    /// True if anything is in line that who has these names could take; null: all names. May say
    /// so where much is in line that they could not.
    [[nodiscard]] bool has_in_line(const std::string& queue, const std::vector<std::string>* names);

    Rows& rows_;
    const Run& run_;
    std::optional<Admission> admission_;
    std::uint64_t holder_ = 0;  ///< Of the admission.
};

}  // namespace belay::store
