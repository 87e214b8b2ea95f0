#include "two_trips.hpp"

#include "loaded.hpp"

#include <utility>

namespace trial {

namespace {

/// The parameters of a set-based statement, row by row.
class Table {
public:
    struct Text {
        std::string_view value;
    };
    struct Bytes {
        std::string_view value;
    };
    struct Id {
        std::string_view value;  ///< Empty: none.
    };

    explicit Table(std::string statement) : statement_(std::move(statement)) {}

    template <class... Cells>
    void row(const Cells&... cells) {
        columns_.resize(sizeof...(cells));
        std::size_t column = 0;
        (put(columns_[column++], cells), ...);
    }

    /// A statement without rows is left out.
    void add_to(std::vector<Step>& steps) const {
        if (columns_.empty()) {
            return;
        }
        Step step{statement_, {}};
        for (const Array& column : columns_) {
            step.parameters.push_back(column.text());
        }
        steps.push_back(std::move(step));
    }

private:
    static void put(Array& column, Number value) { column.add(value); }
    static void put(Array& column, const Maybe& value) { column.add(value); }
    static void put(Array& column, Text text) { column.add_text(text.value); }
    static void put(Array& column, Bytes bytes) { column.add_bytes(bytes.value); }
    static void put(Array& column, Id id) {
        id.value.empty() ? column.add_null() : column.add_text(id.value);
    }

    std::string statement_;
    std::vector<Array> columns_;
};

[[nodiscard]] Maybe holder_in(const std::optional<Token>& token) {
    return token ? Maybe(token->holder) : std::nullopt;
}

[[nodiscard]] Maybe serial_in(const std::optional<Token>& token) {
    return token ? Maybe(token->serial) : std::nullopt;
}

// ---- Round trip one --------------------------------------------------------------------------

/// The rows that a batch names, each once and in the order of their keys.
struct Named {
    std::set<Number> runs;
    std::set<ActivityKey> taken;                 ///< Activities that are completed or canceled.
    std::set<ActivityKey> added;                 ///< New ones, which must not be there.
    std::set<Number> whole;                      ///< Runs of which all activities are named.
    std::map<Number, std::set<Number>> inboxes;  ///< For runs with turns: the messages that they
                                                 ///< consume.
    std::set<std::string> queues;                ///< In which something is to be handed over.
};

[[nodiscard]] Named named_by(const std::vector<Turn>& turns, const std::vector<Number>& canceled) {
    Named named;
    for (const Turn& turn : turns) {
        named.runs.insert(turn.run);
        named.inboxes[turn.run].insert(turn.consumed.begin(), turn.consumed.end());
        if (turn.ack) {
            named.taken.emplace(turn.run, turn.ack->command);
        }
        for (const NewActivity& activity : turn.activities) {
            named.added.emplace(turn.run, activity.command);
            if (activity.hand_over) {
                named.queues.insert(activity.queue);
            }
        }
        for (const Number command : turn.canceled) {
            named.taken.emplace(turn.run, command);
        }
        for (const Send& send : turn.sends) {
            named.runs.insert(send.run);
        }
        if (turn.status >= 4) {
            named.whole.insert(turn.run);
        }
    }
    named.runs.insert(canceled.begin(), canceled.end());
    named.whole.insert(canceled.begin(), canceled.end());
    return named;
}

void add_runs(std::vector<Step>& steps,
              const std::string& statement,
              const std::set<Number>& runs) {
    Table table(statement);
    for (const Number run : runs) {
        table.row(kShard, run);
    }
    table.add_to(steps);
}

void add_activities(std::vector<Step>& steps,
                    const std::string& statement,
                    const std::set<ActivityKey>& keys) {
    Table table(statement);
    for (const auto& [run, command] : keys) {
        table.row(kShard, run, Number{1}, command);
    }
    table.add_to(steps);
}

void add_inboxes(std::vector<Step>& steps, const Named& named) {
    Array shard, run, numbers, consumed_shard, consumed_run, consumed_number;
    for (const auto& [key, consumed] : named.inboxes) {
        Array all;
        for (const Number number : consumed) {
            all.add(number);
            consumed_shard.add(kShard);
            consumed_run.add(key);
            consumed_number.add(number);
        }
        shard.add(kShard);
        run.add(key);
        numbers.add_text(all.text());
    }
    if (!named.inboxes.empty()) {
        steps.push_back({"load_inbox",
                         {shard.text(),
                          run.text(),
                          numbers.text(),
                          consumed_shard.text(),
                          consumed_run.text(),
                          consumed_number.text()}});
    }
}

// ---- Its answers -----------------------------------------------------------------------------

using Row = std::vector<std::string>;

[[nodiscard]] Maybe maybe(const std::string& cell) {
    return cell.empty() ? std::nullopt : Maybe(std::stoll(cell));
}

[[nodiscard]] std::optional<Token> token_in(const std::string& holder, const std::string& serial) {
    return holder.empty() ? std::nullopt
                          : std::optional(Token{std::stoll(holder), std::stoll(serial)});
}

/// The columns of load_instances.sql.
[[nodiscard]] Instance instance_in(const Row& row) {
    Instance run;
    run.status = std::stoll(row[1]);
    run.execution = std::stoll(row[2]);
    run.position = std::stoll(row[3]);
    run.next_message = std::stoll(row[4]);
    run.ready_at = maybe(row[5]);
    run.lock = token_in(row[6], row[7]);
    run.locked_until = maybe(row[8]);
    run.attempts = std::stoll(row[9]);
    run.last_commit = row[10];
    run.events = std::stoll(row[11]);
    run.bytes = std::stoll(row[12]);
    run.cancel_sequence = maybe(row[13]);
    run.cancel_at = maybe(row[14]);
    run.cancel_deadline = maybe(row[15]);
    run.ended_at = maybe(row[16]);
    return run;
}

void load_row(Loaded& loaded, const std::string& statement, const Row& row) {
    if (statement == "load_time") {
        loaded.now = std::stoll(row[0]);
    } else if (statement == "load_instances") {
        loaded.instances[std::stoll(row[0])] = instance_in(row);
    } else if (statement == "load_activities" || statement == "load_activities_of") {
        Activity& activity = loaded.activities[{std::stoll(row[0]), std::stoll(row[1])}];
        activity.claimable_at = std::stoll(row[2]);
        activity.token = token_in(row[3], row[4]);
        activity.shielded = row[5] == "t";
    } else if (statement == "load_queues") {
        loaded.ready_queues.insert(row[0]);
    } else if (statement == "load_inbox") {
        const auto run = loaded.instances.find(std::stoll(row[0]));
        if (run == loaded.instances.end()) {
            return;
        }
        if (row[1].empty()) {
            run->second.rest_ready_at = maybe(row[2]);
        } else {
            run->second.consumable[std::stoll(row[1])] = std::stoll(row[2]);
        }
    }
}

[[nodiscard]] Loaded loaded_from(const std::vector<Step>& steps, const std::vector<Rows>& results) {
    Loaded loaded;
    for (std::size_t i = 0; i < steps.size(); ++i) {
        for (const Row& row : results[i]) {
            load_row(loaded, steps[i].statement, row);
        }
    }
    return loaded;
}

// ---- Round trip two --------------------------------------------------------------------------

void write_activities(std::vector<Step>& steps, const Loaded& loaded) {
    Table erased("erase_activities");
    for (const auto& [run, command] : loaded.erased) {
        erased.row(kShard, run, Number{1}, command);
    }
    erased.add_to(steps);
    const std::string input(kInputBytes, 'i');
    Table activities("write_activities");
    for (const auto& [key, activity] : loaded.activities) {
        if (activity.fresh) {
            activities.row(kShard,
                           key.first,
                           Number{1},
                           key.second,
                           activity.claimable_at,
                           holder_in(activity.token),
                           serial_in(activity.token),
                           Number{activity.token ? 1 : 0},
                           Table::Text{activity.queue},
                           Table::Text{"Charge"},
                           Table::Bytes{input});
        }
    }
    activities.add_to(steps);
    Table stopping("write_stopping");
    for (const auto& [key, token, until] : loaded.stopping) {
        stopping.row(kShard, key.first, Number{1}, key.second, token.holder, token.serial, until);
    }
    stopping.add_to(steps);
}

void write_inboxes(std::vector<Step>& steps, const Loaded& loaded) {
    Table consumed("erase_consumed");
    for (const auto& [run, number] : loaded.consumed) {
        consumed.row(kShard, run, number);
    }
    consumed.add_to(steps);
    Table timers("write_timers");
    for (const auto& [key, number, due_at] : loaded.timers) {
        timers.row(kShard, key.first, Number{1}, key.second, number, due_at);
    }
    timers.add_to(steps);
    Table messages("write_messages");
    for (const auto& [run, number, kind] : loaded.messages) {
        messages.row(kShard, run, number, loaded.now, kind, Table::Bytes{"sent"});
    }
    messages.add_to(steps);
    Table letters("write_letters");
    for (const auto& [run, kind] : loaded.letters) {
        letters.row(kShard, run, kind, Table::Bytes{"sent"}, loaded.now);
    }
    letters.add_to(steps);
    Table emptied("erase_inboxes");
    for (const Number run : loaded.emptied) {
        emptied.row(kShard, run);
    }
    emptied.add_to(steps);
}

void write_instances(std::vector<Step>& steps, const Loaded& loaded) {
    Table table("write_instances");
    for (const auto& [key, run] : loaded.instances) {
        if (run.touched) {
            table.row(kShard,
                      key,
                      run.status,
                      run.execution,
                      run.position,
                      run.next_message,
                      run.ready_at,
                      holder_in(run.lock),
                      serial_in(run.lock),
                      run.locked_until,
                      run.attempts,
                      Table::Id{run.last_commit},
                      run.events,
                      run.bytes,
                      run.cancel_sequence,
                      run.cancel_at,
                      run.cancel_deadline,
                      run.ended_at);
        }
    }
    table.add_to(steps);
}

[[nodiscard]] std::vector<Step> write_steps(const Loaded& loaded) {
    std::vector<Step> steps;
    const std::string bytes(kHistoryBytes, 'h');
    Table history("write_history");
    for (const auto& [run, first_event] : loaded.history) {
        history.row(kShard, run, Number{1}, first_event, kEvents, Table::Bytes{bytes});
    }
    history.add_to(steps);
    write_activities(steps, loaded);
    write_inboxes(steps, loaded);
    write_instances(steps, loaded);
    return steps;
}

}  // namespace

std::vector<Step> load_steps(const std::vector<Turn>& turns, const std::vector<Number>& canceled) {
    const Named named = named_by(turns, canceled);
    std::vector<Step> steps;
    add_runs(steps, "lock_instances", named.runs);
    add_activities(steps, "lock_activities", named.taken);
    add_runs(steps, "lock_activities_of", named.whole);
    steps.push_back({"load_time", {}});
    add_runs(steps, "load_instances", named.runs);
    std::set<ActivityKey> activities = named.taken;
    activities.insert(named.added.begin(), named.added.end());
    add_activities(steps, "load_activities", activities);
    add_runs(steps, "load_activities_of", named.whole);
    add_inboxes(steps, named);
    Table queues("load_queues");
    for (const std::string& queue : named.queues) {
        queues.row(kShard, Table::Text{queue});
    }
    queues.add_to(steps);
    return steps;
}

Batch in_two(const std::vector<Turn>& turns, const std::vector<Number>& canceled) {
    Batch batch;
    batch.first = load_steps(turns, canceled);
    batch.first.insert(batch.first.begin(), Step{"begin", {}});
    batch.decide = [turns, canceled, steps = batch.first](const std::vector<Rows>& results) {
        Loaded loaded = loaded_from(steps, results);
        Batch::Decision decision;
        for (const Turn& turn : turns) {
            decision.verdicts.push_back(loaded.commit(turn));
        }
        for (const Number run : canceled) {
            decision.verdicts.push_back(loaded.cancel(run));
        }
        decision.second = write_steps(loaded);
        decision.second.push_back({"commit", {}});
        return decision;
    };
    return batch;
}

}  // namespace trial
