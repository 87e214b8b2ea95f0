// The run that is created when another one fails.
#include "conformance/case.hpp"

BELAY_CONFORMANCE_AREA(on_fail)

namespace belay::conformance {
namespace {

class OnFailCase : public Case {
protected:
    [[nodiscard]] Start guarded(std::string id) {
        Start part = op::start(instance(std::move(id)));
        part.instance.on_fail = fresh_run(on_fail_id(part.instance.name.id));
        return part;
    }
    RunRef start_guarded(std::string id, Where where = Where::current()) {
        return apply(guarded(std::move(id)), where).instance->run;
    }
};

BELAY_CASE_OF(OnFailCase, OnFail, AFailureStartsIt) {
    Start part = guarded("a");
    part.instance.labels = {{"tier", std::int64_t{3}}};
    part.instance.headers = {{"traceparent", "00-1"}};
    Digest digest{};
    digest.fill(7);
    part.instance.document = digest;
    part.document = Payload::text("document");
    const RunRef run = apply(part).instance->run;
    EXPECT_EQ(info(run).on_fail, part.instance.on_fail);
    advance(1s);
    end(run, failed("no stock"));
    const InstanceInfo made = found("a/~on-fail");
    EXPECT_EQ(made.run, part.instance.on_fail);
    EXPECT_EQ(made.on_fail_of, run);
    EXPECT_EQ(made.on_fail, std::nullopt) << "nothing is started when that fails";
    EXPECT_EQ(made.parent, std::nullopt);
    EXPECT_EQ(made.status, Status::pending);
    EXPECT_EQ(made.created_at, now());
    EXPECT_EQ(made.definition, part.instance.definition);
    EXPECT_EQ(made.version, part.instance.version);
    EXPECT_EQ(made.input, part.instance.input);
    EXPECT_EQ(made.document, digest);
    EXPECT_EQ(made.owner, part.instance.owner);
    EXPECT_EQ(made.started_by, part.instance.started_by);
    EXPECT_EQ(made.headers, part.instance.headers);
    EXPECT_EQ(made.labels, part.instance.labels);
    const ClaimedInstance claimed = claim(made.run);
    EXPECT_EQ(claimed.on_fail_of, run);
    ASSERT_EQ(claimed.messages.size(), 1U);
    EXPECT_EQ(claimed.messages[0].content, op::run_failed(failed("no stock").failure));
    EXPECT_EQ(info(run).on_fail_of, std::nullopt);
}

BELAY_CASE_OF(OnFailCase, OnFail, NothingElseStartsIt) {
    end(start_guarded("completed"), completed());
    end(start_guarded("skipped"), [] {
        Outcome outcome;
        outcome.status = Status::skipped;
        return outcome;
    }());
    start_guarded("canceled");
    cancel("canceled");
    start_guarded("terminated");
    apply(op::terminate(named("terminated"), "ann", "enough"));
    for (const char* const id : {"completed", "skipped", "canceled", "terminated"}) {
        EXPECT_FALSE(find(on_fail_id(id)).has_value()) << id;
    }
}

BELAY_CASE_OF(OnFailCase, OnFail, ARunThatIsCanceledAndFailsStartsNone) {
    const RunRef run = start_guarded("a");
    take_turn(run);
    cancel("a");
    Finish part;
    part.target = named("a");
    part.outcome = failed("cleanup");
    apply(part);
    EXPECT_EQ(status(run), Status::canceled);
    EXPECT_FALSE(find(on_fail_id("a")).has_value());
}

BELAY_CASE_OF(OnFailCase, OnFail, APoisonedRunStartsIt) {
    const RunRef run = start_guarded("a");
    const ClaimedInstance item = claim(run);
    Finish part;
    part.target = std::pair(run, item.token);
    part.outcome = poisoned();
    apply(part);
    EXPECT_EQ(found(on_fail_id("a")).on_fail_of, run);
}

BELAY_CASE_OF(OnFailCase, OnFail, AHeldRunThatAPersonFailsStartsIt) {
    const RunRef run = start_guarded("a");
    const ClaimedInstance item = claim(run);
    apply(Hold{run, item.token, "look", FailureKind::nondeterminism});
    Finish part;
    part.target = named("a");
    part.outcome = failed("given up");
    part.held_only = true;
    apply(part);
    EXPECT_EQ(found(on_fail_id("a")).on_fail_of, run);
}

BELAY_CASE_OF(OnFailCase, OnFail, AFirstTurnFusedWithItsStartDoesToo) {
    const Start start = guarded("a");
    Turn turn;
    turn.run = start.instance.run;
    turn.history = events(1);
    turn.after = Ends{failed("at once"), std::nullopt};
    apply(fuse(start, turn));
    EXPECT_EQ(found(on_fail_id("a")).on_fail_of, start.instance.run);
    EXPECT_EQ(status(start.instance.run), Status::failed);
}

BELAY_CASE_OF(OnFailCase, OnFail, AChildHasItsOwn) {
    const RunRef parent = start_running("a");
    Turn turn = next_turn(parent);
    NewChild child;
    child.instance = instance("a/child");
    child.instance.parent = ParentLink{parent, 1, 1};
    child.instance.on_fail = fresh_run("a");
    turn.children.push_back(child);
    apply(turn);
    end(child.instance.run, failed());
    EXPECT_EQ(found("a/child/~on-fail").parent, std::nullopt);
    EXPECT_EQ(status(parent), Status::running);
}

BELAY_CASE_OF(OnFailCase, OnFail, ADeadlineStartsIt) {
    Start part = guarded("a");
    part.deadline = 10s;
    const RunRef run = apply(part).instance->run;
    Start claimed = guarded("b");
    claimed.deadline = 20s;
    const RunRef met = apply(claimed).instance->run;
    advance(10s);
    EXPECT_EQ(sweep().swept, 1U);
    EXPECT_EQ(found(on_fail_id("a")).on_fail_of, run);
    const ClaimedInstance item = claim(found(on_fail_id("a")).run);
    ASSERT_EQ(item.messages.size(), 1U);
    EXPECT_EQ(item.messages[0].content, op::run_failed(outcome_of(run).failure));
    advance(10s);
    EXPECT_FALSE(try_claim(met)) << "the claim meets it too late, and ends it";
    EXPECT_EQ(status(met), Status::failed);
    EXPECT_EQ(found(on_fail_id("b")).on_fail_of, met);
}

BELAY_CASE_OF(OnFailCase, OnFail, ALimitStartsIt) {
    const RunRef run = start_guarded("a");
    const ClaimedInstance item = claim(run);
    Finish part;
    part.target = std::pair(run, item.token);
    part.outcome = failed("its history is full");
    part.outcome.failure.kind = FailureKind::limit;
    apply(part);
    const InstanceInfo made = found(on_fail_id("a"));
    EXPECT_EQ(made.on_fail_of, run);
    EXPECT_EQ(claim(made.run).messages[0].content, op::run_failed(part.outcome.failure));
}

BELAY_CASE_OF(OnFailCase, OnFail, AnExpiryStartsNone) {
    Start part = guarded("a");
    part.expires = 10s;
    const RunRef run = apply(part).instance->run;
    advance(10s);
    sweep();
    EXPECT_EQ(status(run), Status::canceled);
    EXPECT_FALSE(find(on_fail_id("a")));
}

BELAY_CASE_OF(OnFailCase, OnFail, ItHasThePriorityOfTheFailedRun) {
    Start part = guarded("a");
    part.instance.priority = 5;
    const RunRef parent = apply(part).instance->run;
    Turn turn = next_turn(parent);
    NewChild child;
    child.instance = instance("a/child");
    child.instance.parent = ParentLink{parent, 1, 1};
    child.instance.priority = 2;
    child.instance.on_fail = fresh_run("a");
    turn.children.push_back(child);
    apply(turn);
    end(child.instance.run, failed());
    const RunRef of_child = found(on_fail_id("a/child")).run;
    EXPECT_EQ(info(of_child).priority, 7) << "with that of the runs above the failed one";
    end(parent, failed());
    const RunRef of_parent = found(on_fail_id("a")).run;
    EXPECT_EQ(info(of_parent).priority, 5);
    NewActivity between = activity(1);
    between.priority = 6;
    schedule(start("other"), {between});
    schedule(of_parent, {activity(1)});
    schedule(of_child, {activity(1)});
    std::vector<RunRef> order;
    for (const auto& item : claim_activities()) order.push_back(item.activity.run);
    EXPECT_EQ(order, (std::vector<RunRef>{of_child, found("other").run, of_parent}));
}

BELAY_CASE_OF(OnFailCase, OnFail, TheIdMovesFromARunThatHandledAnEarlierFailure) {
    end(start_guarded("a"), failed());
    const RunRef before = found(on_fail_id("a")).run;
    end(before);
    apply(op::force_delete(named("a")));
    const RunRef run = start_guarded("a");
    end(run, failed("again"));
    const InstanceInfo made = found(on_fail_id("a"));
    EXPECT_EQ(made.on_fail_of, run);
    const ClaimedInstance item = claim(made.run);
    ASSERT_EQ(item.messages.size(), 1U);
    EXPECT_EQ(item.messages[0].content, op::run_failed(failed("again").failure));
    EXPECT_EQ(status(before), Status::completed) << "it is there, without the name";
    EXPECT_EQ(apply(op::force_delete(named(on_fail_id("a")))).deleted.instances, 2U);
}

BELAY_CASE_OF(OnFailCase, OnFail, ARunForAnEarlierFailureKeepsItsIdUntilItIsAtRest) {
    end(start_guarded("a"), failed());
    const RunRef before = found(on_fail_id("a")).run;
    schedule(before, {activity(1)});
    const ClaimedActivity item = claim_activity();
    std::vector<RunRef> runs;
    for (int i = 0; i < 3; ++i) {
        apply(op::force_delete(named("a")));
        if (i == 1) end(before);
        if (i == 2) {
            EXPECT_TRUE(applied(try_drop(item)));
        }
        const Start part = guarded("a");
        const RunRef run = apply(part).instance->run;
        end(run, failed());
        const bool moves = i == 2;
        const std::string other = other_on_fail_id("a", part.instance.on_fail->key);
        EXPECT_EQ(found(moves ? on_fail_id("a") : other).on_fail_of, run);
        EXPECT_EQ(found(on_fail_id("a")).run == before, !moves);
    }
}

BELAY_CASE_OF(OnFailCase, OnFail, AReplacementHasItsOwn) {
    const RunRef first = start_guarded("a");
    end(first, failed());
    Start part = guarded("a");
    part.on_conflict = IdConflict::replace;
    const RunRef second = apply(part).instance->run;
    end(second, failed());
    EXPECT_EQ(found(on_fail_id("a")).on_fail_of, first);
    EXPECT_EQ(found(other_on_fail_id("a", part.instance.on_fail->key)).on_fail_of, second);
    end(found(on_fail_id("a")).run);
    Start last = guarded("a");
    last.on_conflict = IdConflict::replace;
    const RunRef third = apply(last).instance->run;
    end(third, failed());
    EXPECT_EQ(found(on_fail_id("a")).on_fail_of, third);
}

BELAY_CASE_OF(OnFailCase, OnFail, AnIdInUseGivesItAnother) {
    const Start part = guarded("a");
    const RunRef run = apply(part).instance->run;
    const RunKey key = part.instance.on_fail->key;
    const RunRef other = start(on_fail_id("a"));
    end(other);
    end(start(other_on_fail_id("a", key)));
    end(run, failed());
    EXPECT_EQ(found(on_fail_id("a")).run, other) << "it was for no failure";
    const std::string free = other_on_fail_id("a", key) + "." + std::to_string(key.value);
    EXPECT_EQ(found(free).on_fail_of, run);
}

BELAY_CASE_OF(OnFailCase, OnFail, AKeyInUseGivesItAnother) {
    const Start part = guarded("a");
    const RunRef run = apply(part).instance->run;
    Start other = op::start(instance("b"));
    other.instance.run.key = part.instance.on_fail->key;
    apply(other);
    end(run, failed());
    EXPECT_EQ(found(on_fail_id("a")).on_fail_of, run);
    EXPECT_EQ(status(other.instance.run), Status::pending);
    EXPECT_TRUE(try_claim(found(on_fail_id("a")).run));
}

BELAY_CASE_OF(OnFailCase, OnFail, NobodyElseTakesTheIdInTheSameTransition) {
    const RunRef run = start_guarded("a");
    const Turn turn = ending(next_turn(run), failed());
    EXPECT_TRUE(refused(commit(fuse(turn, op::start(instance(on_fail_id("a"))))), Errc::id_in_use));
    EXPECT_EQ(status(run), Status::pending);
    const std::string other = other_on_fail_id("a", info(run).on_fail->key);
    const Start first = op::start(instance(on_fail_id("a")));
    EXPECT_TRUE(refused(commit(fuse(first, turn, op::start(instance(other)))), Errc::id_in_use));
    EXPECT_EQ(status(run), Status::pending);
    apply(fuse(first, turn));
    EXPECT_EQ(found(on_fail_id("a")).on_fail_of, std::nullopt);
    EXPECT_EQ(found(other).on_fail_of, run);
}

BELAY_CASE_OF(OnFailCase, OnFail, ItIsDeletedByItself) {
    const RunRef run = start_guarded("a");
    end(run, failed());
    apply(op::force_delete(named("a")));
    EXPECT_EQ(found(on_fail_id("a")).on_fail_of, run) << "it goes on, and says what it was for";
    apply(op::force_delete(named(on_fail_id("a"))));
    EXPECT_FALSE(find(on_fail_id("a")).has_value());
}

BELAY_CASE_OF(OnFailCase, OnFail, ARepeatedCommitStartsItOnce) {
    const RunRef run = start_guarded("a");
    const Change change = fuse(ending(next_turn(run), failed()));
    apply(change);
    apply(op::force_delete(named(on_fail_id("a"))));
    EXPECT_TRUE(already_applied(commit(change)));
    EXPECT_FALSE(find(on_fail_id("a")).has_value());
}

BELAY_CASE_OF(OnFailCase, OnFail, AStartThatCannotHaveOneIsRefused) {
    Start part = guarded("a");
    part.instance.on_fail = part.instance.run;
    EXPECT_TRUE(refused(commit(part), Errc::invalid_argument)) << "the key is not greater";
    part = guarded("a");
    part.instance.on_fail_of = fresh_run("b");
    EXPECT_TRUE(refused(commit(part), Errc::invalid_argument)) << "only a store says so";
    part = guarded(std::string(250, 'a') + "/" + std::string(45, 'b'));
    EXPECT_TRUE(refused(commit(part), Errc::limit_exceeded)) << "its id would be too long";
    part.instance.on_fail.reset();
    apply(part);
    Start taken = guarded("c");
    taken.instance.on_fail->key = RunKey{found(part.instance.name.id).run.key.value + 1'000'000};
    Start other = op::start(instance("d"));
    other.instance.run.key = taken.instance.on_fail->key;
    apply(other);
    EXPECT_TRUE(refused(commit(taken), Errc::run_key_taken));
}

}  // namespace
}  // namespace belay::conformance
