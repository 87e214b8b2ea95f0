// Runs of definitions that were written as YAML, kept as documents, and interpreted from there.
#include "flow/definition/bundle.hpp"
#include "flow/interpreter/values.hpp"
#include "flows.hpp"

#include <map>

namespace belay::flow::test {
namespace {

using Texts = std::map<std::string, std::string, std::less<>>;

constexpr const char* kParent = R"(
belay: 1
name: parent
params:
  hosts: {type: list, of: string, default: [a, b]}
steps:
  - id: each
    map: params.hosts
    as: host
    activity: Work
    with: {host: "${{ host }}"}
  - id: sub
    needs: [each]
    flow: part
    with: {count: "${{ steps.each.output.size() }}"}
on_fail:
  - id: tell
    activity: Work
    with: {text: "${{ failure.step }}: ${{ failure.message }}"}
output: steps.sub.output
)";

constexpr const char* kPart = R"(
belay: 1
name: part
params:
  count: {type: integer}
steps:
  - id: twice
    set: "${{ params.count * 2 }}"
output: steps.twice.output
)";

Payload document_of(const Texts& texts, const std::string& main) {
    const auto find = [&](std::string_view name) -> std::optional<std::string> {
        const auto found = texts.find(name);
        if (found == texts.end()) return std::nullopt;
        return found->second;
    };
    auto bundle = read_bundle(texts.find(main)->second, find);
    std::string problems;
    if (!bundle) problems = described(bundle.error());
    EXPECT_EQ(problems, "");
    return Payload(PayloadCodec::json, bundle ? write_bundle(*bundle) : "{}");
}

class Documents : public ::testing::Test {
public:
    explicit Documents(const testing::WorldOptions& options = testing::WorldOptions())
        : world_(registry(), options) {
        world_.replace(Activity<Payload(Payload)>("Work"),
                       [](const Payload& input) { return input; });
    }

    InstanceName start(std::string input, bool on_fail = false) {
        const Payload document = document_of({{"parent", kParent}, {"part", kPart}}, "parent");
        return world_.start_with(belay::Definition<Payload(Payload)>("parent"),
                                 StartOptions().id("run").document(document).on_fail(on_fail),
                                 Payload(PayloadCodec::json, std::move(input)));
    }
    std::string wait(const InstanceName& run, const char* definition = "parent") {
        const belay::Definition<Payload(Payload)> handle(definition);
        return FlowWorld::shown(world_.wait(handle, run).outcome());
    }
    testing::World& world() { return world_; }

private:
    static Registry registry() {
        Registry registry;
        registry.set_interpreter(interpreter());
        return registry;
    }

    testing::World world_;
};

class LargeDocuments : public Documents {
public:
    LargeDocuments() : Documents(quick()) {}
};

TEST_F(Documents, ARunExecutesItsDocumentAndSoDoItsSubFlows) {
    const InstanceName run = start("{}");
    EXPECT_EQ(wait(run), "4");
    EXPECT_EQ(world().status(InstanceName{"default", "run/sub"}), Status::completed);
}

TEST_F(Documents, ThePictureComesFromTheExportedRunAlone) {
    const InstanceName run = start(R"({"hosts":["x"]})");
    ASSERT_EQ(wait(run), "2");
    const FlowPicture picture = picture_of(world().exported(run)).or_throw();
    EXPECT_EQ(find_step(picture, "each")->status, StepStatus::completed);
    EXPECT_EQ(find_step(picture, "each")->count, 1U);
    EXPECT_EQ(find_step(picture, "sub")->child, "run/sub");
}

TEST_F(LargeDocuments, ALargeMapRunsInChildrenWithTheSameDocument) {
    std::string hosts;
    for (int i = 0; i < 1'100; ++i) hosts.append(i > 0 ? "," : "").append("\"h\"");
    const InstanceName run = start(R"({"hosts":[)" + hosts + "]}");
    EXPECT_EQ(wait(run), "2200");
}

TEST_F(Documents, TheRunForAFailureExecutesOnFail) {
    world().replace(Activity<Payload(Payload)>("Work"), [](const Payload& input) {
        if (input.bytes.find("host") != std::string::npos) throw std::runtime_error("no luck");
        return input;
    });
    const InstanceName run = start("{}", true);
    EXPECT_EQ(wait(run), "each[0]: no luck");
    const InstanceName handler{"default", "run/~on-fail"};
    EXPECT_EQ(wait(handler), "null");
    const auto calls = world().calls_of("Work");
    EXPECT_EQ(calls.back().input.bytes, R"({"text":"each: no luck"})");
    const FlowPicture picture = picture_of(world().exported(handler)).or_throw();
    EXPECT_EQ(find_step(picture, "tell")->status, StepStatus::completed);
    EXPECT_EQ(find_step(picture, "each")->status, StepStatus::skipped);
}

TEST_F(Documents, ADocumentWithoutTheDefinitionFailsTheRun) {
    const Payload document = document_of({{"part", kPart}}, "part");
    const InstanceName run = world().start_with(belay::Definition<Payload(Payload)>("other"),
                                                StartOptions().id("run").document(document),
                                                Payload(PayloadCodec::json, "{}"));
    EXPECT_NE(wait(run, "other").find("its document has no definition 'other'"), std::string::npos);
}

}  // namespace
}  // namespace belay::flow::test
