#include "right.hpp"
#include "steps.hpp"

namespace trial {

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

}  // namespace trial
