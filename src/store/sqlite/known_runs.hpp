// Runs that have not ended, kept from one group of changes to the next.
#pragma once

#include "store/rules/records.hpp"
#include "store/sqlite/connection.hpp"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <unordered_map>

namespace belay::sqlite {

/// The fields that few transitions change. A row is written without them if they stay the same.
/// Some of them are in indexes, and SQLite then leaves those alone.
struct Seldom {
    std::optional<CancelRecord> cancel;
    std::optional<Timestamp> cancel_deadline;
    std::optional<Timestamp> code_missing_since;
    std::optional<Timestamp> late_at;
    std::optional<RunKey> waits_for;
    std::optional<std::uint64_t> place_in_line;
    std::uint64_t next_child = 0;
    std::uint64_t unsettled_children = 0;
    std::uint64_t stopping = 0;
    std::uint64_t custom_status_version = 0;
    std::uint32_t unregistered = 0;
    std::uint32_t overruns = 0;
    bool held = false;
    bool nothing_to_clean_up = false;
    bool operator==(const Seldom&) const = default;
};

/// A run as the store keeps it.
struct StoredRun : store::Run {
    [[nodiscard]] Seldom seldom() const {
        return {cancel,
                cancel_deadline,
                code_missing_since,
                late_at,
                waits_for,
                place_in_line,
                next_child,
                unsettled_children,
                stopping,
                custom_status_version,
                unregistered,
                overruns,
                held,
                nothing_to_clean_up};
    }

    Seldom written;  ///< The values in its row.
};

using RunsByKey = std::unordered_map<RunKey, std::unique_ptr<StoredRun>>;

/// Runs whose rows need not be read again. A run that has taken a turn takes its next one soon, and
/// reading its row takes a tenth of the cost of that turn. SQLite tells if another connection has
/// written the file since. Belongs to one connection and is used inside its transactions. A
/// transaction returns what it took only when it is committed.
class KnownRuns {
public:
    /// Called at the beginning of a transaction. Forgets runs that may have changed.
    void begin(const Connection& connection);
    /// Returns null if the run is not known.
    [[nodiscard]] std::unique_ptr<StoredRun> take(RunKey key);
    /// Called when the transaction is committed: these are as they are in the file. (Null: there is
    /// none.)
    void keep(const Connection& connection, RunsByKey runs);
    void forget() noexcept;

private:
    RunsByKey recent_;
    RunsByKey older_;            ///< Not asked for since there were enough recent ones.
    std::uint32_t version_ = 0;  ///< The version of the file in which they are true.
};

}  // namespace belay::sqlite
