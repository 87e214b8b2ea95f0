// Lists and counts of a file: from indexes, also of one that an earlier release has written.
#include "fixture.hpp"
#include "plan.hpp"
#include "store/sqlite/listing_rows.hpp"
#include "store/sqlite/listing_sql.hpp"
#include "store/sqlite/schema.hpp"

#include <functional>

namespace belay::sqlite {
namespace {

struct SingleFilter {
    const char* index;    ///< Or `blocks`.
    InstanceOrder order;  ///< In which the index has it.
    std::function<void(ListInstances&)> set;
};

constexpr const char* kBlocks = "blocks";

const std::vector<SingleFilter>& single_filters() {
    static const Timestamp at = from_unix_ms(1'000);
    static const std::vector<SingleFilter> filters{
        {kBlocks, InstanceOrder::created, [](ListInstances&) {}},
        {"run_name", InstanceOrder::id, [](ListInstances&) {}},
        {kBlocks, InstanceOrder::ended, [](ListInstances&) {}},
        {"run_open", InstanceOrder::started, [](auto& r) { r.statuses = {Status::running}; }},
        {"run_open",
         InstanceOrder::started,
         [](auto& r) { r.statuses = {Status::pending, Status::canceling}; }},
        {kBlocks, InstanceOrder::ended, [](auto& r) { r.statuses = {Status::failed}; }},
        {kBlocks,
         InstanceOrder::ended,
         [](auto& r) { r.statuses = {Status::failed, Status::canceled}; }},
        {kBlocks, InstanceOrder::started, [](auto& r) { r.definition = "Order"; }},
        {"run_outcome", InstanceOrder::ended, [](auto& r) { r.definition = "Order"; }},
        {kBlocks, InstanceOrder::started, [](auto& r) { r.version = "1"; }},
        {"run_parent", InstanceOrder::started, [](auto& r) { r.parent = "p"; }},
        {kBlocks, InstanceOrder::started, [](auto& r) { r.owner = "me"; }},
        {"label_value",
         InstanceOrder::started,
         [](auto& r) { r.labels.emplace_back("tier", std::string("gold")); }},
        {kBlocks, InstanceOrder::created, [](auto& r) { r.created.from = at; }},
        {kBlocks, InstanceOrder::created, [](auto& r) { r.created.before = at; }},
        {kBlocks, InstanceOrder::ended, [](auto& r) { r.ended.from = at; }},
        {kBlocks, InstanceOrder::ended, [](auto& r) { r.ended.before = at; }},
        {"run_name", InstanceOrder::id, [](auto& r) { r.id_prefix = "order-"; }},
        {"run_held", InstanceOrder::started, [](auto& r) { r.held_only = true; }},
        {kBlocks, InstanceOrder::created, [](auto& r) { r.roots_only = true; }},
    };
    return filters;
}

/// Reads the blocks that may have it, in their order. The rows of one block are sorted.
void expect_blocks(const std::string& plan) {
    EXPECT_THAT(plan, ::testing::HasSubstr("SEARCH b USING PRIMARY KEY (space=? AND kind=? AND "));
    EXPECT_THAT(plan, ::testing::HasSubstr("SEARCH r USING INTEGER PRIMARY KEY"));
    EXPECT_THAT(plan, ::testing::Not(::testing::HasSubstr("SCAN"))) << plan;
    EXPECT_THAT(plan, ::testing::Not(::testing::HasSubstr("TEMP B-TREE FOR ORDER BY"))) << plan;
}

class ListingOfAFile : public SqliteStoreTest {};

TEST_F(ListingOfAFile, EverySingleFilterIsAnsweredFromAnIndexInItsOrder) {
    (void)open();
    Connection connection(path_, Access::write, quick());
    for (const SingleFilter& filter : single_filters()) {
        for (const bool descending : {false, true}) {
            for (const bool first_page : {true, false}) {
                ListInstances request;
                request.space = "space";
                request.order = filter.order;
                request.descending = descending;
                if (!first_page) request.after = InstancePlace{from_unix_ms(1), "a", RunKey{7}};
                filter.set(request);
                const auto statements = listing_sql(request, RunKey{7}).statements;
                ASSERT_FALSE(statements.empty());
                for (const ListingSql& sql : statements) {
                    const std::string found = plan(connection, sql.text);
                    filter.index == kBlocks ? expect_blocks(found)
                                            : expect_index(found, filter.index);
                }
            }
        }
    }
}

TEST_F(ListingOfAFile, RunsChosenForAChangeComeFromAnIndexInItsOrder) {
    (void)open();
    Connection connection(path_, Access::write, quick());
    SelectInstances::Ended behind_end;
    behind_end.after = std::pair(from_unix_ms(1), RunKey{7});
    SelectInstances::Chains behind_chain;
    behind_chain.after = RunKey{7};
    const auto expect = [&](const SelectInstances& request, const char* index) {
        const auto statements = selection_sql(request, RunKey{7}).statements;
        ASSERT_FALSE(statements.empty());
        for (const ListingSql& sql : statements) expect_index(plan(connection, sql.text), index);
    };
    SelectInstances request;
    request.space = "space";
    request.which = behind_chain;
    expect(request, "run_chain (space=? AND rowid>");
    request.statuses = {Status::running};
    expect(request, "run_chain (space=? AND rowid>");
    request.which = behind_end;
    request.statuses.reset();
    for (const ListingSql& sql : selection_sql(request, RunKey{7}).statements) {
        expect_blocks(plan(connection, sql.text));
    }
    request.definition = "Order";
    expect(request,
           "run_outcome (space=? AND former=? AND child=? AND definition=? AND status=? AND "
           "ended_at>");
    request.which = SelectInstances::Any();
    request.statuses = {Status::running};
    expect(request, "run_open (space=? AND status=?");
}

TEST_F(ListingOfAFile, RunsThatEndedInSeveralWaysAreChosenInOneOrder) {
    const auto store = open();
    Driver driver(*store, 1);
    for (const char* id : {"a", "b", "c", "d"}) {
        clock_.advance(Millis(10));
        if (*id == 'a' || *id == 'c') {
            ended(driver, id);
        } else {
            driver.start_running(id);
            driver.commit(op::terminate(Driver::name(id), "me", "enough"));
        }
    }
    SelectInstances select;
    select.space = "space";
    select.which = SelectInstances::Ended();
    select.max = 2;
    std::vector<std::string> found;
    for (const InstanceMark& one : driver.read(select)) found.push_back(one.instance.name.id);
    EXPECT_THAT(found, ::testing::ElementsAre("a", "b"));
}

TEST_F(ListingOfAFile, AStatementIsLeftWhenThereIsEnoughOfIt) {
    const auto store = open();
    Driver driver(*store, 1);
    for (const char* id : {"a", "b", "c"}) ended(driver, id);
    SelectInstances select;
    select.space = "space";
    select.which = SelectInstances::Ended();
    Connection connection(path_, Access::read, quick());
    int rows = 0;
    each_row(connection, selection_sql(select, std::nullopt), [&](const auto& /*query*/) {
        ++rows;
        return false;
    });
    EXPECT_EQ(rows, 1);
}

TEST_F(ListingOfAFile, EveryStatementCanBePreparedAndRunInAnyOrder) {
    const auto store = open();
    Driver driver(*store, 1);
    for (const SingleFilter& first : single_filters()) {
        for (const SingleFilter& second : single_filters()) {
            for (const auto order : {InstanceOrder::started,
                                     InstanceOrder::created,
                                     InstanceOrder::ended,
                                     InstanceOrder::id}) {
                ListInstances request;
                request.space = "space";
                request.order = order;
                first.set(request);
                second.set(request);
                EXPECT_TRUE(driver.read(request).empty());
            }
        }
    }
}

TEST_F(ListingOfAFile, CountsComeFromIndexes) {
    (void)open();
    Connection connection(path_, Access::write, quick());
    expect_index(plan(connection, Sql::count_ended), "COVERING INDEX run_outcome");
    EXPECT_THAT(plan(connection, Sql::count_open), ::testing::HasSubstr("run_open"));
    EXPECT_THAT(plan(connection, Sql::queue_claimable),
                ::testing::HasSubstr("INDEX activity_claimable"));
    expect_index(plan(connection, Sql::queue_ready), "run_ready");
    expect_index(plan(connection, Sql::lease_activities), "activity_waiting");
}

TEST_F(ListingOfAFile, KeysComeInOrderOfTheirTable) {
    (void)open();
    Connection connection(path_, Access::write, quick());
    const std::string found = plan(connection, Sql::key_list);
    EXPECT_THAT(found, ::testing::HasSubstr("PRIMARY KEY"));
    EXPECT_THAT(found, ::testing::Not(::testing::HasSubstr("SCAN"))) << found;
    EXPECT_THAT(found, ::testing::Not(::testing::HasSubstr("TEMP B-TREE"))) << found;
    EXPECT_THAT(plan(connection, Sql::queue_held), ::testing::HasSubstr("run_held"));
}

TEST_F(ListingOfAFile, DocumentsAndTheirRunsComeFromIndexes) {
    (void)open();
    Connection connection(path_, Access::write, quick());
    const std::string user = plan(connection, Sql::document_user);
    EXPECT_THAT(user, ::testing::HasSubstr("COVERING INDEX run_document (document=?)"));
    for (const std::string& found : {user,
                                     plan(connection, Sql::document_last),
                                     plan(connection, Sql::document_list),
                                     plan(connection, Sql::document_list_of_name)}) {
        EXPECT_THAT(found, ::testing::Not(::testing::HasSubstr("SCAN"))) << found;
        EXPECT_THAT(found, ::testing::Not(::testing::HasSubstr("TEMP B-TREE"))) << found;
    }
}

TEST_F(ListingOfAFile, CountsWithAFilterComeFromItsIndex) {
    (void)open();
    Connection connection(path_, Access::write, quick());
    for (const SingleFilter& filter : single_filters()) {
        // Without a filter there is an order, and no count.
        ListInstances request;
        request.space = "space";
        filter.set(request);
        CountInstances count;
        static_cast<InstanceMatch&>(count) = request;
        CountInstances all;
        all.space = "space";
        if (count == all || request.roots_only) continue;
        const auto counting = counting_sql(count, RunKey{7});
        for (const ListingSql& sql : counting.statements) {
            EXPECT_THAT(plan(connection, sql.text), ::testing::Not(::testing::HasSubstr("SCAN")));
        }
    }
}

TEST_F(ListingOfAFile, LeasesOfTheReleaseBeforeSayNotSinceWhen) {
    {
        const auto store = open();
        Driver driver(*store, 1);
        const RunRef run = driver.start_running("a");
        Turn turn;
        turn.run = run;
        turn.position = 1;
        turn.in_line = false;
        NewActivity wanted;
        wanted.command = 1;
        wanted.name = "Charge";
        wanted.hand_over = NewActivity::HandOver{LeaseToken{1, 1}, Millis(3'600'000), "worker"};
        turn.activities.push_back(wanted);
        ASSERT_TRUE(driver.commit(turn).done());
    }
    go_back_to(4);
    const auto store = open();
    Driver driver(*store, 2);
    const auto leases = driver.read(ListLeases());
    ASSERT_EQ(leases.activities.size(), 1U);
    EXPECT_EQ(leases.activities[0].since, std::nullopt);
}

TEST_F(ListingOfAFile, AFileOfTheReleaseBeforeIsUpgradedWithWhatIsInIt) {
    {
        const auto store = open();
        Driver driver(*store, 1);
        NewInstance made = driver.instance("labeled");
        made.labels["tier"] = std::int64_t{3};
        ASSERT_TRUE(driver.commit(op::start(made)).done());
        ended(driver, "a");
        driver.start_running("b");
    }
    go_back_to(2);
    const auto store = open();
    EXPECT_EQ(ask("pragma user_version"), std::to_string(kSchemaVersion));
    EXPECT_EQ(ask("select oldest_program from compatibility"), "22");
    EXPECT_EQ(ask("pragma integrity_check"), "ok");
    Driver driver(*store, 2);
    EXPECT_EQ(driver.read(CountInstances{"space"}),
              (std::vector<InstanceCount>{{"Test", Status::pending, 1},
                                          {"Test", Status::running, 1},
                                          {"Test", Status::completed, 1}}));
    ListInstances request;
    request.space = "space";
    request.labels.emplace_back("tier", std::int64_t{3});
    EXPECT_EQ(driver.read(request).size(), 1U);
    SelectInstances select;
    select.space = "space";
    select.which = SelectInstances::Ended();
    EXPECT_EQ(driver.read(select).size(), 1U);
}

TEST_F(ListingOfAFile, ATurnThatLeavesTheStatusLeavesTheIndexesOfStatusesAlone) {
    (void)open();
    Connection connection(path_, Access::write, quick());
    for (const char* column : {"status", "ended_at"}) {
        const std::string text = kStatements[Sql::run_update.place].text;
        EXPECT_THAT(text, ::testing::Not(::testing::HasSubstr(std::string(" ") + column + " =")));
    }
}

}  // namespace
}  // namespace belay::sqlite
