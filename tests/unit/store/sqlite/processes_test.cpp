// Several processes on one file: what each sees, hears, and leaves behind when it dies.
#include "fixture.hpp"
#include "process.hpp"
#include "store/sqlite/notice_file.hpp"

#include <unistd.h>

#include <algorithm>
#include <condition_variable>
#include <csignal>
#include <cstdlib>
#include <thread>

namespace belay::sqlite {
namespace {

using SteadyClock = std::chrono::steady_clock;

class Processes : public SqliteStoreTest {};

TEST_F(Processes, EachSeesWhatTheOtherCommits) {
    Pipe to_child;
    Pipe to_parent;
    Process child([&] {
        const auto store = open();
        Driver driver(*store, 2);
        to_parent.send('r');
        to_child.receive();
        const bool seen = driver.find("a").has_value();
        driver.start_running("b");
        return seen;
    });
    to_parent.receive();
    const auto store = open();
    Driver driver(*store, 1);
    driver.start_running("a");
    to_child.send('g');
    EXPECT_EQ(child.wait(), 0);
    EXPECT_TRUE(driver.find("b"));
}

TEST_F(Processes, AFileThatIsOpenedTwiceInOneProcessKeepsItsLogFromOtherPrograms) {
    // Another program, and not a fork: SQLite's locks belong to a process, its memory of them is
    // copied.
    const auto runs_elsewhere = [this] {
        const std::string command =
            "python3 -c \"import sqlite3, sys; d = sqlite3.connect(sys.argv[1]); "
            "n = d.execute('select count(*) from run').fetchone()[0]; d.close(); sys.exit(n)\" '" +
            path_ + "'";
        return WEXITSTATUS(std::system(command.c_str()));
    };
    const auto first = open();
    Driver driver(*first, 1);
    driver.start_running("before");
    const auto second = open();
    // A process that believes to be the last to close a file takes its log away. Commits made
    // there afterwards are seen by nobody.
    EXPECT_EQ(runs_elsewhere(), 1);
    driver.start_running("after");
    EXPECT_EQ(runs_elsewhere(), 2);
}

TEST_F(Processes, WritersQueueAndNothingIsLost) {
    constexpr int kEach = 150;
    std::vector<std::unique_ptr<Process>> children;
    for (std::uint64_t i = 1; i <= 3; ++i) {
        children.push_back(std::make_unique<Process>([this, i] {
            const auto store = open();
            Driver driver(*store, i);
            for (int round = 0; round < kEach; ++round) {
                driver.start_running(std::to_string(i) + "-" + std::to_string(round), 1);
                driver.claim_activities(1);
            }
            return true;
        }));
    }
    for (const auto& child : children) EXPECT_EQ(child->wait(), 0);
    EXPECT_EQ(ask("select count(*) from run"), std::to_string(3 * kEach));
    EXPECT_EQ(ask("select count(*) from activity where holder is not null"),
              std::to_string(3 * kEach));
    EXPECT_EQ(ask("pragma integrity_check"), "ok");
}

TEST_F(Processes, AStoppedWriterKeepsTheOthersWaitingForTheirTimeOnly) {
    Pipe ready;
    Process child([&] {
        // The lock of a process that stands still in the middle of a commit.
        const auto store = open();
        Driver driver(*store, 2);
        std::vector<Transition> batch;
        batch.push_back(op::transition(driver.next_commit(), op::start(driver.instance("c"))));
        struct Stopping final : Clock {
            explicit Stopping(Pipe& told) : pipe(told) {}
            Timestamp wall() override {
                pipe.send('s');
                ::raise(SIGSTOP);
                return Timestamp();
            }
            Millis monotonic() override { return Millis(0); }
            Pipe& pipe;
        } clock(ready);
        auto stopped = make_sqlite_store(path_, quick(), clock);
        (*stopped)->commit(std::move(batch), [](Result<std::vector<Answer>>) {});
        return true;
    });
    ready.receive();
    const auto began = SteadyClock::now();
    const auto refused = make_sqlite_store(path_, quick().lock_timeout(Millis(50)), clock_);
    ASSERT_FALSE(refused);
    EXPECT_EQ(refused.error().code(), Errc::busy);
    EXPECT_THAT(refused.error().message(),
                ::testing::HasSubstr("process " + std::to_string(child.pid())));
    EXPECT_THAT(refused.error().message(), ::testing::HasSubstr("stopped"));
    EXPECT_LT(SteadyClock::now() - began, std::chrono::seconds(20));
    child.signal(SIGCONT);
    EXPECT_EQ(child.wait(), 0);
    const auto store = open();
    EXPECT_TRUE(Driver(*store, 1).find("c"));
}

// ---- Hearing of each other ---------------------------------------------------------------------

/// Waits for what it is told.
class Ear final : public StoreListener {
public:
    void instances_ready() override {
        note([this] { ++instances; });
    }
    void activities_ready() override {
        note([this] { ++activities; });
    }
    void leases_stopped(const std::vector<LeaseToken>& tokens) override {
        note([&] { stopped.insert(stopped.end(), tokens.begin(), tokens.end()); });
    }
    void instance_ended(RunRef run) override {
        note([&] { ended.push_back(run); });
    }
    void custom_status_changed(RunRef run) override {
        note([&] { custom_status.push_back(run); });
    }

    bool wait(const std::function<bool()>& heard) {
        std::unique_lock lock(mutex_);
        return changed_.wait_for(lock, std::chrono::seconds(20), heard);
    }

    int instances = 0;
    int activities = 0;
    std::vector<LeaseToken> stopped;
    std::vector<RunRef> ended;
    std::vector<RunRef> custom_status;

private:
    void note(const std::function<void()>& change) {
        const std::lock_guard lock(mutex_);
        change();
        changed_.notify_all();
    }

    std::mutex mutex_;
    std::condition_variable changed_;
};

TEST_F(Processes, OneHearsOfTheCommitsOfTheOther) {
    Pipe to_child;
    Pipe to_parent;
    Process child([&] {
        const auto store = open();
        Driver driver(*store, 2);
        to_parent.send('r');
        to_child.receive();
        driver.start_running("a", 1);
        driver.commit(op::start(driver.instance("b")));
        driver.claim_activities(1);
        driver.commit(op::cancel(Driver::name("a"), "enough", Millis(1000)));
        driver.commit(op::terminate(Driver::name("b"), "me", "enough"));
        const NewInstance c = driver.instance("c");
        Turn turn = Driver::first_turn(c.run, 0);
        turn.custom_status = Payload::text("packing");
        driver.commit(op::start(c), turn);
        return true;
    });
    to_parent.receive();
    const auto store = open();
    Ear ear;
    store->subscribe(ear);
    to_child.send('g');
    EXPECT_EQ(child.wait(), 0);
    EXPECT_TRUE(ear.wait([&] {
        return ear.instances > 0 && ear.activities > 0 && ear.stopped.size() == 1 &&
               ear.ended.size() == 1 && ear.custom_status.size() == 1;
    }));
    ASSERT_EQ(ear.stopped.size(), 1U);
    EXPECT_EQ(ear.stopped[0].holder, 2U);
    EXPECT_EQ(ear.ended[0].shard, shard_of("b"));
    EXPECT_EQ(ear.custom_status[0].shard, shard_of("c"));
    store->unsubscribe(ear);
}

/// Follows runs, and waits for what it is told.
class FollowingEar final : public StoreListener {
public:
    [[nodiscard]] bool follows_runs() const override { return true; }
    void run_changed(RunRef run, RunChange change) override {
        const std::lock_guard lock(mutex_);
        heard_.emplace_back(run, change);
        changed_.notify_all();
    }
    bool hears(RunRef run, RunChange change) {
        std::unique_lock lock(mutex_);
        return changed_.wait_for(lock, std::chrono::seconds(20), [&] {
            return std::find(heard_.begin(), heard_.end(), std::pair(run, change)) != heard_.end();
        });
    }

private:
    std::mutex mutex_;
    std::condition_variable changed_;
    std::vector<std::pair<RunRef, RunChange>> heard_;
};

TEST_F(Processes, ChangesOfRunsAreWrittenDownOnlyWhileSomebodyFollowsThem) {
    const auto store = open();
    const auto other = open();
    Driver driver(*store, 1);
    const auto news = NoticeFile::open(path_);
    ASSERT_TRUE(news.ok());
    const auto written_by_a_start = [&](const char* id) {
        const std::uint64_t before = news->position();
        driver.commit(op::start(driver.instance(id)));
        return news->position() - before;
    };
    EXPECT_EQ(written_by_a_start("nobody"), 0U) << "nobody listens";
    Ear ear;
    other->subscribe(ear);
    EXPECT_EQ(written_by_a_start("listens"), 1U) << "that something is ready";
    FollowingEar following;
    other->subscribe(following);
    const NewInstance followed = driver.instance("followed");
    driver.commit(op::start(followed));
    EXPECT_TRUE(following.hears(followed.run, RunChange::started));
    EXPECT_EQ(written_by_a_start("follows"), 2U) << "that it was started, too";
    other->unsubscribe(following);
    EXPECT_EQ(written_by_a_start("listens again"), 1U);
    other->unsubscribe(ear);
}

TEST_F(Processes, AReaderThatMissedTooManyNoticesLooksAtEverything) {
    const auto store = open();
    auto writer = NoticeFile::open(path_);
    auto reader = NoticeFile::open(path_);
    ASSERT_TRUE(writer && reader);
    std::uint64_t position = reader->position();
    store::Notices notices;
    for (std::uint64_t i = 1; i <= 10'000; ++i) notices.ended.push_back({Shard{1}, RunKey{i}});
    writer->publish(notices);
    store::Notices heard = reader->read(position);
    EXPECT_EQ(heard.ended.size(), 10'000U);
    EXPECT_FALSE(heard.instances_ready || heard.activities_ready);
    for (int i = 0; i < 2; ++i) writer->publish(notices);
    heard = reader->read(position);
    EXPECT_TRUE(heard.instances_ready && heard.activities_ready);
    EXPECT_LT(heard.ended.size(), 20'000U);
    EXPECT_EQ(position, reader->position());
}

TEST_F(Processes, NobodyIsToldTwiceOfWhatHisOwnProcessDid) {
    const auto store = open();
    const auto other = open();
    Ear ear;
    Ear far;
    store->subscribe(ear);
    other->subscribe(far);
    Driver driver(*store, 1);
    driver.start_running("a", 1);
    driver.claim_activities(1);
    driver.commit(op::cancel(Driver::name("a"), "enough", Millis(1000)));
    EXPECT_TRUE(far.wait([&] { return !far.stopped.empty(); }));
    // Notices are read in order, so this comes after any echo of the first.
    Driver(*other, 2).commit(op::start(driver.instance("b")));
    EXPECT_TRUE(ear.wait([&] { return ear.instances >= 2; }));
    EXPECT_EQ(ear.stopped.size(), 1U);
    store->unsubscribe(ear);
    other->unsubscribe(far);
}

TEST_F(Processes, AMassCancelIsHeardWhole) {
    constexpr CommandNo kActivities = 10'000;
    const auto store = open();
    const auto other = open();
    Driver driver(*store, 1);
    driver.start_running("a", kActivities);
    EXPECT_EQ(Driver(*other, 2).claim_activities(kActivities).size(), kActivities);
    Ear ear;
    other->subscribe(ear);
    driver.commit(op::cancel(Driver::name("a"), "enough", Millis(1000)));
    EXPECT_TRUE(ear.wait([&] { return ear.stopped.size() >= kActivities; }));
    EXPECT_EQ(ear.stopped.size(), kActivities);
    other->unsubscribe(ear);
}

// ---- Dying -------------------------------------------------------------------------------------

TEST_F(Processes, AnAppliedButUnansweredCommitIsThereAndRecognised) {
    Process child([&] {
        const auto store = open();
        Driver driver(*store, 1);
        std::vector<Transition> batch;
        const NewInstance made = driver.instance("a");
        batch.push_back(
            op::transition(CommitId{9, 9}, op::start(made), Driver::first_turn(made.run, 1)));
        // Applied, and dead before anyone is told.
        store->commit(std::move(batch),
                      [](Result<std::vector<Answer>>) { ::kill(::getpid(), SIGKILL); });
        return false;
    });
    EXPECT_EQ(child.wait(), 128 + SIGKILL);

    const auto store = open();
    Driver driver(*store, 1);
    const NewInstance made = driver.instance("a");
    const auto again =
        driver.try_commit(CommitId{9, 9}, op::start(made), Driver::first_turn(made.run, 1));
    ASSERT_TRUE(again);
    EXPECT_EQ(again->verdict, Verdict::already_applied);
    EXPECT_EQ(driver.find("a")->position, 1U);
    EXPECT_EQ(driver.read(ListActivities()).size(), 1U);
}

TEST_F(Processes, KilledWhereverItIsTheFileHoldsEveryAnswer) {
    for (std::uint64_t round = 1; round <= 5; ++round) {
        Pipe answers;
        Process child([&] {
            const auto store = open(quick().checkpoint_pages(40));
            Driver driver(*store, round);
            for (int i = 0;; ++i) {
                driver.start_running(std::to_string(round) + "-" + std::to_string(i), 1);
                answers.send('a');
            }
            return false;
        });
        constexpr int kAnswered = 120;
        for (int i = 0; i < kAnswered; ++i) answers.receive();
        child.kill();

        const auto store = open();
        Driver driver(*store, 1'000 + round);
        for (int i = 0; i < kAnswered; ++i) {
            EXPECT_TRUE(driver.find(std::to_string(round) + "-" + std::to_string(i))) << i;
        }
        EXPECT_EQ(ask("pragma integrity_check"), "ok");
        EXPECT_EQ(ask("select count(*) from run"), ask("select count(*) from activity"));
    }
}

}  // namespace
}  // namespace belay::sqlite
