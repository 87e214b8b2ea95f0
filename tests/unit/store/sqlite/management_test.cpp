// The queries of deletion and pruning: indexes instead of scans, an upgrade, nothing left.
#include "fixture.hpp"
#include "plan.hpp"
#include "store/sqlite/schema.hpp"

namespace belay::sqlite {
namespace {

class ManagementOfAFile : public SqliteStoreTest {
protected:
    /// With a label and a long input.
    static NewInstance rich(Driver& driver, const std::string& id) {
        NewInstance made = driver.instance(id);
        made.labels["tier"] = std::int64_t{3};
        made.input = Payload::text(std::string(100'000, 'x'));
        return made;
    }
    /// Its first turn, with a key-value and a long custom status.
    static Turn rich_turn(RunRef run) {
        Turn turn = Driver::first_turn(run, 0);
        turn.key_values.push_back(KeyValueChange{"k", Payload::text("v")});
        turn.custom_status = Payload::text(std::string(100'000, 'z'));
        return turn;
    }
    static void expect_done(const std::vector<Answer>& answers) {
        for (const Answer& answer : answers) {
            EXPECT_TRUE(answer.done()) << (answer.error ? answer.error->describe() : "");
        }
    }
    void expect_no_rows() {
        for (const char* table : {"run",
                                  "execution",
                                  "history",
                                  "message",
                                  "timer",
                                  "activity",
                                  "stopping",
                                  "large",
                                  "key_value",
                                  "label",
                                  "output",
                                  "output_attempt",
                                  "output_chunk",
                                  "dead_letter"}) {
            EXPECT_EQ(ask(std::string("select count(*) from ") + table), "0") << table;
        }
    }
};

TEST_F(ManagementOfAFile, EveryStatementHasItsIndex) {
    (void)open();
    Connection connection(path_, Access::write, quick());
    const std::pair<AnyStatement, const char*> expected[] = {
        {Sql::dead_letter_delete, "dead_letter_run"},
        {Sql::dead_letter_around, "dead_letter_run (run<?)"},
        {Sql::dead_letter_around, "dead_letter_run (run>?)"},
        {Sql::large_around, "large_place (run<?)"},
        {Sql::large_around, "large_place (run>?)"},
        {Sql::key_value_around, "PRIMARY KEY (run<?)"},
        {Sql::key_value_around, "PRIMARY KEY (run>?)"},
        {Sql::run_any_former, "run_former (space=?)"},
        {Sql::run_root_ended,
         "run_outcome (space=? AND former=? AND child=? AND definition=? AND status=? AND "
         "ended_at>"},
        {Sql::run_root_ended_behind,
         "run_outcome (space=? AND former=? AND child=? AND definition=? AND status=? AND "
         "ended_at>"},
        {Sql::run_next_outcome,
         "run_outcome (space=? AND former=? AND child=? AND (definition,status)>"},
        {Sql::run_found_by, "PRIMARY KEY"},
        {Sql::run_block_values, "PRIMARY KEY (rowid>? AND rowid<?)"},
        {Sql::run_block_delete,
         "PRIMARY KEY (space=? AND kind=? AND value=? AND at=? AND block=?)"},
        {Sql::run_formers, "run_former (space=? AND rowid>"},
        {Sql::run_mark, "PRIMARY KEY"},
        {Sql::retention_list, "PRIMARY KEY"},
        {Sql::retention_rule_list, "PRIMARY KEY"},
        {Sql::execution_prunable, "history_place"},
        {Sql::execution_delete_one, "PRIMARY KEY"},
        {Sql::history_delete_execution, "history_place"},
        {Sql::execution_delete, "PRIMARY KEY"},
        {Sql::history_delete, "history_place"},
        {Sql::run_children, "run_child"},
        {Sql::run_has_dependent_children, "run_open_child"},
        {Sql::run_unsettled_dependents, "run_parent"},
        {Sql::output_find, "PRIMARY KEY"},
        {Sql::output_delete, "PRIMARY KEY"},
        {Sql::output_attempt_find,
         "output_attempt_place (run=? AND execution=? AND first=? AND command=? AND attempt=?)"},
        {Sql::output_attempt_update, "PRIMARY KEY (run=? AND id=?)"},
        {Sql::output_attempt_delete, "PRIMARY KEY (run=? AND id=?)"},
        {Sql::output_attempt_delete_all, "(run=?)"},
        {Sql::output_attempts, "output_attempt_place (run=? AND execution=?)"},
        {Sql::output_attempts_of, "output_attempt_place (run=? AND execution=? AND first=?)"},
        {Sql::output_attempt_oldest, "PRIMARY KEY (run=?)"},
        {Sql::output_attempt_shown, "PRIMARY KEY (run=? AND id=?)"},
        {Sql::output_chunk_from, "output_chunk_attempt (run=? AND attempt=? AND number>?)"},
        {Sql::output_chunk_delete, "PRIMARY KEY (run=? AND number=?)"},
        {Sql::output_chunk_delete_attempt, "output_chunk_attempt (run=? AND attempt=?)"},
        {Sql::output_chunk_delete_all, "(run=?)"},
        {Sql::output_chunk_read, "PRIMARY KEY (run=? AND number>?)"},
    };
    for (const auto& [statement, index] : expected) {
        expect_index(plan(connection, statement), index);
    }
}

TEST_F(ManagementOfAFile, AFileOfTheFirstVersionIsUpgradedWithWhatIsInIt) {
    {
        const auto store = open();
        Driver driver(*store, 1);
        ended(driver, "a");
    }
    go_back_to(1);
    const auto store = open();
    EXPECT_EQ(ask("pragma user_version"), std::to_string(kSchemaVersion));
    EXPECT_EQ(ask("select oldest_program from compatibility"), "22");
    Driver driver(*store, 2);
    SelectInstances select;
    select.space = "space";
    select.which = SelectInstances::Ended();
    EXPECT_EQ(driver.read(select).size(), 1U);
}

TEST_F(ManagementOfAFile, NoRowIsLeftOfWhatIsDeleted) {
    const auto store = open();
    Driver driver(*store, 1);
    const NewInstance made = rich(driver, "a");
    ASSERT_TRUE(driver.commit(Deliver{made.run, NewMessage()}).done());
    Turn turn = rich_turn(made.run);
    turn.activities = {Driver::activity(1), Driver::activity(2)};
    turn.activities[0].input = Payload::text(std::string(100'000, 'y'));
    turn.timers.push_back(NewTimer{3, store->now() + Millis(1), op::timer_fired(1, 3)});
    ASSERT_TRUE(driver.commit(op::start(made), turn).done());
    ASSERT_TRUE(driver.commit(op::raise(Driver::name("a"), "e", Payload())).done());
    const auto claimed = driver.claim_activities(1);
    ASSERT_EQ(claimed.size(), 1U);
    AppendOutput output;
    output.activity = claimed[0].activity;
    output.token = claimed[0].token;
    output.chunks.push_back(output_chunk(OutputStream::out, store->now(), "hello"));
    ASSERT_TRUE(driver.commit(output).done());
    EXPECT_EQ(ask("select count(*) from output_chunk"), "1");
    Turn next;
    next.run = made.run;
    next.position = 1;
    next.in_line = false;
    next.history = Driver::events(1);
    next.after = ContinuesAsNew{Payload::text("next"), "1"};
    ASSERT_TRUE(driver.commit(next).done());
    ASSERT_TRUE(driver.commit(op::force_delete(Driver::name("a"))).done());
    expect_no_rows();
    EXPECT_EQ(ask("select count(*) from gone"), "1") << "so that nothing brings it back";
}

/// Facts that the first deletion of a group learns of the tables can change.
TEST_F(ManagementOfAFile, NoRowIsLeftOfWhatIsMadeBehindAnotherDeletion) {
    const auto store = open();
    Driver driver(*store, 1);
    ended(driver, "plain");
    const NewInstance made = rich(driver, "a");
    expect_done(driver.commit_together({driver.change(op::force_delete(Driver::name("plain"))),
                                        driver.change(Deliver{made.run, NewMessage()}),
                                        driver.change(op::start(made), rich_turn(made.run)),
                                        driver.change(op::force_delete(Driver::name("a")))}));
    expect_no_rows();
}

TEST_F(ManagementOfAFile, ARunThatLosesItsNameBehindAnotherDeletionGoesWithTheName) {
    const auto store = open();
    Driver driver(*store, 1);
    ended(driver, "plain");
    ended(driver, "a");
    Start replacing = op::start(driver.instance("a"));
    replacing.on_conflict = IdConflict::replace;
    expect_done(driver.commit_together({driver.change(op::force_delete(Driver::name("plain"))),
                                        driver.change(replacing),
                                        driver.change(op::force_delete(Driver::name("a")))}));
    expect_no_rows();
}

TEST_F(ManagementOfAFile, RowsOfSomeRunsAreFoundAmongRunsThatHaveNone) {
    const auto store = open();
    Driver driver(*store, 1);
    for (int i = 0; i < 12; ++i) {
        const std::string id = std::to_string(i);
        const bool has_rows = i % 3 == 1;
        const NewInstance made = has_rows ? rich(driver, id) : driver.instance(id);
        if (has_rows) {
            ASSERT_TRUE(driver.commit(Deliver{made.run, NewMessage()}).done());
        }
        const Turn turn = has_rows ? rich_turn(made.run) : Driver::first_turn(made.run, 0);
        ASSERT_TRUE(driver.commit(op::start(made), turn).done());
    }
    std::vector<Transition> deletions;  // From the middle to both ends.
    for (const int i : {5, 6, 4, 7, 3, 8, 2, 9, 1, 10, 0, 11}) {
        deletions.push_back(driver.change(op::force_delete(Driver::name(std::to_string(i)))));
    }
    expect_done(driver.commit_together(std::move(deletions)));
    expect_no_rows();
}

TEST_F(ManagementOfAFile, TimesAreWholeMillisecondsAsIntegers) {
    const auto store = open();
    Driver driver(*store, 1);
    ended(driver, "a");
    EXPECT_EQ(ask("select typeof(ended_at) from run"), "integer");
    EXPECT_EQ(ask("select ended_at from run"), std::to_string(to_unix_ms(store->now())));
}

}  // namespace
}  // namespace belay::sqlite
