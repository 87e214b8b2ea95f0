// Old executions of a chain are removed, and nothing else is.
#include "conformance/case.hpp"

BELAY_CONFORMANCE_AREA(prune)

namespace belay::conformance {
namespace {

/// Which executions a run still has.
std::vector<ExecutionNo> numbers_of(const std::vector<ExecutionInfo>& executions) {
    std::vector<ExecutionNo> numbers;
    for (const ExecutionInfo& one : executions) numbers.push_back(one.execution);
    return numbers;
}

using Numbers = std::vector<ExecutionNo>;

Prune keep(std::string id, std::uint32_t count) { return op::prune_executions(named(id), count); }

Prune before(std::string id, Timestamp time) {
    return op::prune_executions(named(id), std::nullopt, time);
}

BELAY_CASE(Prune, KeepsTheLastOnes) {
    const RunRef run = start("a");
    for (int i = 0; i < 4; ++i) apply(continuing(next_turn(run)));
    const Answer answer = commit(keep("a", 2));
    EXPECT_TRUE(applied(answer));
    EXPECT_EQ(answer.deleted.executions, 3U);
    EXPECT_EQ(answer.deleted.events, 3U);
    EXPECT_EQ(answer.deleted.instances, 0U);
    EXPECT_TRUE(answer.changed);
    ASSERT_TRUE(answer.instance);
    EXPECT_EQ(answer.instance->run, run);
    EXPECT_FALSE(answer.instance->deleted);
    EXPECT_EQ(numbers_of(read(ListExecutions{run})), (Numbers{4, 5}));
    for (const ExecutionNo gone : {1U, 2U, 3U}) EXPECT_TRUE(history(run, gone).empty());
    EXPECT_EQ(history(run, 4).size(), 1U);
}

BELAY_CASE(Prune, CurrentExecutionStaysWhateverIsAsked) {
    for (const auto& asked : {std::optional<std::uint32_t>(),
                              std::optional<std::uint32_t>(0),
                              std::optional<std::uint32_t>(1)}) {
        const RunRef run = start("a");
        apply(continuing(next_turn(run)));
        apply(continuing(next_turn(run)));
        apply(next_turn(run));
        const Answer answer = apply(op::prune_executions(named("a"), asked, now() + 24h));
        EXPECT_EQ(answer.deleted.executions, 2U);
        EXPECT_EQ(numbers_of(read(ListExecutions{run})), (Numbers{3}));
        EXPECT_EQ(history(run, 3).size(), 1U);
        EXPECT_EQ(status(run), Status::running);
        apply(op::force_delete(named("a")));
    }
}

BELAY_CASE(Prune, RunBetweenTwoExecutionsGoesOn) {
    const RunRef run = start_running("a");
    apply(continuing(next_turn(run), "second input"));
    EXPECT_EQ(info(run).position, 0U) << "nothing of the next execution has happened";
    EXPECT_EQ(apply(keep("a", 0)).deleted.executions, 1U);
    const ClaimedInstance item = claim(run);
    EXPECT_EQ(item.execution, 2U);
    EXPECT_EQ(item.input, Payload::text("second input"));
    EXPECT_TRUE(applied(commit(turn_of(item))));
}

BELAY_CASE(Prune, ExecutionThatBeganSinceItWasChosenIsTheCurrentOne) {
    const RunRef run = start("a");
    apply(continuing(next_turn(run)));
    const Prune chosen = keep("a", 1);  // Whoever asks has seen executions 1 and 2.
    apply(continuing(next_turn(run)));
    EXPECT_EQ(apply(chosen).deleted.executions, 2U);
    EXPECT_EQ(numbers_of(read(ListExecutions{run})), (Numbers{3}));
}

BELAY_CASE(Prune, TurnUnderWayIsNotDisturbed) {
    const RunRef run = start("a");
    apply(continuing(next_turn(run)));
    const ClaimedInstance item = claim(run);
    apply(keep("a", 1));
    EXPECT_TRUE(applied(commit(turn_of(item))));
    EXPECT_EQ(info(run).position, 1U);
}

BELAY_CASE(Prune, OnlyThoseThatEndedBefore) {
    const RunRef run = start("a");
    std::vector<Timestamp> ended;
    for (int i = 0; i < 3; ++i) {
        advance(10s);
        ended.push_back(now());
        apply(continuing(next_turn(run)));
    }
    EXPECT_EQ(apply(before("a", ended[0])).deleted.executions, 0U) << "not before its own end";
    EXPECT_EQ(apply(before("a", ended[1])).deleted.executions, 1U);
    EXPECT_EQ(numbers_of(read(ListExecutions{run})), (Numbers{2, 3, 4}));
    EXPECT_EQ(apply(before("a", ended[2] + 1ms)).deleted.executions, 2U);
    EXPECT_EQ(numbers_of(read(ListExecutions{run})), (Numbers{4}));
}

BELAY_CASE(Prune, BothCriteriaMustBeTrue) {
    const RunRef run = start("a");
    for (int i = 0; i < 4; ++i) {
        apply(continuing(next_turn(run)));
        advance(10s);
    }
    const Timestamp third_ended = read(ListExecutions{run}).at(2).ended_at.value();
    // Outside the last two: 1, 2, 3. Before the third ended: 1, 2.
    EXPECT_EQ(apply(op::prune_executions(named("a"), 2, third_ended)).deleted.executions, 2U);
    EXPECT_EQ(numbers_of(read(ListExecutions{run})), (Numbers{3, 4, 5}));
    // Outside the last three: none of those that are left.
    EXPECT_EQ(apply(op::prune_executions(named("a"), 3, now())).deleted.executions, 0U);
}

BELAY_CASE(Prune, AfterTheClockWasSetBackTheLastOnesAreStillTheLast) {
    const RunRef run = start("a");
    apply(continuing(next_turn(run)));
    const Timestamp first_ended = now();
    set_back(1h);
    apply(continuing(next_turn(run)));
    apply(continuing(next_turn(run)));
    // The second and the third ended before the first did.
    EXPECT_EQ(apply(op::prune_executions(named("a"), 2, first_ended)).deleted.executions, 1U);
    EXPECT_EQ(numbers_of(read(ListExecutions{run})), (Numbers{1, 3, 4}));
    EXPECT_EQ(history(run, 1).size(), 1U);
    EXPECT_TRUE(history(run, 2).empty());
    EXPECT_EQ(apply(keep("a", 2)).deleted.executions, 1U) << "the first, which is the oldest left";
    EXPECT_EQ(numbers_of(read(ListExecutions{run})), (Numbers{3, 4}));
}

BELAY_CASE(Prune, AtMostSoManyTheOldestFirst) {
    const RunRef run = start("a");
    for (int i = 0; i < 5; ++i) apply(continuing(next_turn(run)));
    Prune part = keep("a", 1);
    part.max = 2;
    EXPECT_EQ(apply(part).deleted.executions, 2U);
    EXPECT_EQ(numbers_of(read(ListExecutions{run})), (Numbers{3, 4, 5, 6}));
    EXPECT_EQ(apply(part).deleted.executions, 2U);
    EXPECT_EQ(apply(part).deleted.executions, 1U);
    EXPECT_EQ(apply(part).deleted.executions, 0U);
}

BELAY_CASE(Prune, NoneBehindTheOneThatMakesItFull) {
    const RunRef run = start("a");
    for (const std::uint32_t count : {2U, 3U, 1U, 4U}) {
        Turn turn = continuing(next_turn(run));
        turn.history = events(count);
        apply(turn);
    }
    Prune part = keep("a", 1);
    part.max_events = 3;
    const Answer first = apply(part);
    EXPECT_EQ(first.deleted.executions, 2U) << "with the first alone it is not full";
    EXPECT_EQ(first.deleted.events, 5U);
    EXPECT_TRUE(is_full(part, first.deleted));
    const Answer second = apply(part);
    EXPECT_EQ(second.deleted.executions, 2U);
    EXPECT_EQ(second.deleted.events, 5U);
    const Answer last = apply(part);
    EXPECT_EQ(last.deleted, DeleteCounts());
    EXPECT_FALSE(is_full(part, last.deleted));
    EXPECT_EQ(numbers_of(read(ListExecutions{run})), (Numbers{5}));
}

BELAY_CASE(Prune, NothingOldIsNoError) {
    const RunRef run = start_running("a");
    const Answer answer = commit(keep("a", 1));
    EXPECT_TRUE(applied(answer));
    EXPECT_FALSE(answer.changed);
    EXPECT_EQ(answer.deleted, DeleteCounts());
    EXPECT_EQ(read(ListExecutions{run}).size(), 1U);
}

BELAY_CASE(Prune, NonsenseIsRefused) {
    EXPECT_TRUE(refused(commit(keep("nobody", 1)), Errc::not_found));
    const RunRef run = start("a");
    apply(continuing(next_turn(run)));
    Prune nothing = keep("a", 1);
    nothing.max = 0;
    EXPECT_TRUE(refused(commit(nothing), Errc::invalid_argument));
    nothing.max = 1;
    nothing.max_events = 0;
    EXPECT_TRUE(refused(commit(nothing), Errc::invalid_argument));
    Prune namesake = keep("a", 1);
    namesake.run = fresh_run("a");
    EXPECT_TRUE(refused(commit(namesake), Errc::not_found));
    EXPECT_EQ(read(ListExecutions{run}).size(), 2U);
}

BELAY_CASE(Prune, EndedChainKeepsItsLastExecution) {
    const RunRef run = start("a");
    apply(continuing(next_turn(run)));
    apply(continuing(next_turn(run)));
    end(run, completed("the end"));
    EXPECT_EQ(apply(keep("a", 0)).deleted.executions, 2U);
    const auto left = read(ListExecutions{run});
    ASSERT_EQ(left.size(), 1U);
    EXPECT_EQ(left[0].execution, 3U);
    EXPECT_EQ(left[0].status, Status::completed);
    EXPECT_EQ(outcome_of(run).output, Payload::text("the end"));
    EXPECT_FALSE(history(run, 3).empty());
}

BELAY_CASE(Prune, CountsShowWhatIsLeft) {
    const RunRef run = start("a");
    Turn first = next_turn(run);
    first.history = events(3, "12345");
    apply(continuing(first));
    Turn second = next_turn(run);
    second.history = events(2, "123");
    apply(second);
    ASSERT_EQ(info(run).event_count, 5U);
    EXPECT_EQ(apply(keep("a", 1)).deleted.events, 3U);
    EXPECT_EQ(info(run).event_count, 2U);
    EXPECT_EQ(info(run).history_bytes, 3U + row_overhead());
    const DeleteCounts rest = apply(op::force_delete(named("a"))).deleted;
    EXPECT_EQ(rest.executions, 1U) << "what was pruned is not deleted again";
    EXPECT_EQ(rest.events, 2U);
}

BELAY_CASE(Prune, RowsOfTheInstanceItselfStay) {
    const RunRef run = start_running("a");
    const RunRef child = start_child(run, 1, "a/c");
    take_turn(child);
    Turn turn = next_turn(run);
    turn.key_values = {KeyValueChange{"k", Payload::text("v")}};
    turn.custom_status = Payload::text("busy");
    apply(continuing(turn));
    schedule(run, {activity(7)});
    raise("a", "go");
    apply(keep("a", 1));
    EXPECT_EQ(key_values(run).at("k"), Payload::text("v"));
    EXPECT_EQ(info(run).custom_status, Payload::text("busy"));
    EXPECT_EQ(activities(run).size(), 1U);
    EXPECT_EQ(info(run).ready_messages, 1U);
    EXPECT_EQ(read(ListChildren{run}).size(), 1U) << "children go with their root";
    EXPECT_EQ(status(child), Status::canceling);
}

BELAY_CASE(Prune, HandlersOfOldExecutionsAreStillWaitedFor) {
    const RunRef run = start_with_activities("a", 1);
    const ClaimedActivity item = claim_activity();
    apply(continuing(next_turn(run)));
    ASSERT_EQ(stopping(run).size(), 1U);
    apply(keep("a", 1));
    EXPECT_EQ(stopping(run).size(), 1U);
    end(run);
    EXPECT_FALSE(info(run).settled);
    EXPECT_TRUE(applied(try_drop(item)));
    EXPECT_TRUE(info(run).settled);
}

BELAY_CASE(Prune, ChildrenCanBePruned) {
    const RunRef parent = start_running("p");
    const RunRef child = start_child(parent, 1, "p/c");
    apply(continuing(next_turn(child)));
    EXPECT_EQ(apply(keep("p/c", 1)).deleted.executions, 1U);
    EXPECT_EQ(numbers_of(read(ListExecutions{child})), (Numbers{2}));
}

BELAY_CASE(Prune, RepeatedRequestIsAnsweredAsTheFirst) {
    const RunRef run = start("a");
    apply(continuing(next_turn(run)));
    Prune part = keep("a", 1);
    part.request_id = "tidy";
    const Answer first = apply(part);
    apply(continuing(next_turn(run)));
    const Answer again = commit(part);
    EXPECT_TRUE(already_applied(again));
    EXPECT_EQ(again.deleted, first.deleted);
    EXPECT_EQ(read(ListExecutions{run}).size(), 2U);
}

BELAY_CASE(Prune, PrunedChainGoesOnCounting) {
    const RunRef run = start("a");
    apply(continuing(next_turn(run)));
    apply(keep("a", 1));
    apply(continuing(next_turn(run)));
    apply(continuing(next_turn(run)));
    EXPECT_EQ(numbers_of(read(ListExecutions{run})), (Numbers{2, 3, 4}));
    EXPECT_EQ(info(run).execution, 4U);
    EXPECT_EQ(history(run, 2).size(), 1U);
}

}  // namespace
}  // namespace belay::conformance
