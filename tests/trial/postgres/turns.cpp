#include "turns.hpp"

#include <algorithm>
#include <set>

namespace trial {

namespace {

/// The batch as columns; rows of the lists name their turn by its number, from 1.
struct Columns {
    Array shard, run, execution, position, cancel_seen, lock_holder, lock_serial, commit;
    Array ack_command, ack_holder, ack_serial;
    Array events, history, status, numbers, bytes;
    struct List {
        Array turn, shard, run, execution;
        bool any = false;
        void row(Number turn_, Number run_) {
            any = true;
            turn.add(turn_);
            shard.add(kShard);
            run.add(run_);
            execution.add(Number{1});
        }
    };
    List consumed, acked, activities, canceled, timers, ended;
    List named;  ///< Activities that are completed or canceled.
    Array named_command;
    Array consumed_number, acked_command;
    Array activity_command, activity_name, activity_queue, activity_input;
    Array activity_holder, activity_serial, activity_lease;
    Array canceled_command, timer_command, timer_due, timer_number;
    Array send_turn, send_shard, send_run, send_kind, send_payload;
    bool any_send = false;
    std::set<Number> locks;
};

[[nodiscard]] std::optional<Number> holder_of(const std::optional<Token>& token) {
    return token ? std::optional(token->holder) : std::nullopt;
}

[[nodiscard]] std::optional<Number> serial_of(const std::optional<Token>& token) {
    return token ? std::optional(token->serial) : std::nullopt;
}

void add_lists(Columns& columns, Number ordinal, const Turn& turn) {
    for (const Number number : turn.consumed) {
        columns.consumed.row(ordinal, turn.run);
        columns.consumed_number.add(number);
    }
    for (const NewActivity& activity : turn.activities) {
        columns.activities.row(ordinal, turn.run);
        columns.activity_command.add(activity.command);
        columns.activity_name.add_text("Charge");
        columns.activity_queue.add_text(activity.queue);
        columns.activity_input.add_bytes(std::string(kInputBytes, 'i'));
        columns.activity_holder.add(holder_of(activity.hand_over));
        columns.activity_serial.add(serial_of(activity.hand_over));
        columns.activity_lease.add(kLease);
    }
    for (const Number command : turn.canceled) {
        columns.canceled.row(ordinal, turn.run);
        columns.named.row(ordinal, turn.run);
        columns.named_command.add(command);
        columns.canceled_command.add(command);
    }
    Number number = 0;
    for (const NewTimer& timer : turn.timers) {
        columns.timers.row(ordinal, turn.run);
        columns.timer_command.add(timer.command);
        columns.timer_due.add(timer.due_at);
        columns.timer_number.add(number++);
    }
    for (const Send& send : turn.sends) {
        columns.any_send = true;
        columns.send_turn.add(ordinal);
        columns.send_shard.add(kShard);
        columns.send_run.add(send.run);
        columns.send_kind.add(send.kind);
        columns.send_payload.add_bytes("sent");
        columns.locks.insert(send.run);
    }
    if (turn.ack) {
        columns.acked.row(ordinal, turn.run);
        columns.named.row(ordinal, turn.run);
        columns.named_command.add(turn.ack->command);
        columns.acked_command.add(turn.ack->command);
    }
    if (turn.status >= 4) {
        columns.ended.row(ordinal, turn.run);
    }
}

[[nodiscard]] Columns columns_of(const std::vector<Turn>& turns) {
    const std::string history(kHistoryBytes, 'h');
    Columns columns;
    Number ordinal = 0;
    for (const Turn& turn : turns) {
        ++ordinal;
        columns.locks.insert(turn.run);
        columns.shard.add(kShard);
        columns.run.add(turn.run);
        columns.execution.add(Number{1});
        columns.position.add(turn.position);
        columns.cancel_seen.add(turn.cancel_seen);
        columns.lock_holder.add(holder_of(turn.lock));
        columns.lock_serial.add(serial_of(turn.lock));
        columns.commit.add_text(turn.commit);
        columns.ack_command.add(turn.ack ? std::optional(turn.ack->command) : std::nullopt);
        columns.ack_holder.add(turn.ack ? std::optional(turn.ack->token.holder) : std::nullopt);
        columns.ack_serial.add(turn.ack ? std::optional(turn.ack->token.serial) : std::nullopt);
        columns.events.add(kEvents);
        columns.history.add_bytes(history);
        columns.status.add(turn.status);
        columns.numbers.add(static_cast<Number>(turn.timers.size()));
        columns.bytes.add(static_cast<Number>(history.size()));
        add_lists(columns, ordinal, turn);
    }
    return columns;
}

[[nodiscard]] Step lock_step(const Columns& c) {
    Array shard;
    Array run;
    for (const Number key : c.locks) {
        shard.add(kShard);
        run.add(key);
    }
    return {"lock_instances", {shard.text(), run.text()}};
}

[[nodiscard]] std::vector<std::string> all_parameters(const Columns& c) {
    return {c.shard.text(),
            c.run.text(),
            c.execution.text(),
            c.position.text(),
            c.cancel_seen.text(),
            c.lock_holder.text(),
            c.lock_serial.text(),
            c.commit.text(),
            c.ack_command.text(),
            c.ack_holder.text(),
            c.ack_serial.text(),
            c.events.text(),
            c.history.text(),
            c.status.text(),
            c.numbers.text(),
            c.consumed.turn.text(),
            c.consumed_number.text(),
            c.activities.turn.text(),
            c.activity_command.text(),
            c.activity_name.text(),
            c.activity_queue.text(),
            c.activity_input.text(),
            c.activity_holder.text(),
            c.activity_serial.text(),
            c.activity_lease.text(),
            c.canceled.turn.text(),
            c.canceled_command.text(),
            c.timers.turn.text(),
            c.timer_command.text(),
            c.timer_due.text(),
            c.timer_number.text(),
            c.send_turn.text(),
            c.send_shard.text(),
            c.send_run.text(),
            c.send_kind.text(),
            c.send_payload.text()};
}

/// Statements for what the batch does not contain are left out.
void add_effects(std::vector<Step>& steps, const Columns& c) {
    steps.push_back({"turn_history",
                     {c.shard.text(),
                      c.run.text(),
                      c.execution.text(),
                      c.position.text(),
                      c.events.text(),
                      c.history.text()}});
    if (c.consumed.any) {
        steps.push_back({"turn_consume",
                         {c.consumed.turn.text(),
                          c.consumed.shard.text(),
                          c.consumed.run.text(),
                          c.consumed_number.text()}});
    }
    if (c.acked.any) {
        steps.push_back({"turn_ack",
                         {c.acked.turn.text(),
                          c.acked.shard.text(),
                          c.acked.run.text(),
                          c.acked.execution.text(),
                          c.acked_command.text()}});
    }
    if (c.activities.any) {
        steps.push_back({"turn_activities",
                         {c.activities.turn.text(),
                          c.activities.shard.text(),
                          c.activities.run.text(),
                          c.activities.execution.text(),
                          c.activity_command.text(),
                          c.activity_name.text(),
                          c.activity_queue.text(),
                          c.activity_input.text(),
                          c.activity_holder.text(),
                          c.activity_serial.text(),
                          c.activity_lease.text()}});
    }
    if (c.canceled.any) {
        steps.push_back({"turn_cancel_activities",
                         {c.canceled.turn.text(),
                          c.canceled.shard.text(),
                          c.canceled.run.text(),
                          c.canceled.execution.text(),
                          c.canceled_command.text()}});
    }
    if (c.timers.any) {
        steps.push_back({"turn_timers",
                         {c.timers.turn.text(),
                          c.timers.shard.text(),
                          c.timers.run.text(),
                          c.timers.execution.text(),
                          c.timer_command.text(),
                          c.timer_due.text(),
                          c.timer_number.text()}});
    }
    if (c.any_send) {
        steps.push_back({"turn_send",
                         {c.send_turn.text(),
                          c.send_shard.text(),
                          c.send_run.text(),
                          c.send_kind.text(),
                          c.send_payload.text()}});
    }
    if (c.ended.any) {
        steps.push_back(
            {"turn_end", {c.ended.turn.text(), c.ended.shard.text(), c.ended.run.text()}});
    }
}

}  // namespace

std::vector<Step> as_pipeline(const std::vector<Turn>& turns) {
    const Columns c = columns_of(turns);
    std::vector<Step> steps{lock_step(c)};
    if (c.named.any) {
        steps.push_back({"lock_activities",
                         {c.named.shard.text(),
                          c.named.run.text(),
                          c.named.execution.text(),
                          c.named_command.text()}});
    }
    steps.push_back({"turn_guard",
                     {c.shard.text(),
                      c.run.text(),
                      c.execution.text(),
                      c.position.text(),
                      c.cancel_seen.text(),
                      c.lock_holder.text(),
                      c.lock_serial.text(),
                      c.commit.text(),
                      c.ack_command.text(),
                      c.ack_holder.text(),
                      c.ack_serial.text()}});
    add_effects(steps, c);
    steps.push_back({"turn_instance",
                     {c.shard.text(),
                      c.run.text(),
                      c.commit.text(),
                      c.events.text(),
                      c.status.text(),
                      c.numbers.text(),
                      c.bytes.text()}});
    return steps;
}

std::vector<Step> as_cte(const std::vector<Turn>& turns) {
    return {{"turn_cte", all_parameters(columns_of(turns))}};
}

std::vector<Step> as_function(const std::vector<Turn>& turns) {
    return {{"turn_function", all_parameters(columns_of(turns))}};
}

}  // namespace trial
