// Whole definitions, as people write them.
#include "definitions.hpp"
#include "expr/value_json.hpp"
#include "flow/definition/bundle.hpp"
#include "flow/definition/draft.hpp"

#include <csignal>
#include <fstream>
#include <iterator>

namespace belay::flow {
namespace {

std::string file(const std::string& name) {
    std::ifstream stream(std::string(BELAY_FLOWS) + "/" + name + ".yaml");
    return {std::istreambuf_iterator<char>(stream), {}};
}

TEST(FlowSample, IsReadWithoutProblems) {
    const auto bundle = read_bundle(file("nightly-backup"), [](std::string_view name) {
        return std::optional(file(std::string(name)));
    });
    ASSERT_TRUE(bundle) << shown(bundle.error());
    EXPECT_EQ(bundle->main, "nightly-backup");
    EXPECT_EQ(bundle->flows.size(), 2U);
    EXPECT_TRUE(bundle->flows.contains("prune-old"));
}

TEST(FlowSample, EveryFieldArrivesInTheDefinition) {
    const Definition flow = read_good(file("nightly-backup"));
    EXPECT_EQ(flow.timeout, std::chrono::hours(4));
    EXPECT_EQ(flow.expires, std::chrono::hours(24));
    ASSERT_EQ(flow.params.size(), 3U);
    EXPECT_EQ(flow.params[0].type, ParamType::list);
    EXPECT_EQ(flow.params[0].of, ParamType::string);
    EXPECT_FALSE(flow.params[0].required);
    EXPECT_EQ(flow.params[1].pattern, "^s3://");
    EXPECT_EQ(flow.params[2].min, 1.0);
    EXPECT_EQ(flow.secrets.at(0).env, "BACKUP_TOKEN");
    EXPECT_EQ(flow.concurrency->when_busy, WhenBusy::queue);
    EXPECT_EQ(flow.schedules.at(0).zone, "Europe/Brussels");
    EXPECT_EQ(flow.schedules.at(0).jitter, std::chrono::minutes(5));
    ASSERT_EQ(flow.steps.size(), 5U);
    EXPECT_EQ(flow.on_fail.size(), 1U);
    EXPECT_TRUE(flow.output);

    const Step& dump = flow.steps[1];
    EXPECT_EQ(dump.needs, std::vector<std::size_t>{0});
    EXPECT_EQ(dump.map->as, "db");
    EXPECT_EQ(dump.map->window, 4U);
    EXPECT_EQ(dump.map->items_may_fail, 2U);
    EXPECT_EQ(dump.timeout, std::chrono::minutes(30));
    EXPECT_EQ(std::get<Script>(dump.action).text, R"(pg_dump -Fc "$DB" > "out/$DB.dump")");
    ASSERT_TRUE(dump.on_cancel);
    EXPECT_EQ(std::get<Exec>(dump.on_cancel->action).program.size(), 3U);
    EXPECT_EQ(flow.steps[3].after, std::vector<std::size_t>{2});
    EXPECT_EQ(std::get<Http>(flow.steps[3].action).expect, (std::vector<int>{200, 201}));
    EXPECT_TRUE(flow.steps[4].may_fail);
}

TEST(FlowSample, DefaultsAreMergedFieldByField) {
    const Definition flow = read_good(file("nightly-backup"));
    const Retry& dump = flow.steps[1].retry;
    EXPECT_EQ(dump.attempts, 5U);
    EXPECT_EQ(dump.only_exit, std::vector<int>{75});
    EXPECT_EQ(dump.delay, std::chrono::seconds(10));
    EXPECT_EQ(dump.max_delay, std::chrono::minutes(5));
    EXPECT_EQ(flow.steps[0].retry.attempts, 3U);
    // An approval and another flow have no retries by default.
    EXPECT_EQ(flow.steps[2].retry.attempts, 1U);
    EXPECT_EQ(flow.steps[4].retry.attempts, 1U);
}

TEST(FlowSample, EveryFieldIsAccepted) {
    const std::string text = file("every-field");
    const Definition flow = read_good(text);
    EXPECT_EQ(flow.steps.size(), 9U);
    EXPECT_FALSE(flow.steps[0].limit_key) << "it runs no activity";
    ASSERT_TRUE(flow.steps[1].limit_key && flow.steps[2].limit_key);
    const expr::Map variables =
        expr::parse_json(R"({"params": {"count": 2, "target": "s3:"}})").or_throw().map();
    EXPECT_EQ(flow.steps[1].limit_key->run(variables)->text(), "host-2");
    EXPECT_EQ(flow.steps[2].limit_key->run(variables)->text(), "s3:") << "that of `defaults`";
    EXPECT_EQ(flow.steps[1].stop_signal, SIGUSR1);
    for (const ObjectFields& object : all_fields()) {
        for (const std::string_view field : object.fields) {
            EXPECT_NE(text.find(std::string(field) + ":"), std::string::npos) << field;
        }
    }
}

TEST(FlowSample, TheSameDefinitionIsReadFromJson) {
    const Definition flow = read_good(R"({"belay": 1, "name": "x", "steps": [
        {"id": "a", "exec": ["echo", "${{ run.id }}"], "output": "lines"}],
        "output": "steps.a.output[0]"})");
    ASSERT_EQ(flow.steps.size(), 1U);
    EXPECT_NE(std::get<Exec>(flow.steps[0].action).program[1].text(), nullptr);
}

TEST(FlowSample, ArgumentsAreTakenAsTheyAreWritten) {
    const Definition flow = read_good(
        with_steps("{id: a, exec: [cp, 1.10, 0x1F, true, '$${{ x }}'], env: {N: 007, B: no}}"));
    const auto& program = std::get<Exec>(flow.steps[0].action).program;
    const std::vector<std::string> expected = {"cp", "1.10", "0x1F", "true", "${{ x }}"};
    ASSERT_EQ(program.size(), expected.size());
    for (std::size_t i = 0; i < expected.size(); ++i) {
        EXPECT_EQ(program[i].constant()->text(), expected[i]);
    }
    EXPECT_EQ(flow.steps[0].env[0].second.constant()->text(), "007");
}

}  // namespace
}  // namespace belay::flow
