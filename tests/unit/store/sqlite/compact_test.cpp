// Space that is given back, and what others notice of it.
#include "fixture.hpp"
#include "store/sqlite/file_lock.hpp"
#include <belay/store/sqlite/compact.hpp>

#include <filesystem>
#include <fstream>

namespace belay::sqlite {
namespace {

constexpr Millis kPatience{20'000};

class Compact : public SqliteStoreTest {
protected:
    /// Runs with some weight, of which only the last is left.
    void leave_one_of(Driver& driver, int count) {
        for (int i = 0; i < count; ++i) {
            NewInstance made = driver.instance(std::to_string(i));
            made.input = Payload(PayloadCodec::text, std::string(20'000, 'x'));
            driver.commit(op::start(made));
            if (i + 1 < count) driver.commit(op::force_delete(made.name));
        }
    }
};

TEST_F(Compact, DeletedRowsNoLongerTakeRoom) {
    {
        const auto store = open();
        Driver driver(*store, 1);
        for (int i = 0; i < 50; ++i) {
            NewInstance made = driver.instance(std::to_string(i));
            made.input = Payload(PayloadCodec::text, std::string(100'000, 'x'));
            driver.commit(op::start(made));
        }
        for (int i = 1; i < 50; ++i) {
            driver.commit(op::force_delete(Driver::name(std::to_string(i))));
        }
    }
    const auto compacted = compact(path_, kPatience);
    ASSERT_TRUE(compacted.ok()) << compacted.error().describe();
    EXPECT_GT(compacted->before, 4'900'000U);
    EXPECT_LT(compacted->after, 800'000U);
    EXPECT_EQ(compacted->after,
              std::filesystem::file_size(path_) + std::filesystem::file_size(path_ + "-wal"));
    EXPECT_EQ(ask("pragma integrity_check"), "ok");
    const auto store = open();
    const auto left = Driver(*store, 2).find("0");
    ASSERT_TRUE(left);
    EXPECT_EQ(left->input.bytes.size(), 100'000U);
}

TEST_F(Compact, AProcessWithTheFileOpenGoesOn) {
    const auto store = open(SqliteOptions());
    Driver driver(*store, 1);
    leave_one_of(driver, 30);
    ASSERT_TRUE(compact(path_, kPatience).ok());
    EXPECT_TRUE(driver.find("29"));
    driver.start_running("after", 1);
    EXPECT_EQ(driver.claim_activities(1).size(), 1U);
    ASSERT_TRUE(compact(path_, kPatience).ok());
    const auto again = open();
    EXPECT_TRUE(Driver(*again, 2).find("after"));
    EXPECT_EQ(ask("pragma integrity_check"), "ok");
}

TEST_F(Compact, ItWaitsForAWriterAndThenGivesUp) {
    {
        const auto store = open();
    }
    auto lock = FileLock::open(path_);
    ASSERT_TRUE(lock.ok() && lock->acquire(Millis(0)).ok());
    const auto refused = compact(path_, Millis(20));
    ASSERT_FALSE(refused.ok());
    EXPECT_EQ(refused.error().code(), Errc::busy);
}

TEST_F(Compact, NoFileIsMadeAndAForeignOneIsLeftAlone) {
    EXPECT_EQ(compact(path_, kPatience).error().code(), Errc::not_found);
    EXPECT_FALSE(std::filesystem::exists(path_));
    std::ofstream(path_).flush();
    EXPECT_EQ(compact(path_, kPatience).error().code(), Errc::unsupported) << "it is empty";
    EXPECT_EQ(std::filesystem::file_size(path_), 0U);
    EXPECT_EQ(compact(directory_.path(), kPatience).error().code(), Errc::invalid_argument);
    execute("pragma application_id = 12345; create table theirs (x)");
    EXPECT_EQ(compact(path_, kPatience).error().code(), Errc::unsupported);
    EXPECT_FALSE(std::filesystem::exists(path_ + "-lock"));
}

}  // namespace
}  // namespace belay::sqlite
