// A batch of turns as the store contract has it, and the forms in which it is sent to PostgreSQL.
#pragma once

#include "pg.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace trial {

using Number = std::int64_t;

struct Token {
    Number holder = 0;
    Number serial = 0;
    bool operator==(const Token&) const = default;
};

struct NewActivity {
    Number command = 0;
    std::string queue;
    std::optional<Token> hand_over;
};

struct NewTimer {
    Number command = 0;
    Number due_at = 0;
};

struct Send {
    Number run = 0;
    Number kind = 1;
};

struct Ack {
    Number command = 0;
    Token token;
};

struct Turn {
    Number run = 0;
    Number position = 0;
    bool cancel_seen = false;
    std::optional<Token> lock;
    std::string commit;  ///< A UUID.
    std::optional<Ack> ack;
    Number status = 2;
    std::vector<Number> consumed;
    std::vector<NewActivity> activities;
    std::vector<Number> canceled;
    std::vector<NewTimer> timers;
    std::vector<Send> sends;
};

inline constexpr Number kShard = 7;
inline constexpr Number kEvents = 3;          ///< For each turn.
inline constexpr Number kHistoryBytes = 200;  ///< For each turn.
inline constexpr Number kInputBytes = 100;    ///< For each activity.
inline constexpr Number kLease = 30'000;
inline constexpr Number kCancelDeadline = 600'000;
/// The verdict on a turn that schedules an activity under a command that has one.
inline constexpr int kThereAlready = 3;

/// One transaction of statements; effects are keyed on the survivors of the guards.
[[nodiscard]] std::vector<Step> as_pipeline(const std::vector<Turn>& turns);
/// One statement of data-modifying CTEs.
[[nodiscard]] std::vector<Step> as_cte(const std::vector<Turn>& turns);
/// One call of a set-based function.
[[nodiscard]] std::vector<Step> as_function(const std::vector<Turn>& turns);

}  // namespace trial
