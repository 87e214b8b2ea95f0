// Activities that a turn creates leased to the process that asked for them.
#pragma once

#include "store/rules/admission.hpp"
#include "store/rules/change.hpp"

namespace belay::store {

/// Judges the activities of one turn, one after the other.
class HandOvers {
public:
    HandOvers(Rows& rows, const Run& run) : rows_(rows), run_(run) {}

    /// True if it can be created leased: it overtakes nothing in line, and limits of its queue and
    /// its session allow it. An allowed activity counts for the next ones.
    [[nodiscard]] bool allow(const NewActivity& wanted);

private:
    /// True if a claimer with these names could take something that is in line. Null: all names.
    /// May return true if much is in line that it could not take.
    [[nodiscard]] bool would_overtake(const std::string& queue,
                                      const std::vector<std::string>* names);

    Rows& rows_;
    const Run& run_;
    std::optional<Admission> admission_;
    std::uint64_t holder_ = 0;  ///< The holder of the admission.
};

}  // namespace belay::store
