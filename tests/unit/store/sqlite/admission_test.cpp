// The queries of claims: indexes instead of scans, and limits only when they may be new.
#include "fixture.hpp"
#include "plan.hpp"
#include "store/sqlite/queue_limits_cache.hpp"

namespace belay::sqlite {
namespace {

class ClaimsOfAFile : public SqliteStoreTest {
protected:
    static SetQueueLimits at_most(std::uint32_t running) {
        SetQueueLimits part;
        part.limits = QueueLimits{.running = running};
        return part;
    }
};

TEST_F(ClaimsOfAFile, EveryStatementHasItsIndex) {
    (void)open();
    Connection connection(path_, Access::write, quick());
    const std::pair<AnyStatement, const char*> expected[] = {
        {Sql::activity_next, "activity_claimable (queue=?)"},
        {Sql::queue_use_running, "COVERING INDEX queue_use_running (queue=?)"},
        {Sql::activity_next_behind,
         "activity_claimable (queue=? AND (rank,visible_at,sequence)>(?,?,?))"},
        {Sql::lane_name, "COVERING INDEX activity_lane (queue=? AND name>?)"},
        {Sql::lane_first, "COVERING INDEX activity_lane (queue=? AND name=?)"},
        {Sql::lane_after, "COVERING INDEX activity_lane (queue=? AND name=? AND lane>?)"},
        {Sql::lane_rows,
         "activity_lane (queue=? AND name=? AND lane=? AND "
         "(rank,visible_at,sequence)>(?,?,?))"},
        {Sql::queue_use_until, "PRIMARY KEY (holder=? AND serial=?)"},
        {Sql::queue_use_delete, "PRIMARY KEY (holder=? AND serial=?)"},
        {Sql::queue_use_delete_past, "queue_use_begun (queue=? AND begun_at<?)"},
        {Sql::queue_use_clear, "queue_use_begun (queue=?)"},
        {Sql::queue_use_fill, "activity_waiting (waits_until>?)"},
        {Sql::queue_use_fill, "activity_claimable (queue=?)"},
        {Sql::queue_use_fill, "stopping_until (until>?)"},
        {Sql::stopping_insert, "PRIMARY KEY (run=? AND execution=? AND command=?)"},
        {Sql::put_off_delete, "PRIMARY KEY (rowid=?)"},
        {Sql::put_off_code, "put_off_code ((definition,version)>(?,?))"},
        {Sql::put_off_runs, "put_off_code (definition=? AND version=?)"},
        {Sql::session_find, "sqlite_autoindex_session_1 (space=? AND name=?)"},
        {Sql::session_owned, "session_holder (holder=?)"},
        {Sql::session_until, "sqlite_autoindex_session_1 (space=? AND name=?)"},
        {Sql::session_of_holder, "session_holder (holder=?)"},
        {Sql::session_delete, "sqlite_autoindex_session_1 (space=? AND name=?)"},
        {Sql::session_past, "session_until (until<?)"},
        {Sql::session_use_find, "PRIMARY KEY (holder=? AND serial=?)"},
        {Sql::session_use_busy, "session_use_name (space=? AND name=? AND holder=?)"},
        {Sql::session_use_delete, "PRIMARY KEY (holder=? AND serial=?)"},
        {Sql::session_use_delete_past, "session_use_name (space=? AND name=?)"},
        {Sql::pause_delete, "PRIMARY KEY (kind=? AND name=?)"},
        {Sql::concurrent_list, "PRIMARY KEY (space=? AND definition=? AND key=?)"},
        {Sql::concurrent_last, "PRIMARY KEY (space=? AND definition=? AND key=?)"},
        {Sql::concurrent_delete,
         "PRIMARY KEY (space=? AND definition=? AND key=? AND place=? AND run=?)"},
        {Sql::rate_place_last, "PRIMARY KEY (space=? AND definition=?)"},
        {Sql::rate_place_find, "PRIMARY KEY (space=? AND definition=? AND number=?)"},
        {Sql::rate_place_delete, "PRIMARY KEY (space=? AND definition=? AND number<?)"},
        {Sql::rate_place_past, "rate_place_until (counts_until<?)"},
        {Sql::rate_place_delete_one, "PRIMARY KEY (space=? AND definition=? AND number=?)"},
    };
    for (const auto& [statement, index] : expected) {
        expect_index(plan(connection, statement), index);
    }
    EXPECT_THAT(plan(connection, Sql::queue_use_started),
                ::testing::HasSubstr("COVERING INDEX queue_use_begun (queue=? AND begun_at>?)"));
    EXPECT_THAT(
        plan(connection, Sql::queue_use_started_of),
        ::testing::HasSubstr("COVERING INDEX queue_use_key (queue=? AND key=? AND begun_at>?)"));
    expect_index(plan(connection, Sql::run_ready), "COVERING INDEX run_ready (ready_at>");
}

TEST_F(ClaimsOfAFile, AnOlderFileIsUpgradedAndKeepsWhoIsReady) {
    {
        const auto store = open();
        Driver driver(*store, 1);
        driver.commit(op::start(driver.instance("a")));
        clock_.advance(Millis(1));
        driver.commit(op::start(driver.instance("b")));
    }
    go_back_to(14);
    (void)open();
    {
        Connection connection(path_, Access::write, quick());
        expect_index(plan(connection, Sql::run_ready), "COVERING INDEX run_ready (ready_at>");
    }
    const auto store = open();
    const auto claimed = Driver(*store, 2).claim_instances(2);
    ASSERT_EQ(claimed.size(), 2U);
    EXPECT_EQ(claimed[0].name, Driver::name("a"));
    EXPECT_EQ(claimed[1].name, Driver::name("b"));
}

TEST_F(ClaimsOfAFile, LimitsAreReadOnlyWhenSomebodyElseHasWritten) {
    (void)open();
    Connection connection(path_, Access::write, quick());
    QueueLimitsCache known;
    const auto ask_for_them = [&](const char* beside) {
        Transaction transaction(connection, Transaction::Kind::write);
        const auto limits = known.get(connection);
        connection.execute(beside);
        known.commit(connection, transaction);
        return limits;
    };
    const auto first = ask_for_them("select 1");
    const char* const write = "insert into session values ('a', hex(randomblob(9)), 1, 'w', 1, 1)";
    EXPECT_EQ(ask_for_them(write), first);
    EXPECT_EQ(ask_for_them(write), first) << "what is written here is known";
    {
        Transaction undone(connection, Transaction::Kind::write);
        connection.execute(write);
    }
    EXPECT_TRUE(ask_for_them("select 1")->empty());
    execute("insert into queue_limit (queue, set_at, set_by, running) values ('q', 0, '', 7)");
    {
        // Old knowledge stays wrong though nobody asks this time.
        Transaction transaction(connection, Transaction::Kind::write);
        connection.execute(write);
        known.commit(connection, transaction);
    }
    const auto last = ask_for_them("select 1");
    ASSERT_EQ(last->count("q"), 1U);
    EXPECT_EQ(last->at("q").running, 7U);
}

TEST_F(ClaimsOfAFile, LimitsThatAnotherProgramSetsHoldAtOnce) {
    const auto store = open();
    Driver driver(*store, 1);
    driver.start_running("a", 3);
    EXPECT_EQ(driver.claim_activities().size(), 1U);
    execute("insert into queue_limit (queue, set_at, set_by, running) values ('', 0, '', 0)");
    EXPECT_TRUE(driver.claim_activities().empty());
    execute("delete from queue_limit");
    EXPECT_EQ(driver.claim_activities(10).size(), 2U);
}

TEST_F(ClaimsOfAFile, LimitsThatWereRefusedWithTheirTransitionDoNotHold) {
    const auto store = open();
    Driver driver(*store, 1);
    const RunRef run = driver.start_running("a", 2);
    Turn stale;  // At a position where the run is no more.
    stale.run = run;
    stale.position = 7;
    EXPECT_FALSE(driver.commit(at_most(0), stale).done());
    EXPECT_EQ(driver.claim_activities().size(), 1U);
    EXPECT_TRUE(driver.commit(at_most(0)).done());
    EXPECT_TRUE(driver.claim_activities().empty());
}

}  // namespace
}  // namespace belay::sqlite
