#include "steps.hpp"

#include <algorithm>
#include <functional>

namespace trial {

std::vector<Step> ack_steps(std::vector<Held> items) {
    std::sort(
        items.begin(), items.end(), [](const Held& a, const Held& b) { return a.run < b.run; });
    Array shard, run, execution, command, holder, serial, kind, payload;
    for (const Held& item : items) {
        shard.add(kShard);
        run.add(item.run);
        execution.add(Number{1});
        command.add(item.command);
        holder.add(item.token.holder);
        serial.add(item.token.serial);
        kind.add(Number{1});
        payload.add_bytes(std::string(100, 'o'));
    }
    return {{"lock_instances", {shard.text(), run.text()}},
            {"lock_activities", {shard.text(), run.text(), execution.text(), command.text()}},
            {"ack_activities",
             {shard.text(),
              run.text(),
              execution.text(),
              command.text(),
              holder.text(),
              serial.text(),
              kind.text(),
              payload.text()}}};
}

std::vector<Step> renew_steps(const std::vector<Held>& items) {
    Array shard, run, execution, command, holder, serial, extend;
    for (const Held& item : items) {
        shard.add(kShard);
        run.add(item.run);
        execution.add(Number{1});
        command.add(item.command);
        holder.add(item.token.holder);
        serial.add(item.token.serial);
        extend.add(kLease);
    }
    return {{"renew_activities",
             {shard.text(),
              run.text(),
              execution.text(),
              command.text(),
              holder.text(),
              serial.text(),
              extend.text()}}};
}

std::vector<Step> cancel_steps(const std::vector<Number>& runs) {
    Array by, reason;
    for (std::size_t i = 0; i < runs.size(); ++i) {
        by.add_text("operator");
        reason.add_text("not needed");
    }
    const std::string shards = same(kShard, runs.size());
    return {
        {"lock_instances", {shards, array_of(runs)}},
        {"cancel",
         {shards, array_of(runs), by.text(), reason.text(), same(kCancelDeadline, runs.size())}}};
}

std::vector<Step> claim_steps(Number how_many, Number holder, Number serial) {
    return {{"claim_instances",
             {text(kShard), text(how_many), text(holder), text(serial), text(kLease)}},
            {"claim_messages", {text(kShard), text(holder), text(serial), text(how_many), "1000"}}};
}

std::vector<Step> start_steps(const std::vector<Start>& starts) {
    Array key_hash, space, owner, definition, key, scope, shard, run, id, digest;
    Array hash, input, events, commit, execution, position, history, turn;
    Array command, name, queue, holder, serial, lease;
    Number ordinal = 0;
    for (const Start& start : starts) {
        turn.add(++ordinal);
        const auto hashed = [](const std::string& value) {
            return static_cast<Number>(std::hash<std::string>{}(value) % 1024);
        };
        key_hash.add(hashed(start.key));
        space.add_text("trial");
        owner.add_text("");
        definition.add_text("Checkout");
        start.key.empty() ? key.add_null() : key.add_text(start.key);
        scope.add(Number{4});
        shard.add(kShard);
        run.add(start.run);
        id.add_text(start.id);
        digest.add_bytes(start.input);
        hash.add(hashed(start.id));
        input.add_bytes(std::string(kInputBytes, 'i'));
        events.add(kEvents);
        commit.add_text(commit_id(1, start.run));
        execution.add(Number{1});
        position.add(Number{0});
        history.add_bytes(std::string(kHistoryBytes, 'h'));
        command.add(Number{1});
        name.add_text("Charge");
        queue.add_text("start");
        holder.add(Number{5});
        serial.add(start.run);
        lease.add(kLease);
    }
    return {{"start_keys",
             {key_hash.text(),
              space.text(),
              owner.text(),
              definition.text(),
              key.text(),
              scope.text(),
              shard.text(),
              run.text(),
              id.text(),
              digest.text()}},
            {"start_names",
             {key_hash.text(),
              space.text(),
              owner.text(),
              definition.text(),
              key.text(),
              hash.text(),
              id.text(),
              shard.text(),
              run.text()}},
            {"start_instances",
             {hash.text(),
              space.text(),
              id.text(),
              shard.text(),
              run.text(),
              definition.text(),
              input.text(),
              events.text(),
              commit.text()}},
            {"turn_history",
             {shard.text(),
              run.text(),
              execution.text(),
              position.text(),
              events.text(),
              history.text()}},
            {"turn_activities",
             {turn.text(),
              shard.text(),
              run.text(),
              execution.text(),
              command.text(),
              name.text(),
              queue.text(),
              input.text(),
              holder.text(),
              serial.text(),
              lease.text()}},
            {"start_answer",
             {key_hash.text(),
              space.text(),
              owner.text(),
              definition.text(),
              key.text(),
              hash.text(),
              id.text(),
              shard.text(),
              run.text(),
              digest.text()}}};
}

}  // namespace trial
