// The public face of resumed runs: steps, a preview, corrected definitions, and many at a time.
#include "resumes.hpp"
#include <belay/finding.hpp>
#include <belay/flow/resume.hpp>

namespace belay::flow::test {
namespace {

constexpr const char* kTwo = R"(
belay: 1
name: two
params:
  word: {type: string}
steps:
  - {id: first, activity: Work, with: {name: first}}
  - {id: last, needs: [first], activity: Work, with: {name: "${{ params.word }}"}}
output: steps.last.output.name
)";

class ResumeRuns : public Resumes {
public:
    ResumeRuns() {
        breaks("a");
        breaks("b");
        for (const char* const word : {"a", "b", "c"}) {
            const std::string id = std::string("run-") + word;
            const std::string params = R"({"word":")" + std::string(word) + "\"}";
            (void)ended(start(bundle_from({{"two", kTwo}}, "two"), params, id));
        }
    }
    Client& client() { return world().client(); }
    EndedRuns find() { return client().find_ended(InstanceFilter().definition("two")).or_throw(); }
};

TEST_F(ResumeRuns, ARunIsPreviewedAndResumed) {
    const FlowResumePlan plan =
        preview_resume_flow(client(), InstanceName{"default", "run-a"}).or_throw();
    EXPECT_EQ(plan.kept, (Names{"first"}));
    EXPECT_EQ(plan.again, (Names{"last"}));
    EXPECT_EQ(client().list(ListOptions().definition("two")).or_throw().instances.size(), 3U);
    repairs();
    const auto started = resume_flow(client(),
                                     InstanceName{"default", "run-a"},
                                     FlowResume().step("first"),
                                     RerunOptions().id("again"));
    ASSERT_TRUE(started.ok()) << started.error().describe();
    EXPECT_EQ(ended(started->instance.name), R"("a")");
}

TEST_F(ResumeRuns, ACorrectedDefinitionIsChecked) {
    const InstanceAddress name(InstanceName{"default", "run-a"});
    const auto wrong = resume_flow(client(), name, FlowResume().definition("belay: 1\nname: two"));
    EXPECT_EQ(wrong.error().code(), Errc::invalid_argument);
    std::string better(kTwo);
    better.replace(better.find("${{ params.word }}"), 18, "better");
    const auto started = resume_flow(client(), name, FlowResume().definition(better));
    ASSERT_TRUE(started.ok()) << started.error().describe();
    EXPECT_EQ(ended(started->instance.name), R"("better")");
}

TEST_F(ResumeRuns, ManyAreResumedAndARepeatStartsNoneTwice) {
    const EndedRuns found = find();
    EXPECT_EQ(found.found.size(), 2U);
    repairs();
    const RerunManyResult result = resume_flows(client(), found);
    EXPECT_EQ(result.started, 2U);
    EXPECT_TRUE(result.refused.empty());
    EXPECT_EQ(resume_flows(client(), found).there, 2U);
    EXPECT_TRUE(find().found.empty());
    EXPECT_EQ(find().started_again, 2U);
}

TEST_F(ResumeRuns, OneThatCannotBeResumedStopsNoOther) {
    const RerunManyResult result =
        resume_flows(client(), find(), FlowResume().step("first").step("nowhere"));
    EXPECT_EQ(result.started, 0U);
    ASSERT_EQ(result.refused.size(), 2U);
    EXPECT_EQ(result.refused[0].name.id, "run-a");
    EXPECT_NE(result.refused[0].why.message().find("'nowhere' is no step"), std::string::npos);
}

}  // namespace
}  // namespace belay::flow::test
