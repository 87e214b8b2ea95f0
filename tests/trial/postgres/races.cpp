#include "right.hpp"
#include "steps.hpp"
#include "two_trips.hpp"

namespace trial {

namespace {

struct Late {
    std::vector<Rows> results;
    std::vector<int> verdicts;
};

/// One round trip, in a transaction that stays open until the second.
[[nodiscard]] Batch kept_open(std::vector<Step> steps) {
    steps.insert(steps.begin(), Step{"begin", {}});
    Batch batch = in_one(steps);
    batch.decide = [decide = batch.decide](const std::vector<Rows>& results) {
        Batch::Decision decision = decide(results);
        decision.second.push_back({"commit", {}});
        return decision;
    };
    return batch;
}

/// The second is sent when the first has its locks, and must wait; then the first commits.
Late in_order(Session& a, Session& b, Batch first, const Batch& second, const std::string& what) {
    if (first.first.front().statement != "begin") {
        first = kept_open(first.first);
    }
    const auto opened = a.run(first.first);
    b.send(second.first);
    check(b.waits(60), what + ": the second waits");
    a.run(first.decide(opened).second);
    Late late{b.receive(), {}};
    const Batch::Decision decision = second.decide(late.results);
    if (!decision.second.empty()) {
        b.run(decision.second);
    }
    late.verdicts = decision.verdicts;
    return late;
}

using Lock = std::function<std::vector<Step>(const std::vector<Number>&)>;

/// Which runs two batches lock: the first some, the second its own, then the first some more.
struct Crossing {
    std::vector<Number> first, second, more;
};

[[nodiscard]] bool deadlocks(Session& a, Session& b, const Lock& lock, const Crossing& runs) {
    a.execute("begin");
    b.execute("begin");
    a.run(lock(runs.first));
    b.send(lock(runs.second));
    (void)b.waits(60);
    int victims = 0;
    a.send(lock(runs.more));
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

}  // namespace

void race_turn_and_cancel(Session& a, Session& b, const Tried& form, Number first) {
    set_up(a, first, first + 1);
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
    std::string what = form.name + ": turn, then cancel";
    in_order(a, b, form.turns({turn_of(first)}), form.cancels({first}), what);
    check(left(first) == 0, what + ": the activity that the turn put in is canceled");

    what = form.name + ": cancel, then turn";
    const Late late =
        in_order(a, b, form.cancels({first + 1}), form.turns({turn_of(first + 1)}), what);
    check(late.verdicts == std::vector<int>{23} && left(first + 1) == 0,
          what + ": refused, it had not seen the cancel");
}

void race_cancel_in_one(Session& a, Session& b, Number first) {
    set_up(a, first, first);
    Turn turn;
    turn.run = first;
    turn.commit = commit_id(5, first);
    turn.activities = {{1, "race", std::nullopt}};
    const Step one{"cancel_in_one",
                   {same(kShard, 1), array_of({first}), "{operator}", "{reason}", "{600000}"}};
    in_order(
        a, b, in_one(as_pipeline({turn})), in_one({one}), "turn, then cancel in one statement");
    check(a.number("select count(*) from belay.activity where run = " + text(first)) == 1,
          "counterexample: a cancel in one statement misses that activity (old snapshot)");
}

void race_completion_and_cancel(Session& a, Session& b, Number first) {
    set_up(a, first, first + 1);
    a.run({{"setup_activities", {text(kShard), text(first), text(first + 1), "1", "9"}}});
    in_order(a,
             b,
             in_one(ack_steps({{first, 1, {9, first}}})),
             in_one(cancel_steps({first})),
             "completion, then cancel");
    check(a.number("select count(*) from belay.instance i join belay.message m using (shard, run)"
                   " where m.number < i.cancel_sequence and run = " +
                   text(first)) == 1,
          "completion, then cancel: the message is there, with the lower number");
    check(a.number("select count(*) from belay.stopping where run = " + text(first)) == 0,
          "completion, then cancel: nobody is to be stopped");

    const Late late = in_order(a,
                               b,
                               in_one(cancel_steps({first + 1})),
                               in_one(ack_steps({{first + 1, 1, {9, first + 1}}})),
                               "cancel, then completion");
    check(late.verdicts == std::vector<int>{21} &&
              a.number("select count(*) from belay.message where run = " + text(first + 1)) == 0,
          "cancel, then completion: refused as canceled, nothing is sent");
    check(a.number("select count(*) from belay.stopping where run = " + text(first + 1)) == 1,
          "cancel, then completion: the stopping record stays");
}

/// A takeover does not lock the instance: whoever completes or cancels an activity locks it itself.
void race_fused_turn(Session& a, Session& b, const Tried& form, Number first) {
    set_up(a, first, first);
    a.run({{"setup_activities", {text(kShard), text(first), text(first), "1", "9"}}});
    const std::string of_run = " where run = " + text(first);
    const auto claim = [&](Number serial) {
        a.execute("update belay.activity set claimable_at = 0, queue = 'takeover'" + of_run);
        return in_one(
            {{"claim_activities",
              {text(kShard), "takeover", "1", "8", text(serial), text(kLease), "other"}}});
    };
    Turn fused;
    fused.run = first;
    fused.commit = commit_id(6, fused.run);
    fused.ack = Ack{1, {9, first}};
    std::string what = form.name + ": takeover, then completion with its turn";
    const Late late = in_order(a, b, claim(1), form.turns({fused}), what);
    check(late.verdicts == std::vector<int>{20} &&
              a.number("select count(*) from belay.history" + of_run) == 0,
          what + ": refused whole");

    Turn dropping;
    dropping.run = first;
    dropping.commit = commit_id(8, dropping.run);
    dropping.canceled = {1};
    what = form.name + ": claim, then a turn that cancels it";
    in_order(a, b, claim(2), form.turns({dropping}), what);
    check(a.number("select count(*) from belay.activity" + of_run) == 0 &&
              a.number("select serial from belay.stopping" + of_run) == 2,
          what + ": the new holder is on record");
}

void race_inbox(Session& a, Session& b, const Tried& form, Number first) {
    set_up(a, first, first);
    const std::string of_run = " where run = " + text(first);
    a.run({{"setup_message", {text(kShard), text(first), "1"}}});
    a.execute("update belay.instance set lock_holder = 1, lock_serial = 1, locked_until = 0" +
              of_run);
    Turn turn;
    turn.run = first;
    turn.commit = commit_id(9, first);
    turn.lock = Token{1, 1};
    turn.consumed = {1};
    Turn next;
    next.run = first;
    next.commit = commit_id(10, first);
    next.position = kEvents;
    const std::string what =
        form.name + ": turn that consumes a message, then a turn without a lock";
    const Late late = in_order(a, b, form.turns({turn}), form.turns({next}), what);
    check(late.verdicts == std::vector<int>{1} &&
              a.number("select count(*) from belay.instance where ready_at is null and run = " +
                       text(first)) == 1,
          what + ": it does not see the message any more");
}

void race_between_round_trips(Session& a, Session& b, Number first) {
    set_up(a, first, first + 2);
    a.run({{"setup_activities", {text(kShard), text(first), text(first + 2), "1", "9"}}});
    a.execute("update belay.activity set claimable_at = 0, queue = 'between' where run in (" +
              text(first + 1) + ", " + text(first + 2) + ")");
    std::vector<Turn> fused(2);
    for (std::size_t i = 0; i < fused.size(); ++i) {
        fused[i].run = first + static_cast<Number>(i);
        fused[i].commit = commit_id(11, fused[i].run);
        fused[i].ack = Ack{1, {9, fused[i].run}};
    }
    const Batch batch = in_two(fused);
    const auto loaded = a.run(batch.first);
    check(commit(b, renew_steps({{first, 1, {9, first}}})) == std::vector<int>{40},
          "between two round trips: a renewal waits for nobody and answers busy");
    const auto claimed = b.run(
        {{"claim_activities", {text(kShard), "between", "9", "8", "1", text(kLease), "other"}}});
    check(claimed[0].size() == 1 && claimed[0][0][0] == text(first + 2),
          "between two round trips: a claim skips what is locked and takes the one behind it");
    const Batch::Decision decision = batch.decide(loaded);
    a.run(decision.second);
    check(decision.verdicts == std::vector<int>{1, 1} &&
              a.number("select count(*) from belay.activity where run in (" + text(first) + ", " +
                       text(first + 1) + ")") == 0,
          "between two round trips: the completions that came first are applied");
}

void race_lost_client(Session& b, Number first) {
    set_up(b, first, first);
    Turn turn;
    turn.run = first;
    turn.commit = commit_id(13, first);
    Turn lost = turn;
    lost.commit = commit_id(14, first);
    Session a;
    a.execute("set idle_in_transaction_session_timeout = 200");
    a.run(in_two({lost}).first);
    const Batch batch = in_two({turn});
    b.send(batch.first);
    check(b.waits(20), "a client that does not come back: others wait for the rows it has locked");
    const Batch::Decision decision = batch.decide(b.receive());
    b.run(decision.second);
    check(decision.verdicts == std::vector<int>{1} &&
              b.number("select count(*) from belay.history where run = " + text(first)) == 1,
          "a client that does not come back: the server ends its session, and others go on");
}

void race_starts(Session& a, Session& b, Number first) {
    const auto one = start_steps({{first, "race-1", "key-1"}});
    const auto two = start_steps(
        {{first + 1, "race-2", "key-1", "other input"}, {first + 2, "race-3", "key-3"}});
    const Late late = in_order(a, b, in_one(one), in_one(two), "two starts with one key");
    const Rows& answer = late.results.back();
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

void try_lock_order(Session& a, Session& b, Number first) {
    set_up(a, first, first + 2);
    a.run({{"setup_activities", {text(kShard), text(first), text(first + 2), "1", "9"}}});
    const auto by = [](const std::string& statement) {
        return [statement](const std::vector<Number>& runs) {
            return std::vector<Step>{{statement, {same(kShard, runs.size()), array_of(runs)}}};
        };
    };
    const Crossing crossing{{first}, {first + 1, first}, {first, first + 1}};
    check(!deadlocks(a, b, by("lock_instances"), crossing),
          "overlapping batches, locked in key order: no deadlock");
    check(deadlocks(a, b, by("unsorted_lock"), crossing),
          "counterexample: locked in the order of the arrays they deadlock");
    const auto load = [](const std::vector<Number>& runs) {
        std::vector<Turn> turns;
        for (const Number run : runs) {
            Turn turn;
            turn.run = run;
            turn.ack = Ack{1, {9, run}};
            turns.push_back(turn);
        }
        return load_steps(turns, {});
    };
    check(!deadlocks(a, b, load, crossing),
          "two round trips: overlapping batches lock what they name in key order: no deadlock");
    check(deadlocks(a, b, load, {{first, first + 2}, {first + 1, first + 2}, {first + 1}}),
          "counterexample: a child that is found when a greater key is locked: they deadlock");
    check(!deadlocks(
              a, b, load, {{first, first + 1, first + 2}, {first + 1, first + 2}, {first + 1}}),
          "a child that is looked up before anything is locked: no deadlock");
}

}  // namespace trial
