// Steps and items that a resumed run keeps.
#include "resumes.hpp"

namespace belay::flow::test {
namespace {

constexpr const char* kChain = R"(
belay: 1
name: chain
params:
  word: {type: string, default: w}
steps:
  - {id: first, activity: Work, with: {name: first, word: "${{ params.word }}"}}
  - {id: second, needs: [first], activity: Work, with: {name: second, got: "${{ steps.first.output.word }}"}}
  - {id: third, needs: [second], activity: Work, with: {name: third}}
  - {id: beside, activity: Work, with: {name: beside}}
output: '{"first": steps.first.output.word, "second": steps.second.output.got, "from": run.attempt_of}'
)";

constexpr const char* kMap = R"(
belay: 1
name: maps
params:
  names: {type: list, of: string, default: [a, b, c, d]}
steps:
  - {id: each, map: params.names, window: 1, activity: Work, with: {name: "${{ item }}"}}
  - {id: last, needs: [each], activity: Work, with: {name: last}}
output: '{"names": steps.each.output.map(one, one.name), "items": steps.each.items}'
)";

class Resume : public Resumes {};
class ResumeLarge : public Resumes {
public:
    ResumeLarge() : Resumes(testing::WorldOptions().cold_replay(false)) {}
};

TEST_F(Resume, StepsThatCompletedAreKeptAndTheOthersRun) {
    const Bundle bundle = bundle_from({{"chain", kChain}}, "chain");
    breaks("second");
    ASSERT_EQ(run(bundle, R"({"word":"given"})"), "second: second is broken");
    repairs();
    const ResumePlan plan = planned(wish("run-1"));
    EXPECT_EQ(plan.kept, (Names{"first", "beside"}));
    EXPECT_EQ(plan.again, (Names{"second", "third"}));
    EXPECT_EQ(resumed(wish("run-1")), R"({"first":"given","second":"given","from":"run-1"})");
    EXPECT_EQ(new_calls(), (Names{"second", "third"}));
}

TEST_F(Resume, PicturesShowAKeptStepWithItsTimesAndItsRun) {
    breaks("third");
    (void)run(bundle_from({{"chain", kChain}}, "chain"));
    const StepPicture before = *find_step(picture("run-1"), "first");
    repairs();
    (void)resumed(wish("run-1"));
    const FlowPicture after = picture("run-2");
    const StepPicture& kept = *find_step(after, "first");
    EXPECT_EQ(kept.status, StepStatus::completed);
    EXPECT_EQ(kept.began_at, before.began_at);
    EXPECT_EQ(kept.ended_at, before.ended_at);
    EXPECT_EQ(kept.attempts, 1U);
    EXPECT_EQ(kept.from, "run-1");
    EXPECT_EQ(kept.reason, "kept from run-1");
    EXPECT_EQ(find_step(after, "third")->from, "");
}

TEST_F(Resume, TheOldRunStaysAndTheNewOneIsLinkedToIt) {
    breaks("third");
    (void)run(bundle_from({{"chain", kChain}}, "chain"));
    repairs();
    (void)resumed(wish("run-1"));
    Client& client = world().client();
    EXPECT_EQ(client.inspect("run-1").or_throw().status, Status::failed);
    EXPECT_EQ(client.inspect("run-2").or_throw().labels.at(kResumeLabel), LabelValue("run-1"));
}

TEST_F(Resume, AResumedRunIsResumedAgainWithTheFirstResults) {
    breaks("second");
    (void)run(bundle_from({{"chain", kChain}}, "chain"));
    repairs();
    breaks("third");
    ASSERT_EQ(resumed(wish("run-1")), "third: third is broken");
    repairs();
    EXPECT_NE(resumed(wish("run-2"), "run-3").find(R"("from":"run-2")"), std::string::npos);
    EXPECT_EQ(new_calls(), (Names{"third"}));
    EXPECT_EQ(find_step(picture("run-3"), "first")->from, "run-1");
    EXPECT_EQ(find_step(picture("run-3"), "second")->from, "run-2");
}

TEST_F(Resume, AChosenStepRunsAgainWithAllBehindIt) {
    const Bundle bundle = bundle_from({{"chain", kChain}}, "chain");
    (void)run(bundle);
    EXPECT_NE(refusal(wish("run-1")).find("has completed: name the steps"), std::string::npos);
    EXPECT_NE(refusal(wish("run-1", {"fourth"})).find("'fourth' is no step"), std::string::npos);
    (void)resumed(wish("run-1", {"second"}));
    EXPECT_EQ(new_calls(), (Names{"second", "third"}));
}

TEST_F(Resume, ACanceledRunGoesOnWithTheStepsThatWereCanceled) {
    world().replace(Activity<Payload(Payload)>("Hang"), testing::never_answers());
    const Bundle bundle = bundle_from({{"f", R"(
belay: 1
name: f
steps:
  - {id: a, activity: Work, with: {name: a}}
  - {id: b, needs: [a], activity: Hang}
  - {id: c, needs: [b], activity: Work, with: {name: c}}
)"}},
                                      "f");
    const InstanceName name = start(bundle);
    world().run_until_idle();
    EXPECT_NE(refusal(wish("run-1")).find("resumed once it has settled"), std::string::npos);
    world().cancel(name, "stop");
    ASSERT_EQ(ended(name), "canceled: stop");
    world().run_until_idle();
    world().replace(Activity<Payload(Payload)>("Hang"), [](const Payload& input) { return input; });
    (void)resumed(wish("run-1"));
    EXPECT_EQ(new_calls(), (Names{"c"}));
    EXPECT_EQ(find_step(picture("run-2"), "a")->from, "run-1");
}

TEST_F(Resume, ARunThatNeverBeganIsResumedFromTheBeginning) {
    const Bundle bundle = bundle_from({{"chain", kChain}}, "chain");
    world().cancel(start(bundle));
    (void)resumed(wish("run-1"));
    EXPECT_EQ(new_calls().size(), 4U);
}

TEST_F(Resume, ItemsThatCompletedAreKeptOneByOne) {
    breaks("c");
    const Bundle bundle = bundle_from({{"maps", kMap}}, "maps");
    ASSERT_EQ(run(bundle), "each[2]: c is broken");
    repairs();
    EXPECT_EQ(planned(wish("run-1")).kept_items, 2U);
    EXPECT_EQ(resumed(wish("run-1")), R"({"names":["a","b","c","d"],"items":4})");
    EXPECT_EQ(new_calls(), (Names{"c", "d", "last"}));
    const FlowPicture after = picture("run-2");
    EXPECT_EQ(find_step(after, "each")->items[1].from, "run-1");
    EXPECT_EQ(find_step(after, "each")->items[2].from, "");
}

TEST_F(Resume, AChosenItemRunsAgainAndTheOthersAreKept) {
    (void)run(bundle_from({{"maps", kMap}}, "maps"));
    EXPECT_EQ(resumed(wish("run-1", {"each[1]"})), R"({"names":["a","b","c","d"],"items":4})");
    EXPECT_EQ(new_calls(), (Names{"b", "last"}));
    EXPECT_EQ(resumed(wish("run-1", {"each"}), "run-3").empty(), false);
    EXPECT_EQ(new_calls(), (Names{"a", "b", "c", "d", "last"}));
}

TEST_F(Resume, AKeptMapHasItsResultsAndItsCounts) {
    breaks("last");
    ASSERT_EQ(run(bundle_from({{"maps", kMap}}, "maps")), "last: last is broken");
    repairs();
    EXPECT_EQ(resumed(wish("run-1")), R"({"names":["a","b","c","d"],"items":4})");
    EXPECT_EQ(new_calls(), (Names{"last"}));
    // Its items were kept as a whole, and nobody has them one by one any more.
    EXPECT_NE(refusal(wish("run-2", {"each[1]"})).find("choose the step as a whole"),
              std::string::npos);
}

TEST_F(ResumeLarge, ItemsThatChildrenHaveRunAreKept) {
    std::string names;
    for (int i = 0; i < 1'100; ++i)
        names.append(i > 0 ? ",\"n" : "\"n").append(std::to_string(i)).append("\"");
    breaks("n1050");
    ASSERT_EQ(run(bundle_from({{"maps", kMap}}, "maps"), "{\"names\":[" + names + "]}"),
              "each[1050]: n1050 is broken");
    repairs();
    const std::string output = resumed(wish("run-1"));
    EXPECT_NE(output.find(R"("items":1100)"), std::string::npos);
    EXPECT_EQ(new_calls().size(), 51U);  // 50 items, and the last step.
}

TEST_F(ResumeLarge, ResultsThatTogetherExceedTheInputsLimitAreKept) {
    const Bundle bundle = bundle_from({{"large", R"(
belay: 1
name: large
steps:
  - {id: one, activity: Large}
  - {id: two, activity: Large}
  - {id: three, activity: Large}
  - {id: last, needs: [one, two, three], activity: Work, with: {name: last, size: "${{ steps.one.output.size() + steps.three.output.size() }}"}}
output: steps.last.output.size
)"}},
                                      "large");
    world().replace(Activity<Payload(Payload)>("Large"), [](const Payload&) {
        return Payload(PayloadCodec::json, "\"" + std::string(1'500'000, 'x') + "\"");
    });
    breaks("last");
    ASSERT_EQ(run(bundle), "last: last is broken");
    repairs();
    EXPECT_EQ(resumed(wish("run-1")), "3000000");
    EXPECT_EQ(new_calls(), (Names{"last"}));
}

TEST_F(Resume, ATolerantStepThatFailedIsKeptUnlessItIsChosen) {
    const Bundle bundle = bundle_from({{"f", R"(
belay: 1
name: f
steps:
  - {id: lint, activity: Work, with: {name: lint}, may_fail: true}
  - {id: report, needs: [lint], activity: Work, with: {name: report}}
  - {id: build, after: [lint], activity: Work, with: {name: build}}
output: steps.lint.status
)"}},
                                      "f");
    breaks("lint");
    breaks("build");
    ASSERT_EQ(run(bundle), "build: build is broken");
    repairs();
    EXPECT_EQ(resumed(wish("run-1")), R"("failed")");
    EXPECT_EQ(new_calls(), (Names{"build"}));
    EXPECT_EQ(find_step(picture("run-2"), "report")->status, StepStatus::skipped);
    EXPECT_EQ(resumed(wish("run-1", {"lint"}), "run-3"), R"("completed")");
    EXPECT_EQ(new_calls(), (Names{"lint", "report", "build"}));
}

TEST_F(Resume, AKeptStepDoesNotEndTheFlowEarlyAgain) {
    const Bundle bundle = bundle_from({{"f", R"(
belay: 1
name: f
steps:
  - {id: probe, activity: Work, with: {name: probe}, end_flow: "steps.probe.output.name == 'probe'"}
  - {id: work, after: [probe], activity: Work, with: {name: work}}
)"}},
                                      "f");
    (void)run(bundle);
    ASSERT_EQ(find_step(picture("run-1"), "work")->status, StepStatus::canceled);
    EXPECT_EQ(resumed(wish("run-1")), R"({"work":{"name":"work"}})");
}

TEST_F(Resume, FinallyRunsAgainAndOnFailHandlesTheNewFailure) {
    const Bundle bundle = bundle_from({{"f", R"(
belay: 1
name: f
steps:
  - {id: a, activity: Work, with: {name: a}}
  - {id: b, needs: [a], activity: Work, with: {name: b}}
finally:
  - {id: tidy, activity: Work, with: {name: tidy}}
on_fail:
  - {id: tell, activity: Work, with: {name: "${{ failure.step }}"}}
)"}},
                                      "f");
    breaks("b");
    (void)run(bundle);
    world().run_until_idle();
    EXPECT_EQ(resumed(wish("run-1")), "b: b is broken");
    world().run_until_idle();
    repairs();
    EXPECT_EQ(new_calls(), (Names{"b", "tidy", "b"}));
    EXPECT_EQ(world().status(InstanceName{"default", "run-2/~on-fail"}), Status::failed);
    EXPECT_NE(refusal(wish("run-2/~on-fail")).find("handles the failure"), std::string::npos);
}

TEST_F(Resume, OfTwoAtATimeOneStartsARun) {
    breaks("second");
    (void)run(bundle_from({{"chain", kChain}}, "chain"));
    const ResumePlan plan = planned(wish("run-1"));
    Client& client = world().client();
    const auto first = resume(client, plan, RerunOptions().id("run-2")).or_throw();
    const auto second = resume(client, plan, RerunOptions().id("run-3")).or_throw();
    EXPECT_TRUE(first.created);
    EXPECT_FALSE(second.created);
    EXPECT_EQ(second.instance.run, first.instance.run);
    (void)ended(first.instance.name);
    EXPECT_TRUE(resume(client, plan, RerunOptions().id("run-3")).or_throw().created);
}

TEST_F(Resume, ARunThatIsDeletedMeanwhileIsNotFound) {
    breaks("second");
    (void)run(bundle_from({{"chain", kChain}}, "chain"));
    const ResumePlan plan = planned(wish("run-1"));
    ASSERT_TRUE(world().client().delete_instance("run-1").ok());
    const auto started = resume(world().client(), plan);
    ASSERT_FALSE(started.ok());
    EXPECT_EQ(started.error().code(), Errc::not_found);
}

TEST_F(Resume, AValueThatJsonWouldChangeIsMadeAgain) {
    const Bundle bundle = bundle_from({{"f", R"(
belay: 1
name: f
steps:
  - {id: at, set: "${{ timestamp('2026-01-01T00:00:00Z') }}"}
  - {id: b, needs: [at], activity: Work, with: {name: b, year: "${{ steps.at.output.getFullYear() }}"}}
output: steps.b.output.year
)"}},
                                      "f");
    breaks("b");
    (void)run(bundle);
    repairs();
    EXPECT_EQ(resumed(wish("run-1")), "2026");
}

TEST_F(Resume, ARunFromTheBeginningKeepsNothing) {
    breaks("third");
    (void)run(bundle_from({{"chain", kChain}}, "chain"));
    repairs();
    (void)resumed(wish("run-1"));
    Client& client = world().client();
    const InstanceInfo info = client.inspect("run-2").or_throw();
    const std::size_t before = world().calls_of("Work").size();
    const auto again =
        client.rerun("run-2", RerunOptions().id("run-3").input(input_from_start(info).or_throw()));
    ASSERT_TRUE(again.ok());
    (void)ended(again->instance.name);
    EXPECT_EQ(world().calls_of("Work").size() - before, 4U);
}

TEST_F(Resume, AnItemThatTheMapDidNotHaveIsRefused) {
    (void)run(bundle_from({{"maps", kMap}}, "maps"));
    EXPECT_NE(refusal(wish("run-1", {"each[99]"}))
                  .find("'each' has no item 99: its items are 0 to "
                        "3"),
              std::string::npos);
    EXPECT_NE(refusal(wish("run-1", {"last[0]"})).find("choose the step as a whole"),
              std::string::npos);
}

}  // namespace
}  // namespace belay::flow::test
