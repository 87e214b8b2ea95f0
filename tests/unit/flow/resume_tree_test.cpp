// Runs below a resumed one.
#include "resumes.hpp"

namespace belay::flow::test {
namespace {

constexpr const char* kParent = R"(
belay: 1
name: parent
steps:
  - {id: before, activity: Work, with: {name: before}}
  - {id: sub, needs: [before], flow: part, with: {who: "${{ steps.before.output.name }}"}}
  - {id: behind, needs: [sub], activity: Work, with: {name: behind}}
output: steps.sub.output
)";
constexpr const char* kParents = R"(
belay: 1
name: parents
steps:
  - {id: sub, map: "['x', 'y', 'z']", as: who, items_may_fail: 3, window: 3, flow: part, with: {who: "${{ who }}"}}
  - {id: behind, needs: [sub], activity: Work, with: {name: behind}}
output: steps.sub.completed
)";
constexpr const char* kPart = R"(
belay: 1
name: part
params:
  who: {type: string}
steps:
  - {id: first, activity: Work, with: {name: "${{ params.who + '-first' }}"}}
  - {id: second, needs: [first], activity: Work, with: {name: "${{ params.who + '-second' }}"}}
output: steps.second.output.name
)";

class ResumeTree : public Resumes {
public:
    static Bundle parent() { return bundle_from({{"parent", kParent}, {"part", kPart}}, "parent"); }
    static Bundle parents() {
        return bundle_from({{"parents", kParents}, {"part", kPart}}, "parents");
    }
};

TEST_F(ResumeTree, StepsOfASubFlowThatCompletedAreKept) {
    breaks("before-second");
    ASSERT_EQ(run(parent()), "sub: before-second is broken");
    repairs();
    const ResumePlan plan = planned(wish("run-1"));
    EXPECT_EQ(plan.kept, (Names{"before", "sub/first"}));
    EXPECT_EQ(plan.again, (Names{"sub", "sub/second", "behind"}));
    EXPECT_EQ(resumed(wish("run-1")), R"("before-second")");
    EXPECT_EQ(new_calls(), (Names{"before-second", "behind"}));
    EXPECT_EQ(find_step(picture("run-2/sub"), "first")->from, "run-1");
}

TEST_F(ResumeTree, AChosenStepOfASubFlowRunsAgain) {
    (void)run(parent());
    EXPECT_EQ(resumed(wish("run-1", {"sub/second"})), R"("before-second")");
    EXPECT_EQ(new_calls(), (Names{"before-second", "behind"}));
    EXPECT_EQ(resumed(wish("run-1", {"sub"}), "run-3"), R"("before-second")");
    EXPECT_EQ(new_calls(), (Names{"before-first", "before-second", "behind"}));
    EXPECT_NE(refusal(wish("run-1", {"sub/no"})).find("'sub/no' is no step"), std::string::npos);
    EXPECT_NE(refusal(wish("run-1", {"before/x"})).find("'before' starts no flow"),
              std::string::npos);
}

TEST_F(ResumeTree, AStepBehindAChosenOneKeepsNothingOfItsSubFlow) {
    (void)run(parent());
    (void)resumed(wish("run-1", {"before"}));
    EXPECT_EQ(new_calls(), (Names{"before", "before-first", "before-second", "behind"}));
}

TEST_F(ResumeTree, ASubFlowIsNotResumedByItself) {
    breaks("before-second");
    (void)run(parent());
    EXPECT_NE(refusal(wish("run-1/sub")).find("is a part of 'run-1'"), std::string::npos);
}

TEST_F(ResumeTree, SubFlowsOfItemsGoOnOneByOne) {
    breaks("y-second");
    breaks("behind");
    ASSERT_EQ(run(parents()), "behind: behind is broken");
    repairs();
    EXPECT_EQ(resumed(wish("run-1", {"sub[1]/second"})), "3");
    EXPECT_EQ(new_calls(), (Names{"y-second", "behind"}));
}

TEST_F(ResumeTree, ARetriedSubFlowKeepsWhatItsLastAttemptHad) {
    const std::string retried = R"(
belay: 1
name: parent
steps:
  - {id: sub, flow: part, with: {who: w}, retry: {attempts: 2, delay: 1s}}
output: steps.sub.output
)";
    breaks("w-second");
    ASSERT_EQ(run(bundle_from({{"parent", retried}, {"part", kPart}}, "parent")),
              "sub: w-second is broken");
    // Both attempts of the new run begin with what is kept.
    EXPECT_EQ(resumed(wish("run-1")), "sub: w-second is broken");
    EXPECT_EQ(new_calls(), (Names{"w-second", "w-second"}));
    repairs();
}

TEST_F(ResumeTree, ASubFlowThatGetsOtherParamsBeginsAnew) {
    breaks("before-second");
    ASSERT_EQ(run(parent()), "sub: before-second is broken");
    repairs();
    std::string changed = kParent;
    const std::string with = "steps.before.output.name }}";
    changed.replace(changed.find(with), with.size(), "'other' }}");
    ResumeWish corrected = wish("run-1");
    corrected.corrected = bundle_from({{"parent", changed}, {"part", kPart}}, "parent");
    EXPECT_EQ(resumed(corrected), R"("other-second")");
    EXPECT_EQ(new_calls(), (Names{"other-first", "other-second", "behind"}));
}

TEST_F(ResumeTree, AStepOfASubFlowThatRunsAgainAsAWholeMustExistAllTheSame) {
    (void)run(parent());
    EXPECT_NE(
        refusal(wish("run-1", {"before", "sub/nope"})).find("'sub/nope' is no step of the flow"),
        std::string::npos);
    EXPECT_NE(refusal(wish("run-1", {"before", "sub/first/x"})).find("'sub/first' starts no flow"),
              std::string::npos);
    (void)resumed(wish("run-1", {"before", "sub/second"}));
    EXPECT_EQ(new_calls(), (Names{"before", "before-first", "before-second", "behind"}));
}

TEST_F(ResumeTree, AChangedSubFlowIsAChangeOfTheStepThatStartedIt) {
    breaks("behind");
    ASSERT_EQ(run(parent()), "behind: behind is broken");
    repairs();
    std::string part(kPart);
    part.replace(part.find("'-second'"), 9, "'-other'");
    ResumeWish wished = wish("run-1");
    wished.corrected = bundle_from({{"parent", kParent}, {"part", part}}, "parent");
    EXPECT_NE(refusal(wished).find("'sub' has ended, and the definition of the flow 'part'"),
              std::string::npos);
    wished.steps = {"sub/second"};
    EXPECT_EQ(resumed(wished), R"("before-other")");
    EXPECT_EQ(new_calls(), (Names{"before-other", "behind"}));
}

}  // namespace
}  // namespace belay::flow::test
