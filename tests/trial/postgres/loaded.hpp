// Loaded rows, and what turns and cancels do to them. It stands for src/store/rules: the guards and
// effects of the two round trips, in the program and written once.
#pragma once

#include "turns.hpp"

#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace trial {

using Maybe = std::optional<Number>;
using ActivityKey = std::pair<Number, Number>;  ///< Run and command.

/// An instance, as far as turns, messages and cancels change it.
struct Instance {
    Number status = 0;
    Number execution = 0;
    Number position = 0;
    Number next_message = 0;
    Maybe ready_at;
    std::optional<Token> lock;
    Maybe locked_until;
    Number attempts = 0;
    std::string last_commit;
    Number events = 0;
    Number bytes = 0;
    Maybe cancel_sequence, cancel_at, cancel_deadline;
    Maybe ended_at;

    std::map<Number, Number> consumable;  ///< Messages that turns of the batch consume, and since
                                          ///< when.
    Maybe rest_ready_at;                  ///< The first of the rest of its inbox.
    bool touched = false;

    [[nodiscard]] bool ended() const noexcept { return status >= 4; }
    [[nodiscard]] bool locked(Number now) const noexcept {
        return locked_until && *locked_until > now;
    }
    /// When the first of its inbox is ready.
    [[nodiscard]] Maybe inbox_at() const;
};

struct Activity {
    Number claimable_at = 0;
    std::optional<Token> token;
    bool shielded = false;
    bool fresh = false;  ///< Made by this batch: not written yet.
    std::string queue;
};

/// Rows that are written as they are here.
struct HistoryRow {
    Number run = 0;
    Number first_event = 0;
};
struct StoppingRow {
    ActivityKey key;
    Token token;
    Number until = 0;
};
struct TimerRow {
    ActivityKey key;
    Number number = 0;
    Number due_at = 0;
};
struct MessageRow {
    Number run = 0;
    Number number = 0;
    Number kind = 0;
};

/// Applies transitions one after the other. Each one sees what those before it did.
class Loaded {
public:
    Number now = 0;
    std::map<Number, Instance> instances;
    std::map<ActivityKey, Activity> activities;
    std::set<std::string> ready_queues;  ///< Something in them can be claimed.

    // Other rows to be written beside touched instances and fresh activities.
    std::vector<HistoryRow> history;
    std::vector<std::pair<Number, Number>> consumed;  ///< Run and number.
    std::vector<ActivityKey> erased;
    std::vector<StoppingRow> stopping;
    std::vector<TimerRow> timers;
    std::vector<MessageRow> messages;
    std::vector<Send> letters;
    std::vector<Number> emptied;  ///< Runs that lose their inbox.

    /// Applies the turn, or answers why not and changes nothing.
    [[nodiscard]] int commit(const Turn& turn);
    [[nodiscard]] int cancel(Number run);

private:
    [[nodiscard]] int check(const Turn& turn) const;
    [[nodiscard]] int check_activities(const Turn& turn) const;
    void apply(const Turn& turn, Instance& run);
    void schedule(const Turn& turn);
    void erase(const ActivityKey& key, bool stops);
    void erase_all(Number run, bool shielded);
    void send(const Send& message);
};

}  // namespace trial
