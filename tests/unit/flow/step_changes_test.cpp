// Steps whose result would be another one in a corrected definition.
#include "flow/step_changes.hpp"

#include "expr/value_json.hpp"
#include "resumes.hpp"

namespace belay::flow::test {
namespace {

constexpr const char* kUsesAll = R"(
belay: 1
name: f
params:
  keep: {type: integer, default: 3}
  other: {type: integer, default: 1}
secrets:
  token: {env: TOKEN}
  spare: {env: SPARE}
env: {LEVEL: "1"}
defaults: {timeout: 1m}
steps:
  - {id: program, script: "true", env: {TOKEN: "${{ secrets.token }}"}}
  - {id: work, activity: Work, with: {keep: "${{ params.keep }}"}}
  - {id: all, activity: Work, with: {all: "${{ params }}"}}
  - {id: below, needs: [work], flow: part}
)";
constexpr const char* kMiddle = R"(
belay: 1
name: part
steps:
  - {id: inner, flow: deep}
)";
constexpr const char* kLowest = R"(
belay: 1
name: deep
steps:
  - {id: one, activity: Work, with: {name: one}}
  - {id: two, needs: [one], activity: Work, with: {name: two}}
)";

std::string replaced(std::string text, const std::string& old, const std::string& now) {
    const std::size_t at = text.find(old);
    if (at == std::string::npos) throw std::invalid_argument(old);
    return text.replace(at, old.size(), now);
}

Bundle bundle_with(const std::string& main,
                   const std::string& part = kMiddle,
                   const std::string& deep = kLowest) {
    return bundle_from({{"f", main}, {"part", part}, {"deep", deep}}, "f");
}

/// Returns the steps that have changed, with the change of the last one of them.
std::string changes(const Bundle& now, const std::string& params = "{}") {
    const Bundle before = bundle_with(kUsesAll);
    const StepChanges compared(before, now, "f", expr::parse_json(params).or_throw());
    std::string names;
    std::string last;
    for (const Step& step : now.main_flow().steps) {
        const std::string change = compared.of(step);
        if (change.empty()) continue;
        names += step.id + " ";
        last = change;
    }
    return names + last;
}

TEST(StepChanges, AnEqualDefinitionChangesNothing) {
    EXPECT_EQ(changes(bundle_with(kUsesAll)), "");
    EXPECT_EQ(changes(bundle_with(replaced(kUsesAll, "{timeout: 1m}", "{timeout: 2m}"))), "");
}

TEST(StepChanges, TheEnvironmentOfTheFlowIsThatOfItsPrograms) {
    EXPECT_EQ(changes(bundle_with(replaced(kUsesAll, R"({LEVEL: "1"})", R"({LEVEL: "2"})"))),
              "program the \"env\" of the flow is another one now");
}

TEST(StepChanges, TheDefaultOfAParamCountsForThoseWhoUseIt) {
    const Bundle now = bundle_with(replaced(kUsesAll, "default: 3", "default: 4"));
    EXPECT_EQ(changes(now), "work all the value of the param 'keep' is another one now");
    EXPECT_EQ(changes(now, R"({"keep":9})"), "");
    EXPECT_EQ(changes(bundle_with(replaced(kUsesAll, "default: 1", "default: 2"))),
              "all the value of the param 'other' is another one now");
}

TEST(StepChanges, ThePlaceOfASecretCountsForThoseWhoUseIt) {
    EXPECT_EQ(changes(bundle_with(replaced(kUsesAll, "{env: TOKEN}", "{file: /run/token}"))),
              "program the place of the secret 'token' is another one now");
    EXPECT_EQ(changes(bundle_with(replaced(kUsesAll, "{env: SPARE}", "{file: /run/spare}"))), "");
}

TEST(StepChanges, AFlowThatIsStartedCountsWithAllThatItStarts) {
    EXPECT_EQ(changes(bundle_with(kUsesAll, kMiddle, replaced(kLowest, "name: two}", "name: 2}"))),
              "below the definition of the flow 'deep' is another one now");
    EXPECT_EQ(changes(bundle_with(kUsesAll, kMiddle, replaced(kLowest, "needs: [one], ", ""))),
              "below the definition of the flow 'deep' is another one now");
    const std::string retried = replaced(kLowest, "{id: one", "{id: one, retry: {attempts: 3}");
    EXPECT_EQ(changes(bundle_with(kUsesAll, kMiddle, retried)), "");
}

}  // namespace
}  // namespace belay::flow::test
