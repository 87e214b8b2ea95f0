// Reads: history in pages, and what is said of an instance.
#include "conformance/case.hpp"

BELAY_CONFORMANCE_AREA(reads)

namespace belay::conformance {
namespace {

BELAY_CASE(Reads, HistoryIsReturnedAsItWasWritten) {
    const RunRef run = start("a");
    std::string bytes = "\x01";
    bytes.push_back('\0');
    bytes += "\xff\xfe not text";
    Turn turn = next_turn(run);
    turn.history = events(3, bytes);
    turn.history.format = 7;
    apply(turn);
    const auto rows = history(run);
    ASSERT_EQ(rows.size(), 1U);
    EXPECT_EQ(rows[0].first_event, 1U);
    EXPECT_EQ(rows[0].row.format, 7U);
    EXPECT_EQ(rows[0].row.count, 3U);
    EXPECT_EQ(rows[0].row.bytes, bytes);
}

BELAY_CASE(Reads, HistoryIsOneRowPerTurnInOrder) {
    const RunRef run = start("a");
    EventNo first = 1;
    for (const std::uint32_t count : {2U, 1U, 4U}) {
        Turn turn = next_turn(run);
        turn.history = events(count, "turn at " + std::to_string(first));
        apply(turn);
        first += count;
    }
    const auto rows = history(run);
    ASSERT_EQ(rows.size(), 3U);
    EXPECT_EQ(rows[0].first_event, 1U);
    EXPECT_EQ(rows[1].first_event, 3U);
    EXPECT_EQ(rows[2].first_event, 4U);
    for (const RecordedRow& row : rows) {
        EXPECT_EQ(row.row.bytes, "turn at " + std::to_string(row.first_event));
    }
}

BELAY_CASE(Reads, HistoryIsReadFromWhereTheCallerStands) {
    const RunRef run = start("a");
    for (int i = 0; i < 5; ++i) {
        Turn turn = next_turn(run);
        turn.history = events(2);
        apply(turn);
    }
    ReadHistory request;
    request.run = run;
    request.after = 4;
    const auto rows = read(request);
    ASSERT_EQ(rows.size(), 3U);
    EXPECT_EQ(rows[0].first_event, 5U);
    request.after = 10;
    EXPECT_TRUE(read(request).empty());
}

BELAY_CASE(Reads, SeveralInstancesAreReadTogetherInTheOrderAskedFor) {
    const RunRef first = start("a");
    const RunRef second = start("b");
    end(second, completed("done"));
    ReadInstances request;
    request.instances = {ReadInstance{named("b"), std::nullopt},
                         ReadInstance{named("nobody"), std::nullopt},
                         ReadInstance{InstanceName(), first},
                         ReadInstance{named("b"), second}};
    const ReadInstances::Answer found = read(request);
    ASSERT_EQ(found.size(), 4U);
    ASSERT_TRUE(found[0] && found[2] && found[3]);
    EXPECT_EQ(found[0]->run, second);
    ASSERT_TRUE(found[0]->outcome.has_value());
    EXPECT_EQ(found[0]->outcome->output, completed("done").output);
    EXPECT_FALSE(found[1].has_value());
    EXPECT_EQ(found[2]->name, named("a"));
    EXPECT_EQ(found[3]->run, second);
    EXPECT_TRUE(read(ReadInstances()).empty());
}

BELAY_CASE(Reads, HistoryRowThatHoldsLaterEventsIsReturnedWhole) {
    const RunRef run = start("a");
    Turn turn = next_turn(run);
    turn.history = events(4);
    apply(turn);
    ReadHistory request;
    request.run = run;
    request.after = 2;
    const auto rows = read(request);
    ASSERT_EQ(rows.size(), 1U);
    EXPECT_EQ(rows[0].first_event, 1U);
    EXPECT_EQ(rows[0].row.count, 4U);
}

BELAY_CASE(Reads, HistoryIsReadInPages) {
    const RunRef run = start("a");
    for (int i = 0; i < 20; ++i) {
        Turn turn = next_turn(run);
        turn.history = events(5);
        apply(turn);
    }
    ReadHistory request;
    request.run = run;
    request.max_events = 12;
    EventNo next = 1;
    int pages = 0;
    while (pages++ < 100) {
        const auto rows = read(request);
        if (rows.empty()) break;
        for (const RecordedRow& row : rows) {
            EXPECT_EQ(row.first_event, next) << "no gap and no overlap";
            next = row.first_event + row.row.count;
        }
        request.after = next - 1;
    }
    EXPECT_EQ(next, 101U);
    EXPECT_GT(pages, 5) << "max_events is honoured";
    EXPECT_LT(pages, 30);
}

BELAY_CASE(Reads, PageSmallerThanARowStillAdvances) {
    const RunRef run = start("a");
    Turn turn = next_turn(run);
    turn.history = events(50);
    apply(turn);
    ReadHistory request;
    request.run = run;
    request.max_events = 1;
    EXPECT_EQ(read(request).size(), 1U);
}

BELAY_CASE(Reads, EventAndByteCountsGrowWithHistory) {
    const RunRef run = start("a");
    EXPECT_EQ(info(run).event_count, 0U);
    EXPECT_EQ(info(run).history_bytes, 0U);
    Turn turn = next_turn(run);
    turn.history = events(3, std::string(100, 'x'));
    apply(turn);
    EXPECT_EQ(info(run).event_count, 3U);
    EXPECT_EQ(info(run).history_bytes, 100U + row_overhead());
    Turn next = next_turn(run);
    next.history = events(2, std::string(50, 'x'));
    apply(next);
    EXPECT_EQ(info(run).event_count, 5U);
    EXPECT_EQ(info(run).history_bytes, 150U + 2 * row_overhead());
}

BELAY_CASE(Reads, TurnWithoutEventsLeavesNoRow) {
    const RunRef run = start_running("a");
    Turn turn = next_turn(run);
    turn.history = HistoryRow();
    apply(turn);
    EXPECT_EQ(history(run).size(), 1U);
    EXPECT_EQ(info(run).position, 1U);
}

BELAY_CASE(Reads, HistoryOfAnEndedRunStays) {
    const RunRef run = start_running("a");
    end(run);
    EXPECT_EQ(history(run).size(), 2U);
}

BELAY_CASE(Reads, OutcomeIsKept) {
    const RunRef done = start_running("done");
    end(done, completed("receipt"));
    EXPECT_EQ(info(done).outcome, completed("receipt"));

    const RunRef broken = start_running("broken");
    Outcome outcome = failed("card declined");
    outcome.failure.kind = FailureKind::timeout;
    outcome.failure.where = "Charge";
    outcome.failure.attempt = 3;
    outcome.failure.detail = "after 30 s";
    end(broken, outcome);
    EXPECT_EQ(info(broken).outcome, outcome);

    const RunRef skipped = start_running("skipped");
    Outcome skip;
    skip.status = Status::skipped;
    end(skipped, skip);
    EXPECT_EQ(status(skipped), Status::skipped);
}

BELAY_CASE(Reads, ReadByNameAndByRunAgree) {
    const RunRef run = start_running("a");
    const auto by_name = find("a");
    ASSERT_TRUE(by_name);
    EXPECT_EQ(by_name->run, run);
    EXPECT_EQ(by_name->position, info(run).position);
    EXPECT_EQ(by_name->created_at, info(run).created_at);
}

BELAY_CASE(Reads, ExecutionsOfASimpleRun) {
    const RunRef run = start_running("a");
    advance(1s);
    end(run, failed());
    const auto list = read(ListExecutions{run});
    ASSERT_EQ(list.size(), 1U);
    EXPECT_EQ(list[0].execution, 1U);
    EXPECT_EQ(list[0].status, Status::failed);
    EXPECT_EQ(list[0].events, 2U);
    EXPECT_EQ(list[0].ended_at, now());
}

BELAY_CASE(Reads, LockIsShownWhileItLives) {
    const RunRef run = start("a");
    EXPECT_FALSE(info(run).locked);
    claim(run);
    EXPECT_TRUE(info(run).locked);
    advance(kLease);
    EXPECT_FALSE(info(run).locked);
}

BELAY_CASE(Reads, VisibilityOfADelayedActivityIsShown) {
    const RunRef run = start("a");
    NewActivity late = activity(1);
    late.delay = 1h;
    schedule(run, {late});
    EXPECT_EQ(activities(run).at(0).visible_at, now() + 1h);
    EXPECT_FALSE(activities(run).at(0).leased);
}

}  // namespace
}  // namespace belay::conformance
