// Ids of children at every depth: paths that fit stay as they are, longer ones are shortened.
#include "replay/child_id.hpp"

#include "unit/replay/harness.hpp"
#include <belay/store/parts/start.hpp>

#include <set>

namespace belay::replay::child_id_tests {
namespace {

using ::testing::EndsWith;
using ::testing::HasSubstr;
using ::testing::StartsWith;

const std::string kLongRoot(254, 'x');

/// The id of a child that is called by this run.
std::string below(const std::string& parent,
                  const std::string& name = "",
                  CommandNo command = 1,
                  const Limits& limits = {}) {
    const Identity identity{{"space", parent}, 1, kDefinition, "1"};
    const Journal journal(limits);
    detail::OperationSpec spec;
    spec.child_id = name;
    return child_id(identity, limits, journal, spec, command, 1);
}

/// The ids from a root down to this level, each the first child of the one before.
std::vector<std::string> chain(const std::string& root, std::size_t levels) {
    std::vector<std::string> ids{root};
    while (ids.size() <= levels) ids.push_back(below(ids.back()));
    return ids;
}

TEST(ChildIds, APathThatFitsIsTheId) {
    std::string path = "r";
    for (const std::string& id : chain("r", 127)) {
        EXPECT_EQ(id, path);
        path += "/1";
    }
    EXPECT_EQ(below("r", std::string(253, 'n')), "r/" + std::string(253, 'n'));
}

// Part of recorded histories: these values must never change.
TEST(ChildIds, ShortenedOnesAreTheSameForEver) {
    EXPECT_EQ(chain("r", 128).back(), "r//127.40546621cca9117baabd1f630bcc5320/1");
    EXPECT_EQ(below("r", std::string(254, 'n')), "r//1.a84dc5c37229fbe2e8d542791128b648");
    EXPECT_EQ(below(kLongRoot), kLongRoot + "//1.e520709470b33713160b97e5d8f1d125");
}

TEST(ChildIds, EveryLevelHasAnIdOfItsOwnInTheShardOfItsRoot) {
    for (const std::string& root : {std::string("r"), std::string(200, 'y'), kLongRoot}) {
        const std::vector<std::string> ids = chain(root, Limits().tree_depth);
        EXPECT_EQ(std::set<std::string>(ids.begin(), ids.end()).size(), ids.size());
        for (std::size_t level = 0; level < ids.size(); ++level) {
            EXPECT_EQ(level_of(ids[level]), level) << ids[level];
            EXPECT_EQ(root_of(ids[level]), root);
            EXPECT_TRUE(check_instance_id("it", ids[level], Limits().name_bytes).ok());
        }
    }
}

TEST(ChildIds, OnlyALongRootMakesThemLongerThanANameMayBe) {
    const std::size_t most = Limits().name_bytes;
    for (const std::string& id : chain("r", 1000)) EXPECT_LE(id.size(), most);
    for (const std::string& id : chain(std::string(210, 'y'), 999)) EXPECT_LE(id.size(), most);
    for (const std::string& id : chain(std::string(255, 'x'), 1000)) {
        EXPECT_LE(id.size(), most + kShortPathBytes);
    }
}

TEST(ChildIds, OneThatMayHaveARunForItsFailureLeavesRoomForThat) {
    const auto guarded = [](const std::string& parent) {
        const Limits limits;
        const Journal journal(limits);
        detail::OperationSpec spec;
        spec.child_id = std::string(254, 'n');
        spec.terms = std::make_unique<detail::OperationTerms>();
        spec.terms->on_fail = true;
        return child_id({{"space", parent}, 1, kDefinition, "1"}, limits, journal, spec, 1, 1);
    };
    const RunKey longest{~std::uint64_t{0}};
    const std::size_t most = Limits().name_bytes;
    const std::size_t shortened = below(kLongRoot).size() - kLongRoot.size();
    const std::size_t root = most + kShortPathBytes - shortened - kOnFailBytes;
    const std::string id = guarded(std::string(root, 'x'));
    EXPECT_TRUE(check_instance_id("it", other_on_fail_id(id, longest), most).ok());
    EXPECT_FALSE(check_instance_id("it", other_on_fail_id(id + "x", longest), most).ok());
    EXPECT_THROW((void)guarded(std::string(root + 1, 'x')), LimitExceeded);
}

TEST(ChildIds, DifferentPathsHaveDifferentIds) {
    const std::string deep = chain("r", 127).back();
    std::set<std::string> ids;
    for (CommandNo command = 1; command <= 100; ++command) {
        ids.insert(below(deep, "", command));
        ids.insert(below(deep, "ship-" + std::to_string(command)));
        ids.insert(below(kLongRoot, "", command));
        ids.insert(below("r", std::string(250, 'n') + std::to_string(1000 + command)));
    }
    EXPECT_EQ(ids.size(), 400U);
    EXPECT_NE(below(deep), below(deep.substr(0, deep.size() - 1) + "2"));
}

TEST(ChildIds, TheNameStaysReadableWhereItFits) {
    const std::string deep = chain("r", 127).back();
    EXPECT_THAT(below(deep, "ship"), StartsWith("r//127."));
    EXPECT_THAT(below(deep, "ship"), EndsWith("/ship"));
    EXPECT_EQ(below(below(deep, "ship"), "box"), below(deep, "ship") + "/box");
}

TEST(ChildIds, ANameHasALengthOfItsOwn) {
    EXPECT_EQ(level_of(below("r", std::string(255, 'n'))), 1U);
    try {
        (void)below("r", std::string(256, 'n'));
        FAIL() << "accepted";
    } catch (const LimitExceeded& refused) {
        EXPECT_STREQ(refused.what(), "a child's name is 256 bytes long; at most 255 are allowed");
    }
}

TEST(ChildIds, ATreeHasADepth) {
    Limits limits;
    limits.tree_depth = 2;
    EXPECT_EQ(below("r/1", "", 7, limits), "r/1/7");
    for (const std::string name : {"", "ship"}) {
        try {
            (void)below("r/1/7", name, 1, limits);
            FAIL() << "accepted";
        } catch (const LimitExceeded& refused) {
            EXPECT_STREQ(refused.what(),
                         "a child of 'r/1/7' would be at level 3 below its root; at most 2 are "
                         "allowed (Limits::tree_depth)");
        }
    }
    const std::string last = chain(kLongRoot, Limits().tree_depth).back();
    EXPECT_THROW((void)below(last), LimitExceeded) << "shortened paths count all levels";
}

// ---- In a run ----------------------------------------------------------------------------------

const std::string kLongName(250, 'n');

Orchestration<std::string> long_name(OrchestrationContext ctx) {
    co_return co_await ctx.call(Child, "in").id(kLongName);
}

TEST(ChildIds, AShortenedOneIsRecordedAndReplayed) {
    Scenario s(long_name);
    s.start();
    const auto& event = std::get<model::ChildScheduled>(s.history().back());
    EXPECT_THAT(event.id, StartsWith(kInstance + "//1."));
    s.skip().complete(1, "out").expect({"completed \"out\""});
}

Orchestration<std::string> retried_long_name(OrchestrationContext ctx) {
    const auto policy = RetryPolicy::fixed(Millis(1000));
    co_return co_await ctx.call(Child.with(ChildOptions().id(kLongName).retry(policy)), "in");
}

TEST(ChildIds, EachAttemptHasAShortenedOneOfItsOwn) {
    Scenario s(retried_long_name);
    s.start().fail(1, "broken").fire(2);
    std::set<std::string> ids;
    for (const model::Event& event : s.history()) {
        if (const auto* one = std::get_if<model::ChildScheduled>(&event)) ids.insert(one->id);
    }
    EXPECT_EQ(ids.size(), 2U);
}

Orchestration<void> goes_on_without(OrchestrationContext ctx) {
    Future<void> first = ctx.start(ctx.call(Ping));
    try {
        (void)co_await ctx.call(Child, "in").id(kLongName);
    } catch (const LimitExceeded&) {
    }
    co_await first;
    co_await ctx.call(Ping);
}

/// Decides as the code above did when such a child was refused.
Orchestration<void> without(OrchestrationContext ctx) {
    Future<void> first = ctx.start(ctx.call(Ping));
    co_await first;
    co_await ctx.call(Ping);
}

TEST(ChildIds, AHistoryFromBeforePathsWereShortenedIsReplayed) {
    Scenario s(without);
    s.start();
    EXPECT_TRUE(replay_with(goes_on_without, s.history()).ok()) << "refused in its last turn";
    s.complete(1);
    EXPECT_TRUE(replay_with(goes_on_without, s.history()).ok());
    s.complete(2);
    EXPECT_TRUE(replay_with(goes_on_without, s.history()).ok());
    Scenario now(goes_on_without);
    now.start();
    EXPECT_TRUE(std::holds_alternative<model::ChildScheduled>(now.history().back()));
}

Orchestration<void> starts_on_its_own(OrchestrationContext ctx, std::string id) {
    ctx.start_detached(Child, id, "in");
    co_return;
}

TEST(ChildIds, ARunOnItsOwnHasAnIdThatIsNotShortened) {
    Scenario s(starts_on_its_own);
    s.start(std::string(256, 'x'));
    EXPECT_EQ(s.failure().kind, FailureKind::limit);
    EXPECT_EQ(s.failure().message, "an instance's id is 256 bytes long; at most 255 are allowed");
    Scenario path(starts_on_its_own);
    path.start(std::string("r//1.0"));
    EXPECT_THAT(path.failure().message, HasSubstr("has a '/', which is kept for children"));
    Scenario fits(starts_on_its_own);
    fits.start(std::string(255, 'x'));
    EXPECT_EQ(fits.outcome().status, Status::completed);
}

}  // namespace
}  // namespace belay::replay::child_id_tests
