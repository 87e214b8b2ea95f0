#include "right.hpp"
#include "steps.hpp"
#include "two_trips.hpp"

namespace trial {

Tried tried(const std::string& name, std::vector<Step> (*form)(const std::vector<Turn>&)) {
    return {name,
            [form](const std::vector<Turn>& turns) { return in_one(form(turns)); },
            [](const std::vector<Number>& runs) { return in_one(cancel_steps(runs)); },
            [form](const Turn& one, const Turn& other) {
                // Two waves: guards of a set are evaluated before its effects.
                std::vector<Step> waves = form({one});
                for (const Step& step : form({other})) {
                    waves.push_back(step);
                }
                return in_one(waves);
            },
            1};
}

Tried tried_in_two() {
    return {"two round trips",
            [](const std::vector<Turn>& turns) { return in_two(turns); },
            [](const std::vector<Number>& runs) { return in_two({}, runs); },
            [](const Turn& one, const Turn& other) { return in_two({one, other}); },
            2};
}

void try_refusals(Session& session, const Tried& form, Number first) {
    const std::string& name = form.name;
    set_up(session, first, first + 6);
    session.run({{"setup_activities", {text(kShard), text(first), text(first + 6), "1", "9"}}});
    commit(session, form.cancels({first + 3}));

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

    check(commit(session, form.turns(batch)) == expected,
          name + ": each transition has its own verdict");
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
    check(commit(session, form.turns(batch)) == again &&
              session.number("select count(*) from belay.history" + range) == 3,
          name + ": the identical batch again is already applied");

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
    session.start_counting();
    const bool both =
        commit(session, form.one_after_other(second, third)) == std::vector<int>{1, 1};
    const int round_trips = session.stop_counting();
    check(round_trips == form.round_trips && both,
          name + ": two turns of one run, in as many round trips as one");
}

void try_loaded(Session& session, Number first) {
    set_up(session, first, first + 2);
    session.run({{"setup_activities", {text(kShard), text(first), text(first + 2), "1", "9"}}});
    std::vector<Turn> batch(3);
    for (std::size_t i = 0; i < batch.size(); ++i) {
        batch[i].run = first + static_cast<Number>(i);
        batch[i].commit = commit_id(12, batch[i].run);
    }
    batch[0].activities = {{1, "loaded", std::nullopt}};  // its command is there already
    batch[1].activities = {{2, "loaded", Token{7, 1}}};   // handed over
    batch[1].sends = {{first + 2, 1}};
    batch[2].lock = Token{7, 3};
    batch[2].status = 4;  // ends, with an activity that the turn does not name
    session.execute("update belay.instance set lock_holder = 7, lock_serial = 3 where run = " +
                    text(first + 2));
    const std::string of_ended = " where run = " + text(first + 2);
    check(commit(session, in_two(batch)) == std::vector<int>{kThereAlready, 1, 1} &&
              session.number("select count(*) from belay.activity where holder = 7 and run = " +
                             text(first + 1)) == 1,
          "two round trips: a command that is there already is refused by a guard, not by the "
          "server; its neighbour is handed over");
    check(session.number("select count(*) from belay.activity" + of_ended) == 0 &&
              session.number("select count(*) from belay.stopping" + of_ended) == 1 &&
              session.number("select count(*) from belay.message" + of_ended) == 0,
          "two round trips: a run that ends loses its activities, and what was sent to it in the "
          "same batch");
}

}  // namespace trial
