#include "right.hpp"
#include "steps.hpp"

namespace trial {

namespace {

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

}  // namespace

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

void try_lock_order(Session& a, Session& b, Number first) {
    set_up(a, first, first + 1);
    check(!deadlocks(a, b, "lock_instances", first),
          "overlapping batches, locked in key order: no deadlock");
    check(deadlocks(a, b, "unsorted_lock", first),
          "counterexample: locked in the order of the arrays they deadlock");
}

}  // namespace trial
