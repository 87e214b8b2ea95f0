// Runs that have not ended, known from one group of changes to the next.
#pragma once

#include "store/rules/records.hpp"
#include "store/sqlite/connection.hpp"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <unordered_map>

namespace belay::sqlite {

/// What few transitions change. A row is written without it while it stays as it is: some of it is
/// in indexes, which SQLite then leaves alone.
struct Seldom {
    std::optional<CancelRecord> cancel;
    std::optional<Timestamp> cancel_deadline;
    std::optional<Timestamp> code_missing_since;
    std::optional<RunKey> waits_for;
    std::uint64_t next_child = 0;
    std::uint64_t unsettled_children = 0;
    std::uint64_t stopping = 0;
    std::uint64_t custom_status_version = 0;
    std::uint32_t unregistered = 0;
    std::uint32_t overruns = 0;
    bool held = false;
    bool operator==(const Seldom&) const = default;
};

/// A run as the store has it.
struct StoredRun : store::Run {
    [[nodiscard]] Seldom seldom() const {
        return {cancel,
                cancel_deadline,
                code_missing_since,
                waits_for,
                next_child,
                unsettled_children,
                stopping,
                custom_status_version,
                unregistered,
                overruns,
                held};
    }

    Seldom written;  ///< As its row has it.
};

using RunsByKey = std::unordered_map<RunKey, std::unique_ptr<StoredRun>>;

/// A run that has taken a turn takes its next one soon, and reading its row takes a tenth of what
/// that turn costs. SQLite tells whether anybody else has written the file since. Belongs to one
/// connection, and is used inside its transactions. What a transaction takes out, it gives back
/// when it is committed, and not otherwise.
class KnownRuns {
public:
    /// At the beginning of a transaction: forgets what may not be true any more.
    void begin(const Connection& connection);
    /// Null: not known.
    [[nodiscard]] std::unique_ptr<StoredRun> take(RunKey key);
    /// The transaction is committed: these are as they are in the file. (Null: there is none.)
    void keep(const Connection& connection, RunsByKey runs);
    void forget() noexcept;

private:
    RunsByKey recent_;
    RunsByKey older_;            ///< Nobody has asked for them since there were enough recent ones.
    std::uint32_t version_ = 0;  ///< Of the file, in which they are true.
};

}  // namespace belay::sqlite
