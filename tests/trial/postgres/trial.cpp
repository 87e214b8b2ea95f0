// Tries the hot statements of the store contract on a real PostgreSQL server: right under races,
// how many round trips, and how the forms of a batch compare. `run` starts the server;
// docs/design/postgres-trial.md says what was learned.
//
//   trial <directory with the SQL> <connection string>
#include "pg.hpp"
#include "turns.hpp"

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <functional>
#include <iterator>
#include <map>

namespace trial {
namespace {

std::filesystem::path sql_directory;
std::string address;
int passed = 0;
int failed = 0;

void check(bool good, const std::string& what) {
    ++(good ? passed : failed);
    std::printf("  %s %s\n", good ? "ok    " : "FAILED", what.c_str());
}

[[nodiscard]] std::string contents_of(const std::filesystem::path& file) {
    std::ifstream in(file);
    return {std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
}

/// A session with every statement prepared.
class Session : public Connection {
public:
    Session() : Connection(address) {
        for (const auto& entry :
             std::filesystem::recursive_directory_iterator(sql_directory / "statements")) {
            if (entry.path().extension() == ".sql") {
                prepare(entry.path().stem(), contents_of(entry.path()));
            }
        }
    }

    [[nodiscard]] Number number(const std::string& sql) {
        const Rows rows = execute(sql);
        return rows.empty() || rows[0][0].empty() ? -1 : std::stoll(rows[0][0]);
    }

    [[nodiscard]] int round_trips(const std::vector<Step>& steps) {
        start_counting();
        run(steps);
        return stop_counting();
    }
};

using Form = std::function<std::vector<Step>(const std::vector<Turn>&)>;

[[nodiscard]] std::string text(Number value) { return std::to_string(value); }

[[nodiscard]] std::string array_of(const std::vector<Number>& values) {
    Array array;
    for (const Number value : values) {
        array.add(value);
    }
    return array.text();
}

[[nodiscard]] std::string same(Number value, std::size_t count) {
    return array_of(std::vector<Number>(count, value));
}

[[nodiscard]] std::string commit_id(Number a, Number b) {
    char id[64];
    std::snprintf(id,
                  sizeof id,
                  "00000000-0000-0000-%04x-%012llx",
                  static_cast<unsigned>(a),
                  static_cast<unsigned long long>(b));
    return id;
}

[[nodiscard]] std::vector<int> verdicts_in(const std::vector<Step>& steps,
                                           const std::vector<Rows>& results) {
    std::vector<int> verdicts;
    for (std::size_t i = 0; i < steps.size(); ++i) {
        const std::string& name = steps[i].statement;
        if (name == "turn_guard" || name == "turn_cte" || name == "turn_function" ||
            name == "ack_activities" || name == "renew_activities" || name == "cancel" ||
            name == "start_answer") {
            for (const auto& row : results[i]) {
                verdicts.push_back(std::stoi(row[1]));
            }
        }
    }
    return verdicts;
}

std::vector<int> commit(Session& session, const std::vector<Step>& steps) {
    return verdicts_in(steps, session.run(steps));
}

// ---- Steps of one kind -------------------------------------------------------------------------

struct Held {
    Number run = 0;
    Number command = 0;
    Token token;
};

[[nodiscard]] std::vector<Step> ack_steps(std::vector<Held> items) {
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

[[nodiscard]] std::vector<Step> renew_steps(const std::vector<Held>& items) {
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

[[nodiscard]] std::vector<Step> cancel_steps(const std::vector<Number>& runs) {
    Array by, reason;
    for (std::size_t i = 0; i < runs.size(); ++i) {
        by.add_text("operator");
        reason.add_text("not needed");
    }
    const std::string shards = same(kShard, runs.size());
    return {
        {"lock_instances", {shards, array_of(runs)}},
        {"cancel", {shards, array_of(runs), by.text(), reason.text(), same(600'000, runs.size())}}};
}

[[nodiscard]] std::vector<Step> claim_steps(Number how_many, Number holder, Number serial) {
    return {{"claim_instances",
             {text(kShard), text(how_many), text(holder), text(serial), text(kLease)}},
            {"claim_messages", {text(kShard), text(holder), text(serial), text(how_many), "1000"}}};
}

struct Start {
    Number run = 0;
    std::string id;
    std::string key;  ///< Empty: none.
    std::string input = "input";
};

/// Start and first turn in one transaction, the turn's activity handed over.
[[nodiscard]] std::vector<Step> start_steps(const std::vector<Start>& starts) {
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
        input.add_bytes(std::string(100, 'i'));
        events.add(kEvents);
        commit.add_text(commit_id(1, start.run));
        execution.add(Number{1});
        position.add(Number{0});
        history.add_bytes(std::string(200, 'h'));
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

// ---- Right -------------------------------------------------------------------------------------

void set_up(Session& session, Number first, Number last) {
    session.run({{"setup_runs", {text(kShard), text(first), text(last)}}});
}

/// Refused transitions in the middle of a batch: each is answered on its own and leaves nothing.
void try_refusals(Session& session, const std::string& name, const Form& form, Number first) {
    set_up(session, first, first + 6);
    session.run({{"setup_activities", {text(kShard), text(first), text(first + 6), "1", "9"}}});
    commit(session, cancel_steps({first + 3}));

    std::vector<Turn> batch(8);
    for (std::size_t i = 0; i < batch.size(); ++i) {
        Turn& turn = batch[i];
        turn.run = first + static_cast<Number>(i);
        turn.commit = commit_id(2, turn.run);
        turn.ack = Ack{1, {9, turn.run}};
        turn.activities = {{2, name, std::nullopt}, {3, name, std::nullopt}};
        turn.canceled = {3};  // scheduled and canceled in one turn
        turn.timers = {{4, 4'000'000'000'000}};
    }
    batch[1].lock = Token{1, 1};      // nobody's lock
    batch[2].ack->token.serial += 1;  // not the holder
    batch[4].position = 1;            // behind
    batch[6].sends = {{first + 5, 1}, {first + 999, 1}};
    batch[7].run = first + 999;  // does not exist
    const std::vector<int> expected{1, 20, 20, 23, 22, 1, 1, 10};
    const std::string range = " where run between " + text(first) + " and " + text(first + 7);

    check(commit(session, form(batch)) == expected, name + ": each transition has its own verdict");
    check(session.number("select count(*) from belay.history" + range) == 3 &&
              session.number("select count(*) from belay.timer" + range) == 3,
          name + ": refused ones leave no history and no timer");
    check(
        session.number("select count(*) from belay.activity" + range + " and command = 2") == 3 &&
            session.number("select count(*) from belay.activity" + range + " and command = 3") == 0,
        name + ": scheduled and canceled in one turn nets to nothing");
    check(session.number("select count(*) from belay.activity" + range + " and command = 1") == 3,
          name + ": completed activities are gone, those of refused turns are not");
    const std::vector<int> again{2, 20, 20, 23, 22, 2, 2, 10};
    check(commit(session, form(batch)) == again &&
              session.number("select count(*) from belay.history" + range) == 3,
          name + ": the identical batch again is already applied");

    // Two turns of one run: guards of a set are evaluated before its effects.
    Turn second = batch[0];
    second.ack.reset();
    second.timers.clear();
    second.canceled.clear();
    second.position = kEvents;
    second.commit = commit_id(3, second.run);
    second.activities = {{5, name, std::nullopt}};
    Turn third = second;
    third.position = 2 * kEvents;
    third.commit = commit_id(4, second.run);
    third.activities = {{6, name, std::nullopt}};
    std::vector<Step> waves = form({second});
    for (const Step& step : form({third})) {
        waves.push_back(step);
    }
    session.start_counting();
    const bool both = commit(session, waves) == std::vector<int>{1, 1};
    check(session.stop_counting() == 1 && both,
          name + ": two turns of one run as two waves in one round trip");
}

/// `first` is sent in an open transaction, `second` must wait for it; then the first commits.
std::vector<Rows> in_order(Session& a,
                           Session& b,
                           const std::vector<Step>& first,
                           const std::vector<Step>& second,
                           const std::string& what) {
    a.execute("begin");
    a.run(first);
    b.send(second);
    check(b.waits(60), what + ": the second waits");
    a.execute("commit");
    return b.receive();
}

void race_turn_and_cancel(Session& a, Session& b, Number first) {
    set_up(a, first, first + 2);
    const auto turn_of = [](Number run) {
        Turn turn;
        turn.run = run;
        turn.commit = commit_id(5, run);
        turn.activities = {{1, "race", std::nullopt}};
        return turn;
    };
    const auto left = [&](Number run) {
        return a.number("select count(*) from belay.activity where run = " + text(run));
    };
    in_order(a, b, as_pipeline({turn_of(first)}), cancel_steps({first}), "turn, then cancel");
    check(left(first) == 0, "turn, then cancel: the activity that the turn put in is canceled");

    const Step one{"cancel_in_one",
                   {same(kShard, 1), array_of({first + 1}), "{operator}", "{reason}", "{600000}"}};
    in_order(a, b, as_pipeline({turn_of(first + 1)}), {one}, "turn, then cancel in one statement");
    check(left(first + 1) == 1,
          "counterexample: a cancel in one statement misses that activity (old snapshot)");

    const auto steps = as_pipeline({turn_of(first + 2)});
    const auto results = in_order(a, b, cancel_steps({first + 2}), steps, "cancel, then turn");
    check(verdicts_in(steps, results) == std::vector<int>{23} && left(first + 2) == 0,
          "cancel, then turn: refused, it had not seen the cancel");
}

void race_completion_and_cancel(Session& a, Session& b, Number first) {
    set_up(a, first, first + 2);
    a.run({{"setup_activities", {text(kShard), text(first), text(first + 2), "1", "9"}}});
    const auto messages = [&](Number run) {
        return a.number("select count(*) from belay.message where run = " + text(run));
    };
    in_order(a,
             b,
             ack_steps({{first, 1, {9, first}}}),
             cancel_steps({first}),
             "completion, then cancel");
    check(a.number("select count(*) from belay.instance i join belay.message m using (shard, run)"
                   " where m.number < i.cancel_sequence and run = " +
                   text(first)) == 1,
          "completion, then cancel: the message is there, with the lower number");
    check(a.number("select count(*) from belay.stopping where run = " + text(first)) == 0,
          "completion, then cancel: nobody is to be stopped");

    const auto ack = ack_steps({{first + 1, 1, {9, first + 1}}});
    const auto results = in_order(a, b, cancel_steps({first + 1}), ack, "cancel, then completion");
    check(verdicts_in(ack, results) == std::vector<int>{21} && messages(first + 1) == 0,
          "cancel, then completion: refused as canceled, nothing is sent");
    check(a.number("select count(*) from belay.stopping where run = " + text(first + 1)) == 1,
          "cancel, then completion: the stopping record stays");

    // A takeover does not lock the instance: the fused form must lock the activity itself.
    a.execute("update belay.activity set claimable_at = 0, queue = 'takeover' where run = " +
              text(first + 2));
    Turn fused;
    fused.run = first + 2;
    fused.commit = commit_id(6, fused.run);
    fused.ack = Ack{1, {9, first + 2}};
    const auto steps = as_pipeline({fused});
    const Step claim{"claim_activities",
                     {text(kShard), "takeover", "1", "8", "1", text(kLease), "other"}};
    const auto late = in_order(a, b, {claim}, steps, "takeover, then completion with its turn");
    check(verdicts_in(steps, late) == std::vector<int>{20} &&
              a.number("select count(*) from belay.history where run = " + text(first + 2)) == 0,
          "takeover, then completion with its turn: refused whole");

    // The same for a turn that cancels an activity while it is being claimed.
    a.execute("update belay.activity set claimable_at = 0 where run = " + text(first + 2));
    Turn dropping;
    dropping.run = first + 2;
    dropping.commit = commit_id(8, dropping.run);
    dropping.canceled = {1};
    const Step again{"claim_activities",
                     {text(kShard), "takeover", "1", "8", "2", text(kLease), "other"}};
    in_order(a, b, {again}, as_pipeline({dropping}), "claim, then a turn that cancels it");
    check(a.number("select count(*) from belay.activity where run = " + text(first + 2)) == 0 &&
              a.number("select serial from belay.stopping where run = " + text(first + 2)) == 2,
          "claim, then a turn that cancels it: the new holder is on record");
}

void race_starts(Session& a, Session& b, Number first) {
    const auto one = start_steps({{first, "race-1", "key-1"}});
    const auto two = start_steps(
        {{first + 1, "race-2", "key-1", "other input"}, {first + 2, "race-3", "key-3"}});
    const auto results = in_order(a, b, one, two, "two starts with one key");
    const Rows& answer = results.back();
    check(answer[0][1] == "12" && answer[0][2] == text(first) && answer[0][3] == "t" &&
              answer[1][1] == "1",
          "two starts with one key: the second names the first and that the input differs; its "
          "neighbour is created");
    check(a.number("select count(*) from belay.instance where run = " + text(first + 1)) == 0 &&
              a.number("select count(*) from belay.history where run = " + text(first + 1)) == 0,
          "two starts with one key: the refused one leaves nothing");
    const auto taken = start_steps({{first + 3, "race-1", "key-4"}});
    check(commit(a, taken) == std::vector<int>{11} &&
              a.number("select count(*) from belay.idempotency_key where key = 'key-4'") == 0,
          "a start refused for its id consumes no key");
    check(commit(a, one) == std::vector<int>{2}, "the same start again is already applied");
    check(a.number("select count(*) from belay.activity where run = " + text(first) +
                   " and holder = 5") == 1,
          "start with first turn: one activity, handed over");
}

void race_claim(Session& a, Session& b, Number first) {
    a.execute("update belay.instance set ready_at = null");
    const auto prepare_run = [&](Number run) {
        set_up(a, run, run);
        a.run({{"setup_message", {text(kShard), text(run), "1"}},
               {"setup_message", {text(kShard), text(run), "2"}}});
        Turn turn;
        turn.run = run;
        turn.commit = commit_id(7, run);
        turn.lock = Token{1, 1};
        turn.consumed = {1};
        a.execute(
            "update belay.instance set lock_holder = 1, lock_serial = 1, locked_until = 0"
            " where run = " +
            text(run));
        return as_pipeline({turn});
    };
    const auto turn = prepare_run(first);
    b.send({{"claim_with_messages", {text(kShard), "2", text(kLease), "0.3"}}});
    check(b.waits(60), "claim with messages in one statement: paused after its snapshot");
    a.run(turn);
    const Rows stale = b.receive()[0];
    check(stale.size() == 1 && stale[0][1] == text(kEvents) && stale[0][2] == "{1,2}",
          "counterexample: it hands out message 1 again at the position after the turn that "
          "consumed it");

    const auto other = prepare_run(first + 1);
    a.run(other);
    const auto results = b.run(claim_steps(1, 3, 1));
    check(results[0].size() == 1 && results[1].size() == 1 && results[1][0][1] == "2",
          "claim, then messages as a statement of its own: only message 2");
}

void race_renewal(Session& a, Session& b, Number first) {
    set_up(a, first, first + 1);
    a.run({{"setup_activities", {text(kShard), text(first), text(first + 1), "1", "9"}}});
    a.execute("begin");
    a.run(cancel_steps({first}));
    const std::vector<Held> held{{first, 1, {9, first}}, {first + 1, 1, {9, first + 1}}};
    check(
        commit(b, renew_steps(held)) == std::vector<int>{40, 1},
        "renewal beside an uncommitted cancel waits for nobody: busy for one, done for the other");
    a.execute("commit");
    check(commit(b, renew_steps(held)) == std::vector<int>{21, 1},
          "renewal after the cancel: canceled");
}

/// The first holds one of two runs and asks for both; the second asks for both in the other order.
[[nodiscard]] bool deadlocks(Session& a, Session& b, const std::string& statement, Number first) {
    const auto lock = [&](const std::vector<Number>& runs) {
        return std::vector<Step>{{statement, {same(kShard, runs.size()), array_of(runs)}}};
    };
    a.execute("begin");
    b.execute("begin");
    a.run(lock({first}));
    b.send(lock({first + 1, first}));
    (void)b.waits(60);
    int victims = 0;
    a.send(lock({first, first + 1}));
    for (Session* session : {&a, &b}) {
        try {
            session->receive();
        } catch (const Failed& failure) {
            victims += failure.state() == "40P01" ? 1 : 0;
        }
        session->execute("rollback");
    }
    return victims > 0;
}

void try_lock_order(Session& a, Session& b, Number first) {
    set_up(a, first, first + 1);
    check(!deadlocks(a, b, "lock_instances", first),
          "overlapping batches, locked in key order: no deadlock");
    check(deadlocks(a, b, "unsorted_lock", first),
          "counterexample: locked in the order of the arrays they deadlock");
}

// ---- Measured ----------------------------------------------------------------------------------

using Clock = std::chrono::steady_clock;

struct Figures {
    std::vector<double> milliseconds;
    Number wal = 0;
    int round_trips = 0;
    std::size_t statements = 0;

    [[nodiscard]] double median() const {
        auto sorted = milliseconds;
        std::sort(sorted.begin(), sorted.end());
        return sorted.empty() ? 0 : sorted[sorted.size() / 2];
    }
};

[[nodiscard]] Number wal_position(Session& session) {
    return session.number("select pg_current_wal_insert_lsn() - '0/0'::pg_lsn");
}

void measure(Session& session, Figures& figures, const std::function<void()>& batch) {
    const Number before = wal_position(session);
    const auto started = Clock::now();
    batch();
    figures.milliseconds.push_back(
        std::chrono::duration<double, std::milli>(Clock::now() - started).count());
    figures.wal += wal_position(session) - before;
}

void print_header(const char* title) {
    std::printf("\n%s\n  %-50s %11s %11s %10s %8s %11s\n",
                title,
                "",
                "round trips",
                "statements",
                "ms/batch",
                "ratio",
                "WAL B/item");
}

void print(const std::string& name, const Figures& figures, double unit, std::size_t items) {
    const auto batches = static_cast<Number>(figures.milliseconds.size());
    std::printf("  %-50s %11d %11zu %10.2f %8.2f %11lld\n",
                name.c_str(),
                figures.round_trips,
                figures.statements,
                figures.median(),
                figures.median() / unit,
                static_cast<long long>(figures.wal / batches / static_cast<Number>(items)));
}

constexpr Number kBatch = 100;

/// Turn `round` of a chain: completes the activity of the round before and schedules the next,
/// handed over.
[[nodiscard]] std::vector<Turn> chain_round(Number first, Number round, const std::string& queue) {
    std::vector<Turn> turns;
    for (Number run = first; run < first + kBatch; ++run) {
        Turn turn;
        turn.run = run;
        turn.position = round * kEvents;
        turn.commit = commit_id(100 + round, run);
        if (round > 0) {
            turn.ack = Ack{round, {3, round}};
        }
        turn.activities = {{round + 1, queue, Token{3, round + 1}}};
        turns.push_back(turn);
    }
    return turns;
}

/// Every statement of every turn waits for its answer, as a client without pipelines or batches
/// does.
void statement_by_statement(Session& session, const std::vector<Turn>& turns) {
    for (const Turn& turn : turns) {
        session.execute("begin");
        for (const Step& step : as_pipeline({turn})) {
            session.run({step});
        }
        session.execute("commit");
    }
}

void compare_forms(Session& session, Number first, const char* title, std::size_t how_many) {
    struct Way {
        std::string name;
        int rounds;
        std::function<std::size_t(const std::vector<Turn>&)> commit;
        Figures figures;
    };
    const auto whole = [&session](const Form& form) {
        return [&session, form](const std::vector<Turn>& turns) {
            const auto steps = form(turns);
            const auto verdicts = commit(session, steps);
            if (verdicts != std::vector<int>(turns.size(), 1)) {
                check(false, "a turn of the measurement was refused");
            }
            return steps.size();
        };
    };
    std::vector<Way> ways{
        {"pipeline of set-based statements", 24, whole(as_pipeline), {}},
        {"one statement of CTEs", 24, whole(as_cte), {}},
        {"one call of a set-based function", 24, whole(as_function), {}},
        {"pipeline, turn by turn, one transaction",
         8,
         [&](const std::vector<Turn>& turns) {
             std::vector<Step> steps;
             for (const Turn& turn : turns) {
                 for (const Step& step : as_pipeline({turn})) {
                     steps.push_back(step);
                 }
             }
             session.run(steps);
             return steps.size();
         },
         {}},
        {"one pipeline and transaction per turn",
         8,
         [&](const std::vector<Turn>& turns) {
             std::size_t statements = 0;
             for (const Turn& turn : turns) {
                 const auto steps = as_pipeline({turn});
                 session.run(steps);
                 statements += steps.size();
             }
             return statements;
         },
         {}},
        {"statement by statement, transaction per turn",
         4,
         [&](const std::vector<Turn>& turns) {
             statement_by_statement(session, turns);
             return turns.size() * (as_pipeline({turns[0]}).size() + 2);
         },
         {}},
    };
    ways.resize(std::min(how_many, ways.size()));
    for (std::size_t w = 0; w < ways.size(); ++w) {
        const Number runs = first + static_cast<Number>(w) * kBatch;
        set_up(session, runs, runs + kBatch - 1);
    }
    for (int round = 0; round < 24; ++round) {
        for (std::size_t w = 0; w < ways.size(); ++w) {
            Way& way = ways[w];
            if (round >= way.rounds) {
                continue;
            }
            const auto turns = chain_round(first + static_cast<Number>(w) * kBatch,
                                           round,
                                           "chain-" + text(first + static_cast<Number>(w)));
            if (round < 1) {  // the first round counts, unmeasured
                session.start_counting();
                way.commit(turns);
                way.figures.round_trips = session.stop_counting();
                continue;
            }
            measure(session, way.figures, [&] { way.figures.statements = way.commit(turns); });
        }
    }
    print_header(title);
    const double unit = ways[0].figures.median();
    for (const Way& way : ways) {
        print(way.name, way.figures, unit, kBatch);
    }
}

/// The unfused cycle and the rest, each as one round trip for 100 items.
void measure_others(Session& session, Number first) {
    std::map<std::string, Figures> all;
    std::vector<std::string> names;
    const auto time = [&](const std::string& name, const std::vector<Step>& steps) {
        Figures& figures = all[name];
        if (figures.round_trips == 0) {
            names.push_back(name);
            std::vector<Rows> results;
            session.start_counting();
            results = session.run(steps);
            figures.round_trips = session.stop_counting();
            figures.statements = steps.size();
            return results;
        }
        std::vector<Rows> results;
        measure(session, figures, [&] { results = session.run(steps); });
        return results;
    };

    session.execute("update belay.instance set ready_at = null where ready_at is not null");
    set_up(session, first, first + kBatch - 1);
    session.run(
        {{"setup_activities", {text(kShard), text(first), text(first + kBatch - 1), "1", "9"}}});
    std::vector<Held> held;
    for (Number run = first; run < first + kBatch; ++run) {
        held.push_back({run, 1, {9, run}});
    }
    std::size_t handled = 0;
    for (Number round = 0; round < 12; ++round) {
        time("renew 100 activities", renew_steps(held));
        time("complete 100 activities (row check, message)", ack_steps(held));
        const auto claimed =
            time("claim 100 runs and their messages", claim_steps(kBatch, 20, round * kBatch));
        std::map<Number, Number> message_of;
        for (const auto& row : claimed[1]) {
            message_of[std::stoll(row[0])] = std::stoll(row[1]);
        }
        std::vector<Turn> turns;
        for (const auto& row : claimed[0]) {
            Turn turn;
            turn.run = std::stoll(row[1]);
            turn.position = std::stoll(row[8]);
            turn.lock = Token{20, std::stoll(row[13])};
            turn.commit = commit_id(300 + round, turn.run);
            turn.consumed = {message_of.at(turn.run)};
            turn.activities = {{round + 2, "cycle", std::nullopt}};
            turns.push_back(turn);
        }
        handled += turns.size();
        time("100 turns under a lock (message in, activity out)", as_pipeline(turns));
        const auto taken = time("claim 100 activities",
                                {{"claim_activities",
                                  {text(kShard),
                                   "cycle",
                                   text(kBatch),
                                   "9",
                                   text(round * kBatch),
                                   text(kLease),
                                   "w"}}});
        held.clear();
        for (const auto& row : taken[0]) {
            held.push_back({std::stoll(row[0]), std::stoll(row[2]), {9, std::stoll(row[6])}});
        }
        std::vector<Start> starts;
        for (Number i = 0; i < kBatch; ++i) {
            const Number run = first + 10'000 + round * kBatch + i;
            starts.push_back({run, "order-" + text(run), "key-" + text(run)});
        }
        time("start 100 runs with key and first turn", start_steps(starts));
        std::vector<Number> doomed;
        for (const Start& start : starts) {
            doomed.push_back(start.run);
        }
        time("cancel 100 runs (activity to stopping)", cancel_steps(doomed));
        session.execute("update belay.instance set ready_at = null where status = 3");
    }
    check(handled == 12 * kBatch, "every run was claimed and took its turn in every cycle");
    print_header("The other hot statements, 100 items each");
    const double unit = all[names[3]].median();
    for (const std::string& name : names) {
        print(name, all[name], unit, kBatch);
        check(all[name].round_trips == 1, name + ": one round trip");
    }
}

void show_plans(Session& session) {
    session.execute("set enable_seqscan = on");
    const Rows claim = session.execute(
        "explain (costs off) select shard, run from belay.instance where shard = 7 and ready_at <= "
        "(select belay.now_ms()) and held is null order by ready_at limit 100 for update skip "
        "locked");
    std::printf("\nPlan of the claim among %lld runs:\n",
                static_cast<long long>(session.number("select count(*) from belay.instance")));
    for (const auto& row : claim) {
        std::printf("  %s\n", row[0].c_str());
    }
}

int run_all() {
    {
        Connection connection(address);
        connection.execute(contents_of(sql_directory / "schema.sql"));
        connection.execute(contents_of(sql_directory / "functions.sql"));
    }
    Session a;
    Session b;
    std::printf("PostgreSQL %s\n\n", a.execute("show server_version")[0][0].c_str());

    std::printf("Refused items in the middle of a batch\n");
    try_refusals(a, "pipeline", as_pipeline, 1000);
    try_refusals(a, "cte", as_cte, 3000);
    try_refusals(a, "function", as_function, 5000);

    std::printf("\nTwo sessions\n");
    race_turn_and_cancel(a, b, 10'000);
    race_completion_and_cancel(a, b, 11'000);
    race_starts(a, b, 12'000);
    race_claim(a, b, 13'000);
    race_renewal(a, b, 14'000);
    try_lock_order(a, b, 15'000);

    // Idle runs around the busy ones, and statistics that have seen full queues.
    a.execute("update belay.instance set ready_at = null");
    set_up(a, 1'000'000, 1'049'999);
    a.run({{"setup_activities", {text(kShard), "1000000", "1004999", "1", "9"}}});
    a.execute("analyze");
    a.execute("delete from belay.activity");
    compare_forms(
        a,
        100'000,
        "A batch of 100 turns, each completing an activity and scheduling the next (fused)",
        6);
    measure_others(a, 200'000);

    a.execute("delete from belay.activity");
    a.execute("analyze");
    Session fresh;  // plans are kept with the session that made them
    compare_forms(fresh, 300'000, "The same when the statistics are of a drained queue", 3);
    show_plans(a);

    std::printf("\npostgres-trial: %d passed, %d failed, 0 skipped\n", passed, failed);
    return failed == 0 ? 0 : 1;
}

}  // namespace
}  // namespace trial

int main(int argc, char** argv) {
    if (argc != 3) {
        std::fprintf(stderr, "usage: trial <directory with the SQL> <connection string>\n");
        return 2;
    }
    trial::sql_directory = argv[1];
    trial::address = argv[2];
    try {
        return trial::run_all();
    } catch (const std::exception& error) {
        std::fprintf(stderr, "trial: %s\n", error.what());
        return 1;
    }
}
