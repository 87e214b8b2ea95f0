// The blocks by which lists find runs: they hold every run, and lists over many blocks are whole.
#include "store/sqlite/blocks.hpp"

#include "fixture.hpp"
#include "store/listing.hpp"

#include <functional>
#include <string>
#include <vector>

namespace belay::sqlite {
namespace {

// As migration 0020 makes it of a file that is there.
const std::string kExpected =
    "select space, 1, definition, 0, key >> 24 from run union "
    "select space, 2, version, 0, key >> 24 from run where version <> '' union "
    "select space, 3, owner, 0, key >> 24 from run union "
    "select space, 4, '', created_at >> 2, key >> 24 from run union "
    "select space, 10 + status, '', ended_at >> 2, key >> 24 from run where ended_at is not null";
const std::string kFound = "select space, kind, value, at, block from run_block";

class BlocksOfAFile : public SqliteStoreTest {
protected:
    /// Number of rows of `a` that are not in `b`.
    [[nodiscard]] std::string beyond(const std::string& a, const std::string& b) {
        return ask("select count(*) from (select * from (" + a + ") except select * from (" + b +
                   "))");
    }
    void expect_exact() {
        EXPECT_EQ(beyond(kExpected, kFound), "0") << "runs that lists do not find";
        EXPECT_EQ(beyond(kFound, kExpected), "0") << "blocks that are read for nothing";
    }
    [[nodiscard]] static std::string id_of(std::uint64_t number) {
        return "run-" + std::to_string(number);
    }
    /// Three runs to a block, seven kinds of owner, and each a millisecond later.
    NewInstance make(Driver& driver, std::uint64_t number) {
        NewInstance made = driver.instance(id_of(number));
        made.run.key = RunKey{number * ((std::uint64_t{1} << kBlockBits) / 3)};
        made.definition = "D" + std::to_string(number % 2);
        made.version = number % 5 == 0 ? "" : std::to_string(number % 3);
        made.owner = "owner-" + std::to_string(number % 7);
        clock_.advance(Millis(1));
        return made;
    }
    void start(Driver& driver, std::uint64_t number) {
        const NewInstance made = make(driver, number);
        ASSERT_TRUE(driver.commit(op::start(made), Driver::first_turn(made.run, 0)).done());
    }
    void end(Driver& driver, std::uint64_t number, Status status) {
        const auto found = driver.find(id_of(number));
        ASSERT_TRUE(found);
        Turn turn;
        turn.run = found->run;
        turn.position = 1;
        turn.history = Driver::events(1);
        Outcome outcome;
        outcome.status = status;
        turn.after = Ends{outcome, std::nullopt};
        ASSERT_TRUE(driver.commit(turn).done());
    }
};

TEST_F(BlocksOfAFile, SayWhatIsThereWhateverStartsEndsAndGoes) {
    const auto store = open();
    Driver driver(*store, 1);
    for (std::uint64_t number = 1; number <= 40; ++number) {
        start(driver, number);
        if (number > 10) {
            end(driver, number - 10, number % 3 == 0 ? Status::failed : Status::completed);
        }
    }
    expect_exact();
    // Neighbours and others, until nothing is left.
    for (std::uint64_t number = 1; number <= 40; ++number) {
        const std::uint64_t next = number * 7 % 41;
        Delete part;
        part.name = Driver::name(id_of(next));
        part.force = true;
        ASSERT_TRUE(driver.commit(part).done()) << next;
        expect_exact();
    }
    EXPECT_EQ(ask("select count(*) from run_block"), "0");
}

TEST_F(BlocksOfAFile, SayWhatIsThereWhenAGroupStartsAndDeletes) {
    const auto store = open();
    Driver driver(*store, 1);
    for (std::uint64_t number = 1; number <= 3; ++number) start(driver, number);
    std::vector<Transition> changes;
    for (const std::uint64_t number : {1U, 2U, 3U}) {
        Delete part;
        part.name = Driver::name(id_of(number));
        part.force = true;
        changes.push_back(driver.change(part));
        changes.push_back(driver.change(op::start(make(driver, number + 3))));
    }
    for (const Answer& answer : driver.commit_together(changes)) EXPECT_TRUE(answer.done());
    expect_exact();
}

TEST_F(BlocksOfAFile, FollowAVersionThatChanges) {
    const auto store = open();
    Driver driver(*store, 1);
    const NewInstance made = make(driver, 1);
    ASSERT_TRUE(driver.commit(op::start(made)).done());
    const auto claimed = driver.claim_instances();
    ASSERT_EQ(claimed.size(), 1U);
    Turn turn = Driver::first_turn(made.run, 0);
    turn.lock = claimed[0].token;
    turn.version = "another";
    ASSERT_TRUE(driver.commit(turn).done());
    EXPECT_EQ(ask("select version from run"), "another");
    expect_exact();
}

/// A list, and the same of the table alone.
struct Asked {
    std::function<void(ListInstances&)> set;
    const char* where;
    const char* order;
};

const std::vector<Asked>& lists() {
    static const std::vector<Asked> all{
        {[](auto& r) { r.order = InstanceOrder::created; }, "true", "created_at"},
        {[](auto& r) {
             r.order = InstanceOrder::created;
             r.created.from = from_unix_ms(to_unix_ms(Timestamp{}) + 1);
             r.owner = "owner-1";
         },
         "owner = 'owner-1'",
         "created_at"},
        {[](auto& r) { r.order = InstanceOrder::ended; }, "ended_at is not null", "ended_at"},
        {[](auto& r) {
             r.order = InstanceOrder::ended;
             r.statuses = {Status::failed};
         },
         "status = 5",
         "ended_at"},
        {[](auto& r) {
             r.order = InstanceOrder::ended;
             r.definition = "D1";
         },
         "ended_at is not null and definition = 'D1'",
         "ended_at"},
        {[](auto& r) { r.owner = "owner-3"; }, "owner = 'owner-3'", "key"},
        {[](auto& r) { r.version = "1"; }, "version = '1'", "key"},
        {[](auto& r) { r.definition = "D0"; }, "definition = 'D0'", "key"},
        {[](auto& r) {
             r.definition = "D0";
             r.order = InstanceOrder::created;
         },
         "definition = 'D0'",
         "created_at"},
    };
    return all;
}

std::string all_pages(Driver& driver, ListInstances request) {
    std::string ids;
    while (true) {
        const auto page = driver.read(request);
        for (const ListedInstance& one : page) {
            ids += (ids.empty() ? "" : " ") + one.instance.name.id;
        }
        if (page.size() < request.max) return ids;
        request.after = store::place_of(page.back(), request.order);
    }
}

TEST_F(BlocksOfAFile, LeadListsThroughAllPagesInBothDirections) {
    const auto store = open();
    Driver driver(*store, 1);
    // Older keys come later too, as from a client whose clock is behind.
    for (std::uint64_t number = 1; number <= 60; ++number) start(driver, number * 17 % 61);
    for (std::uint64_t number = 1; number <= 40; ++number) {
        clock_.advance(Millis(number % 3));
        end(driver, number * 13 % 61, number % 4 == 0 ? Status::failed : Status::completed);
    }
    for (const Asked& asked : lists()) {
        for (const bool descending : {false, true}) {
            ListInstances request;
            request.space = "space";
            request.max = 4;
            request.order = InstanceOrder::started;
            request.descending = descending;
            asked.set(request);
            const std::string by = asked.order;
            const std::string order = !descending   ? by + ", key"
                                      : by == "key" ? "key desc"
                                                    : by + " desc, key desc";
            const std::string expected =
                ask("select group_concat(id, ' ') from (select id from run where " +
                    std::string(asked.where) + " order by " + order + ")");
            EXPECT_NE(expected, "nothing");
            EXPECT_EQ(all_pages(driver, request), expected) << asked.where << " " << order;
        }
    }
}

/// Runs are known from one group to the next, but not beyond what somebody else has written.
TEST_F(BlocksOfAFile, ARunThatAnotherStoreHasWrittenIsReadAgain) {
    const auto store = open();
    const auto other = open();
    Driver driver(*store, 1);
    Driver stranger(*other, 2);
    const RunRef run = driver.start_running("a");
    Turn turn;
    turn.run = run;
    turn.position = 1;
    turn.history = Driver::events(1);
    ASSERT_TRUE(stranger.commit(turn).done());
    EXPECT_FALSE(driver.commit(turn).done()) << "its position is 2 by now";
    turn.position = 2;
    EXPECT_TRUE(driver.commit(turn).done());
    turn.position = 3;
    turn.after = Ends{Outcome(), std::nullopt};
    EXPECT_TRUE(stranger.commit(turn).done());
    turn.position = 4;
    EXPECT_FALSE(driver.commit(turn).done()) << "it has ended";
    EXPECT_EQ(ask("select position from run"), "4");
}

}  // namespace
}  // namespace belay::sqlite
