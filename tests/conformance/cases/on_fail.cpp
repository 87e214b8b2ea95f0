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

BELAY_CASE_OF(OnFailCase, OnFail, AnIdInUseStartsNone) {
    const RunRef run = start_guarded("a");
    const RunRef other = start(on_fail_id("a"));
    end(run, failed());
    EXPECT_EQ(found(on_fail_id("a")).run, other);
    EXPECT_EQ(found(on_fail_id("a")).on_fail_of, std::nullopt);
    EXPECT_EQ(status(run), Status::failed);
}

BELAY_CASE_OF(OnFailCase, OnFail, NobodyElseTakesTheIdInTheSameTransition) {
    const RunRef run = start_guarded("a");
    const Turn turn = ending(next_turn(run), failed());
    EXPECT_TRUE(refused(commit(fuse(turn, op::start(instance(on_fail_id("a"))))), Errc::id_in_use));
    EXPECT_EQ(status(run), Status::pending);
    apply(fuse(op::start(instance(on_fail_id("a"))), turn));
    EXPECT_EQ(found(on_fail_id("a")).on_fail_of, std::nullopt);
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
