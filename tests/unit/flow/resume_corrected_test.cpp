// Resuming with a corrected definition.
#include "resumes.hpp"

namespace belay::flow::test {
namespace {

constexpr const char* kBefore = R"(
belay: 1
name: f
params:
  word: {type: string, default: w}
steps:
  - {id: list, activity: Work, with: {name: list}}
  - {id: gone, activity: Work, with: {name: gone}, if: "params.word == 'x'"}
  - {id: each, needs: [list], map: "['a', 'b']", window: 1, activity: Work, with: {name: "${{ item }}"}}
  - {id: last, needs: [each], activity: Work, with: {name: last}}
output: steps.last.output.name
)";

std::string with(std::string text, const std::string& old, const std::string& now) {
    const std::size_t at = text.find(old);
    if (at == std::string::npos) throw std::invalid_argument(old);
    return text.replace(at, old.size(), now);
}

class Corrected : public Resumes {
public:
    Corrected() {
        breaks("last");
        EXPECT_EQ(run(one(kBefore)), "last: last is broken");
        repairs();
    }

    static Bundle one(const std::string& text) { return bundle_from({{"f", text}}, "f"); }
    static ResumeWish corrected(const std::string& text, std::vector<std::string> steps = {}) {
        ResumeWish wished = wish("run-1", std::move(steps));
        wished.corrected = one(text);
        return wished;
    }
};

TEST_F(Corrected, AStepThatFailedMayBeCorrected) {
    EXPECT_EQ(resumed(corrected(with(kBefore, "with: {name: last}", "with: {name: better}"))),
              R"("better")");
    EXPECT_EQ(new_calls(), (Names{"better"}));
}

TEST_F(Corrected, AFinishedStepThatHasChangedIsNamed) {
    const std::string changed = with(kBefore, "with: {name: list}", "with: {name: other}");
    EXPECT_NE(refusal(corrected(changed)).find("the step 'list' has ended, and is another one"),
              std::string::npos);
    EXPECT_EQ(resumed(corrected(changed, {"list"})), R"("last")");
    EXPECT_EQ(new_calls(), (Names{"other", "a", "b", "last"}));
}

TEST_F(Corrected, AFinishedStepThatIsGoneIsNamed) {
    std::string changed = with(kBefore, "needs: [list], ", "");
    changed = with(changed, "  - {id: list, activity: Work, with: {name: list}}\n", "");
    EXPECT_NE(
        refusal(corrected(changed)).find("'list' has completed, and is not in the definition"),
        std::string::npos);
}

TEST_F(Corrected, RetriesTimesAndLayoutMayChange) {
    const std::string changed = with(kBefore,
                                     "{id: list, activity: Work, with: {name: list}}",
                                     "{with: {name: list}, retry: {attempts: 5}, timeout: 1h, "
                                     "description: better, activity: Work, id: list}");
    EXPECT_EQ(resumed(corrected(changed)), R"("last")");
    EXPECT_EQ(new_calls(), (Names{"last"}));
}

TEST_F(Corrected, ANewStepRunsAndSoDoAllBehindIt) {
    std::string changed = with(kBefore, "id: last, needs: [each]", "id: last, needs: [each, more]");
    changed = with(changed,
                   "  - {id: last",
                   "  - {id: more, activity: Work, with: {name: more}}\n  - {id: last");
    EXPECT_EQ(resumed(corrected(changed)), R"("last")");
    EXPECT_EQ(new_calls(), (Names{"more", "last"}));
}

TEST_F(Corrected, ASkippedStepThatHasChangedIsDecidedAgain) {
    EXPECT_EQ(resumed(corrected(with(kBefore, "params.word == 'x'", "params.word == 'w'"))),
              R"("last")");
    EXPECT_EQ(new_calls(), (Names{"gone", "last"}));
}

TEST_F(Corrected, ResultsThatNothingUsedAreMissedByName) {
    EXPECT_NE(refusal(corrected(with(
                          kBefore, "output: steps.last.output.name", "output: steps.each.output")))
                  .find("the step 'each' has ended without its results"),
              std::string::npos);
}

TEST_F(Corrected, ParamsMustStillFit) {
    EXPECT_NE(refusal(corrected(with(kBefore, "{type: string, default: w}", "{type: integer}")))
                  .find("the params of the run do not fit"),
              std::string::npos);
}

TEST_F(Corrected, AnotherFlowIsRefused) {
    ResumeWish wished = wish("run-1");
    wished.corrected = bundle_from({{"g", with(kBefore, "name: f", "name: g")}}, "g");
    EXPECT_NE(refusal(wished).find("a run of the flow 'f'"), std::string::npos);
}

TEST_F(Corrected, KeptItemsBelongToTheirElements) {
    breaks("b");
    const Bundle before = one(kBefore);
    const InstanceName second = start(before, "{}", "run-8");
    ASSERT_EQ(ended(second), "each[1]: b is broken");
    repairs();
    ResumeWish wished = wish("run-8");
    wished.corrected = one(with(kBefore, "['a', 'b']", "['c', 'a', 'b']"));
    EXPECT_EQ(resumed(wished, "run-9"), R"("last")");
    EXPECT_EQ(new_calls(), (Names{"c", "a", "b", "last"}));
}

TEST_F(Corrected, AChangeOutsideOfAStepCountsForTheStepsThatUseIt) {
    const std::string using_word = with(kBefore, "{name: list}", "{name: '${{ params.word }}'}");
    breaks("last");
    ASSERT_EQ(ended(start(one(using_word), "{}", "run-7")), "last: last is broken");
    repairs();
    ResumeWish wished = wish("run-7");
    wished.corrected = one(with(using_word, "default: w", "default: v"));
    EXPECT_NE(refusal(wished).find("the step 'list' has ended, and the value of the param 'word'"),
              std::string::npos);
}

TEST_F(Corrected, AFinishedStepThatIsGoneIsNoObstacleIfItWouldRunAgain) {
    std::string changed = with(kBefore, "needs: [each], ", "");
    changed = with(changed,
                   "  - {id: each, needs: [list], map: \"['a', 'b']\", window: 1, activity: Work, "
                   "with: {name: \"${{ item }}\"}}\n",
                   "");
    EXPECT_NE(refusal(corrected(changed)).find("'each' has completed, and is not in the"),
              std::string::npos);
    EXPECT_EQ(resumed(corrected(changed, {"list"})), R"("last")");
    EXPECT_EQ(new_calls(), (Names{"list", "last"}));
    EXPECT_EQ(resumed(corrected(changed, {"each"}), "run-3"), R"("last")");
    EXPECT_EQ(new_calls(), (Names{"last"}));
}

}  // namespace
}  // namespace belay::flow::test
