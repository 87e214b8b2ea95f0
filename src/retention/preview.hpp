// Counts everything that a pass over a namespace would remove.
#pragma once

#include "retention/overdue.hpp"
#include <belay/retention.hpp>
#include <belay/store/listing.hpp>

#include <cstdint>
#include <deque>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <variant>

namespace belay::retention {

/// Returns the next read, and counts the rows of its answer. Does no I/O, and never asks for a
/// commit.
class Preview {
public:
    /// Names at most `examples` ids of each kind.
    Preview(OverdueScan scan, std::uint32_t examples);

    using Ask = std::variant<ListOutcomes, SelectInstances, ListExecutions>;
    /// Returns none when everything was seen.
    [[nodiscard]] std::optional<Ask> next();

    void take(const ListOutcomes::Answer& page) { scan_.take(page); }
    void take(SelectInstances::Answer page);
    void take(const ListExecutions::Answer& executions);

    [[nodiscard]] RetentionPreview result() const;

private:
    /// Counts an instance that needs no further read. Returns false for a chain whose executions
    /// must be read.
    [[nodiscard]] bool note_at_once(const Overdue& overdue);
    void note_removed(const InstanceMark& mark);
    [[nodiscard]] RetentionPreview::Instances& group_of(const InstanceMark& mark);

    OverdueScan scan_;
    const std::uint32_t examples_;
    std::deque<Overdue> overdue_;  ///< Not counted yet.
    std::set<RunRef> removed_;     ///< Chains that would be removed as a whole.
    std::map<std::pair<std::string, Status>, RetentionPreview::Instances> instances_;
    std::map<std::string, RetentionPreview::Executions> executions_;
};

}  // namespace belay::retention
