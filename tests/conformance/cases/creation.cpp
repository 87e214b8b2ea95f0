// The rows of a start, and their reads.
#include "conformance/case.hpp"

#include <limits>

BELAY_CONFORMANCE_AREA(creation)

namespace belay::conformance {
namespace {

BELAY_CASE(Creation, StartMakesAPendingRunThatIsReady) {
    const NewInstance made = instance("a");
    const Answer answer = apply(op::start(made));
    ASSERT_TRUE(answer.instance);
    EXPECT_EQ(answer.instance->run, made.run);
    EXPECT_EQ(answer.instance->name, named("a"));
    EXPECT_EQ(answer.instance->status, Status::pending);
    EXPECT_FALSE(answer.instance->deleted);
    EXPECT_EQ(status(made.run), Status::pending);
    EXPECT_TRUE(try_claim(made.run));
}

BELAY_CASE(Creation, EveryFieldIsKept) {
    NewInstance made = instance("a");
    made.headers = {{"traceparent", "00-abc"}, {"empty", ""}};
    made.labels = {{"customer", std::string("Ada")},
                   {"items", std::int64_t{-3}},
                   {"weight", 2.5},
                   {"express", true}};
    apply(op::start(made));

    const auto found = find("a");
    ASSERT_TRUE(found);
    EXPECT_EQ(found->run, made.run);
    EXPECT_EQ(found->name, made.name);
    EXPECT_EQ(found->definition, "Order");
    EXPECT_EQ(found->version, "1.0");
    EXPECT_EQ(found->input, made.input);
    EXPECT_EQ(found->owner, "team");
    EXPECT_EQ(found->started_by, "tester");
    EXPECT_EQ(found->headers, made.headers);
    EXPECT_EQ(found->labels, made.labels);
    EXPECT_EQ(found->execution, 1U);
    EXPECT_EQ(found->position, 0U);
    EXPECT_FALSE(found->outcome);
    EXPECT_FALSE(found->cancel);
    EXPECT_FALSE(found->parent);
    EXPECT_FALSE(found->held);
    EXPECT_FALSE(found->settled);
}

BELAY_CASE(Creation, LabelsThatAreNoNumbersAreRefused) {
    const RunRef parent = start_running("p");
    for (const double value : {std::numeric_limits<double>::quiet_NaN(),
                               std::numeric_limits<double>::infinity(),
                               -std::numeric_limits<double>::infinity()}) {
        NewInstance made = instance("a");
        made.labels = {{"weight", value}};
        EXPECT_TRUE(refused(commit(op::start(made)), Errc::invalid_argument));
        EXPECT_FALSE(find("a").has_value());

        Turn turn = next_turn(parent);
        NewChild child;
        child.instance = made;
        child.instance.name = named("p/a");
        child.instance.run = fresh_run("p");
        child.instance.parent = ParentLink{parent, turn.execution, 1};
        turn.children.push_back(child);
        EXPECT_TRUE(refused(commit(turn), Errc::invalid_argument));
        EXPECT_FALSE(find("p/a").has_value());
    }
}

BELAY_CASE(Creation, ClaimOfANewRunCarriesItAll) {
    NewInstance made = instance("a");
    made.headers = {{"traceparent", "00-abc"}};
    apply(op::start(made));

    const ClaimedInstance item = claim(made.run);
    EXPECT_EQ(item.name, named("a"));
    EXPECT_EQ(item.definition, "Order");
    EXPECT_EQ(item.version, "1.0");
    EXPECT_EQ(item.status, Status::pending);
    EXPECT_EQ(item.execution, 1U);
    EXPECT_EQ(item.position, 0U);
    EXPECT_EQ(item.input, made.input);
    EXPECT_EQ(item.headers, made.headers);
    EXPECT_FALSE(item.parent);
    EXPECT_FALSE(item.cancel);
    EXPECT_TRUE(item.messages.empty());
}

BELAY_CASE(Creation, FirstCommittedTurnMakesItRunning) {
    const RunRef run = start("a");
    const ClaimedInstance item = claim(run);
    EXPECT_EQ(status(run), Status::pending) << "a claim alone is not a turn";
    apply(turn_of(item));
    EXPECT_EQ(status(run), Status::running);
}

BELAY_CASE(Creation, FirstTurnIsGivenOnce) {
    const RunRef run = start("a");
    take_turn(run);
    EXPECT_FALSE(try_claim(run));
}

BELAY_CASE(Creation, TimesAreTheStoresOwn) {
    const Timestamp created = now();
    const RunRef run = start("a");
    advance(5s);
    take_turn(run);
    advance(7s);
    end(run);

    const InstanceInfo after = info(run);
    EXPECT_EQ(after.created_at, created);
    EXPECT_EQ(after.started_at, created + 5s);
    EXPECT_EQ(after.ended_at, created + 12s);
}

BELAY_CASE(Creation, NothingStartedIsNothingFound) {
    EXPECT_FALSE(find("a"));
    EXPECT_FALSE(find(fresh_run("a")));
    EXPECT_FALSE(try_claim());
    EXPECT_FALSE(try_claim_activity());
}

BELAY_CASE(Creation, MessageToAnUnknownNameCreatesNothing) {
    EXPECT_TRUE(refused(commit(op::raise(named("a"), "go", Payload())), Errc::not_found));
    EXPECT_TRUE(refused(commit(op::enqueue(named("a"), "mail", Payload())), Errc::not_found));
    EXPECT_FALSE(find("a"));
    EXPECT_FALSE(try_claim());
}

BELAY_CASE(Creation, EmptyVersionIsAVersion) {
    NewInstance made = instance("a");
    made.version = "";
    apply(op::start(made));
    EXPECT_EQ(claim(made.run).version, "");
}

BELAY_CASE(Creation, NamespacesDoNotMeet) {
    NewInstance here = instance("a");
    NewInstance there = instance("a");
    there.name.space = "other";
    apply(op::start(here));
    apply(op::start(there));

    ReadInstance request;
    request.name = InstanceName{"other", "a"};
    const auto found = read(request);
    ASSERT_TRUE(found);
    EXPECT_EQ(found->run, there.run);

    apply(op::cancel(InstanceName{"other", "a"}, "stop", kDeadline));
    EXPECT_EQ(status(here.run), Status::pending);
    EXPECT_EQ(status(there.run), Status::canceled);
}

BELAY_CASE(Creation, NamesOfAnyCharactersAreKeptApart) {
    const std::vector<std::string> ids = {"a'b",
                                          "a\"b",
                                          "a%b",
                                          "a_b",
                                          "a\\b",
                                          "a;b",
                                          "Grüße",
                                          "日本",
                                          "A",
                                          "a",
                                          " a",
                                          std::string(255, 'x')};
    std::vector<RunRef> runs;
    for (const std::string& id : ids) runs.push_back(start(id));
    for (std::size_t i = 0; i < ids.size(); ++i) {
        const auto found = find(ids[i]);
        ASSERT_TRUE(found) << ids[i];
        EXPECT_EQ(found->run, runs[i]) << ids[i];
        EXPECT_EQ(found->name.id, ids[i]);
    }
}

BELAY_CASE(Creation, RunKeyInUseIsRefused) {
    const RunRef run = start("a");
    NewInstance other = instance("a/other");  // A path under "a" is in the same shard.
    other.run = run;
    EXPECT_TRUE(refused(commit(op::start(other)), Errc::run_key_taken));
    EXPECT_FALSE(find("a/other"));
    EXPECT_EQ(info(run).name, named("a"));
}

BELAY_CASE(Creation, DelayedStartWaits) {
    Start late = op::start(instance("a"));
    late.delay = 1min;
    const RunRef run = late.instance.run;
    apply(late);
    EXPECT_EQ(status(run), Status::pending);
    EXPECT_FALSE(try_claim(run));
    advance(1min - 1ms);
    EXPECT_FALSE(try_claim(run));
    advance(1ms);
    EXPECT_TRUE(try_claim(run));
}

BELAY_CASE(Creation, DelayedStartWaitsThoughAMessageComes) {
    Start late = op::start(instance("a"));
    late.delay = 1min;
    const RunRef run = late.instance.run;
    apply(late);
    raise("a", "go");
    EXPECT_FALSE(try_claim(run));
    advance(1min - 1ms);
    EXPECT_FALSE(try_claim(run));
    advance(1ms);
    EXPECT_EQ(claim(run).messages.size(), 1U);
}

BELAY_CASE(Creation, DelayedStartCanBeCanceledBeforeItRuns) {
    Start late = op::start(instance("a"));
    late.delay = 1h;
    const RunRef run = late.instance.run;
    apply(late);
    EXPECT_TRUE(cancel("a").changed);
    EXPECT_EQ(status(run), Status::canceled);
    advance(2h);
    EXPECT_FALSE(try_claim(run));
}

BELAY_CASE(Creation, TurnPinsTheVersion) {
    const RunRef run = start("a");
    Turn turn = next_turn(run);
    turn.version = "3.1";
    apply(turn);
    EXPECT_EQ(info(run).version, "3.1");
    apply(next_turn(run));
    raise("a", "go");
    EXPECT_EQ(claim(run).version, "3.1") << "a turn that says nothing keeps it";
}

}  // namespace
}  // namespace belay::conformance
