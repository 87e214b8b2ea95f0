// The ends, custom statuses and key-values of runs, also of those that are gone.
#pragma once

#include "simulation/world/report.hpp"
#include "store/memory/tables.hpp"

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace belay::sim {

/// The facts that a client that waits for a run may be told. Times are virtual.
struct RunRecord {
    struct CustomStatus {
        Payload payload;
        Millis set_at{0};
    };
    /// All key-values together, until the next ones.
    struct Values {
        std::map<std::string, Payload> values;
        Millis set_at{0};
    };

    Millis began_at{0};
    std::optional<Outcome> outcome;
    std::optional<Millis> over_at;     ///< The time at which it ended, or was deleted without.
    std::optional<Millis> settled_at;  ///< The time at which it settled, or was deleted without.
    /// The time at which it ended for people: a canceled flow when it settled. Or as `over_at`.
    std::optional<Millis> shown_over_at;
    bool gone = false;
    std::vector<CustomStatus> statuses;  ///< Version n is at n - 1.
    std::vector<Values> values;          ///< At first there are none.

    [[nodiscard]] bool ended_as(const Outcome& told) const;
    [[nodiscard]] bool had(std::uint64_t version, const std::optional<Payload>& status) const;
    /// Since when it has another custom status than that of version `seen`; none: it has not.
    [[nodiscard]] std::optional<Millis> differs_since(std::uint64_t seen) const;
    /// True if this was the value of a key at some time since then; none: it had no value.
    [[nodiscard]] bool had_value(const std::string& key,
                                 const std::optional<Payload>& value,
                                 Millis since) const;
    /// Since when a key has another value than `known`; none: it has not.
    [[nodiscard]] std::optional<Millis> value_differs_since(
        const std::string& key, const std::optional<Payload>& known) const;
};

/// The records of all runs that there ever were.
class RunRecords {
public:
    /// To be told of every run after every commit.
    void follow(Violations& violations, const memory::Run& run, Millis now);
    void note_gone(RunRef run, Millis now);
    /// Null if there never was such a run.
    [[nodiscard]] const RunRecord* find(RunRef run) const;

private:
    static void follow_status(Violations& violations,
                              RunRecord& record,
                              const memory::Run& run,
                              Millis now);

    std::map<RunRef, RunRecord> records_;
};

}  // namespace belay::sim
