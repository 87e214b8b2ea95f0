// Documents: whatever is written is read again, and what is damaged is told with its place.
#include "client/document/document.hpp"

#include "unit/model/generator.hpp"
#include <belay/codec.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace belay::client {
namespace {

using ::testing::HasSubstr;
using ::testing::StartsWith;

/// An instance of two executions with every kind of event.
Document some_document() {
    Document document;
    DocumentInstance& instance = document.instance;
    instance.space = "default";
    instance.id = "order-7";
    instance.definition = "Order";
    instance.version = "2";
    instance.status = Status::completed;
    instance.owner = "shop";
    instance.labels = {
        {"tier", std::int64_t{3}}, {"share", 3.0}, {"region", std::string("eu")}, {"vip", true}};
    instance.headers = {{"traceparent", "00-1"}};
    instance.created_at = from_unix_ms(1'700'000'000'000);
    instance.ended_at = from_unix_ms(1'700'000'009'000);
    instance.input = detail::join_payloads({Payload::text("a"), Codec<int>::encode(7), Payload()});
    instance.outcome = Outcome{.status = Status::completed, .output = Payload::text("paid")};
    instance.custom_status = Payload(PayloadCodec::json, "{\"at\": 1}");
    instance.custom_status_version = 3;
    instance.key_values = {{"color", Payload::text("red")}};
    instance.children = {"order-7/a"};

    model::Generator random(1);
    const model::TurnStarted turn{from_unix_ms(1'700'000'000'001), false};
    const model::ExecutionStarted started{"Order", "2", Payload::text("in")};
    DocumentExecution first{1,
                            Status::continued_as_new,
                            from_unix_ms(1'700'000'000'000),
                            from_unix_ms(1'700'000'005'000),
                            {{turn, started}, {turn}}};
    for (std::size_t kind = 2; kind < 12; ++kind) first.turns[1].push_back(random.event(kind));
    first.turns[1].push_back(model::ExecutionContinued{Payload::text("next")});
    DocumentExecution second{2,
                             Status::completed,
                             from_unix_ms(1'700'000'005'000),
                             instance.ended_at,
                             {{turn, started, model::ExecutionEnded{*instance.outcome}}}};
    document.executions = {first, second};
    return document;
}

std::string written(const Document& document, ExportLayout layout = ExportLayout::indented) {
    const Result<std::string> text = write_document(document, layout);
    EXPECT_TRUE(text.ok()) << (text ? "" : text.error().describe());
    return text ? *text : std::string();
}

/// The error of a document with the first `from` replaced.
Error damaged(std::string text, const std::string& from, const std::string& to) {
    const std::size_t at = text.find(from);
    EXPECT_NE(at, std::string::npos) << from;
    if (at != std::string::npos) text.replace(at, from.size(), to);
    const Result<Document> read = read_document(text, Limits());
    EXPECT_FALSE(read.ok()) << "nobody minds " << to << " in the place of " << from;
    return read ? Error(Errc::closed, "none") : read.error();
}

TEST(Document, IsReadAgainAsItWasWritten) {
    const Document document = some_document();
    for (const ExportLayout layout : {ExportLayout::indented, ExportLayout::one_line}) {
        const std::string text = written(document, layout);
        const Result<Document> read = read_document(text, Limits());
        ASSERT_TRUE(read.ok()) << read.error().describe();
        EXPECT_EQ(*read, document);
        EXPECT_EQ(written(*read, layout), text);
    }
    const std::string line = written(document, ExportLayout::one_line);
    EXPECT_EQ(line.find('\n'), line.size() - 1);
}

TEST(Document, CanBeReadByPeople) {
    const std::string text = written(some_document());
    EXPECT_THAT(text, StartsWith("{\n  \"format\": \"belay-instance\",\n  \"version\": 1,\n"));
    EXPECT_THAT(text, HasSubstr("\n    \"id\": \"order-7\",\n"));
    EXPECT_THAT(text, HasSubstr("\n    \"created_at\": \"2023-11-14T22:13:20.000Z\",\n"));
    EXPECT_THAT(text, HasSubstr("\n      \"share\": {\n        \"real\": \"3\"\n      }"));
    EXPECT_THAT(text,
                HasSubstr(R"({"event":2,"type":"ExecutionStarted","definition":"Order",)"
                          R"("version":"2","input":{"codec":"text","text":"in"}},)"
                          "\n"));
    EXPECT_THAT(text, HasSubstr("\"text\": \"{\\\"at\\\": 1}\""));
}

TEST(Document, EveryEventIsReadAgain) {
    // Of any bytes and any times: nothing of a history is lost.
    for (std::uint64_t seed = 0; seed < 300; ++seed) {
        model::Generator random(seed);
        Document document = some_document();
        std::vector<model::Event>& turn = document.executions[0].turns[1];
        for (std::size_t kind = 0; kind < 12; ++kind) {
            turn.insert(turn.begin() + 1, random.event(kind));
        }
        document.instance.input = random.payload();
        document.instance.started_at = random.time();
        const std::string text = written(document);
        const Result<Document> read = read_document(text, Limits());
        ASSERT_TRUE(read.ok()) << seed << ": " << read.error().describe();
        EXPECT_EQ(*read, document) << seed;
        EXPECT_EQ(written(*read), text) << seed;
    }
}

TEST(Document, OneThatHasNotEnded) {
    Document document = some_document();
    document.instance.status = Status::running;
    document.instance.outcome.reset();
    document.instance.ended_at.reset();
    document.executions[1].status = Status::running;
    document.executions[1].ended_at.reset();
    document.executions[1].turns[0].pop_back();
    const Result<Document> read = read_document(written(document), Limits());
    ASSERT_TRUE(read.ok()) << read.error().describe();
    EXPECT_EQ(*read, document);
    document.executions[1].turns.clear();
    EXPECT_TRUE(read_document(written(document), Limits()).ok()) << "between two executions";
}

TEST(Document, NamesThatAreNoTextCannotBeWritten) {
    Document document = some_document();
    document.instance.labels["\xff"] = true;
    const Result<std::string> text = write_document(document, ExportLayout::indented);
    ASSERT_FALSE(text.ok());
    EXPECT_EQ(text.error().code(), Errc::unsupported);
    EXPECT_THAT(text.error().message(), HasSubstr("the name of a label, '\\xff'"));
}

TEST(Document, DamageIsToldWithItsPlace) {
    const std::string text = written(some_document());
    const auto message = [&](const std::string& from, const std::string& to) {
        const Error error = damaged(text, from, to);
        EXPECT_EQ(error.code(), Errc::invalid_argument) << error.describe();
        return error.message();
    };
    EXPECT_THAT(message("\"id\": ", "\"id\" "), HasSubstr("line 6, column"));
    EXPECT_EQ(message("belay-instance", "other"),
              "'format' is 'other': this is no exported instance");
    EXPECT_EQ(message("\"instance\"", "\"instanze\""), "the document has no 'instance'");
    EXPECT_EQ(message("\"owner\": \"shop\",", ""), "'instance' has no 'owner'");
    EXPECT_EQ(message("\"owner\": \"shop\"", "\"owner\": \"shop\", \"more\": 1"),
              "'instance.more' is not known here");
    EXPECT_EQ(message("\"owner\": \"shop\"", "\"owner\": 7"),
              "'instance.owner' is a number and should be a string");
    EXPECT_EQ(message("\"status\": \"completed\"", "\"status\": \"done\""),
              "'instance.status' is 'done', which is not known here");
    EXPECT_THAT(message("2023-11-14T22:13:20.000Z", "yesterday"),
                StartsWith("'instance.created_at' is 'yesterday', no time like"));
    EXPECT_EQ(message("\"tier\": 3", "\"tier\": 3.5"),
              "'instance.labels.tier' is '3.5', which is no number of this kind");
    EXPECT_EQ(message("\"real\": \"3\"", "\"real\": \"x\""),
              "'instance.labels.share.real' is 'x', which is no number of this kind");
    EXPECT_EQ(message("\"codec\": \"arguments\"", "\"codec\": \"zip\""),
              "'instance.input.codec' is 'zip', which is no codec known here");
    EXPECT_EQ(message("\"codec\":\"text\",\"text\":\"in\"", "\"codec\":\"text\""),
              "'executions[0].turns[0][1].input' has one of 'text', 'base64' and 'parts'");
    EXPECT_EQ(message("\"codec\":\"text\",\"text\":\"in\"",
                      "\"codec\":\"text\",\"text\":\"in\",\"base64\":\"\""),
              "'executions[0].turns[0][1].input' has one of 'text', 'base64' and 'parts'");
    EXPECT_EQ(message("\"codec\":\"text\",\"text\":\"in\"", "\"codec\":\"text\",\"base64\":\"a\""),
              "'executions[0].turns[0][1].input.base64' is not base64");
    EXPECT_EQ(
        message("\"type\":\"CommandCanceled\",\"command\":", "\"type\":\"Oops\",\"command\":"),
        "'executions[0].turns[1][9].type' is 'Oops', no event");
    EXPECT_EQ(message("\"event\":2,", "\"event\":3,"),
              "'executions[0].turns[0][1].event' is 3 and should be 2");
    EXPECT_EQ(message("\"events\": 14", "\"events\": 13"),
              "'executions[0].events' is 13; there are 14");
    EXPECT_EQ(message("\"event\":1,", "\"event\":-1,"),
              "'executions[0].turns[0][0].event' is '-1', which is no number of this kind");
}

TEST(Document, ContradictionsAreToldWithTheirPlace) {
    const auto problem = [](void (*change)(Document&)) {
        Document document = some_document();
        change(document);
        const Result<Document> read = read_document(written(document), Limits());
        return read ? std::string("none") : read.error().message();
    };
    EXPECT_THAT(problem([](Document& d) { d.instance.outcome.reset(); }),
                StartsWith("'instance.outcome' is missing"));
    EXPECT_THAT(problem([](Document& d) { d.instance.ended_at.reset(); }),
                StartsWith("'instance.ended_at' is missing"));
    EXPECT_THAT(problem([](Document& d) { d.instance.status = Status::failed; }),
                StartsWith("'instance.outcome.status' is not"));
    EXPECT_THAT(problem([](Document& d) { d.instance.status = Status::continued_as_new; }),
                StartsWith("'instance.status' is that of an execution"));
    EXPECT_THAT(problem([](Document& d) { d.instance.custom_status_version = 0; }),
                StartsWith("'instance.custom_status_version'"));
    EXPECT_THAT(problem([](Document& d) { d.executions.clear(); }),
                StartsWith("'executions' is empty"));
    EXPECT_THAT(problem([](Document& d) { d.executions[1].execution = 1; }),
                StartsWith("'executions[1].execution' is 1; executions ascend"));
    EXPECT_THAT(problem([](Document& d) { d.executions[0].status = Status::completed; }),
                StartsWith("'executions[0].status' is not continued_as_new"));
    EXPECT_THAT(problem([](Document& d) { d.executions[1].status = Status::failed; }),
                StartsWith("'executions[1].status' is not that of the instance"));
    EXPECT_THAT(problem([](Document& d) { d.executions[0].ended_at.reset(); }),
                StartsWith("'executions[0].ended_at' is missing"));
    EXPECT_THAT(problem([](Document& d) { d.executions[1].ended_at.reset(); }),
                StartsWith("'executions[1].ended_at' is not when"));
    EXPECT_THAT(problem([](Document& d) { d.executions[0].turns.clear(); }),
                StartsWith("'executions[0].turns' has no event"));
    EXPECT_THAT(problem([](Document& d) { d.executions[0].turns[0].clear(); }),
                StartsWith("'executions[0].turns[0]' is a turn without events"));
    EXPECT_THAT(problem([](Document& d) {
                    d.executions[1].turns[0].erase(d.executions[1].turns[0].begin());
                }),
                StartsWith("'executions[1].turns[0][0]' is not TurnStarted"));
    EXPECT_THAT(problem([](Document& d) { d.executions[0].turns[0].pop_back(); }),
                StartsWith("'executions[0].turns[0][1]' is not ExecutionStarted"));
    EXPECT_THAT(problem([](Document& d) { d.instance.definition = "Other"; }),
                StartsWith("'executions[0].turns[0][1].definition' is not"));
    EXPECT_THAT(problem([](Document& d) { d.executions[0].turns[1].pop_back(); }),
                StartsWith("'executions[0].turns[1][10]' is the last event"));
    EXPECT_THAT(
        problem([](Document& d) { d.executions[1].turns.push_back(d.executions[1].turns[0]); }),
        StartsWith("'executions[1].turns[0][2]' ends its execution"));
    EXPECT_THAT(problem([](Document& d) {
                    d.executions[1].turns[0][2] = model::ExecutionContinued{Payload()};
                }),
                StartsWith("'executions[1].turns[0][2]' continues"));
    EXPECT_THAT(problem([](Document& d) {
                    d.executions[0].turns[1].back() = model::ExecutionEnded{Outcome()};
                }),
                StartsWith("'executions[0].turns[1][11]' ends the instance; an execution"));
    EXPECT_THAT(problem([](Document& d) {
                    Outcome failed;
                    failed.status = Status::failed;
                    d.executions[1].turns[0][2] = model::ExecutionEnded{failed};
                }),
                StartsWith("'executions[1].turns[0][2]' ends the instance in another way"));
    EXPECT_THAT(
        problem([](Document& d) { d.executions[0].turns[1][1] = model::CommandCanceled{0}; }),
        StartsWith("'executions[0].turns[1][1].command' is 0"));
}

TEST(Document, LaterFormatsAndLimits) {
    const std::string text = written(some_document());
    const Error later = damaged(text, "\"version\": 1", "\"version\": 2");
    EXPECT_EQ(later.code(), Errc::unsupported);
    EXPECT_EQ(later.message(), "'version' is 2; this release reads 1");
    Limits limits;
    limits.history_events = 13;
    Result<Document> read = read_document(text, limits);
    ASSERT_FALSE(read.ok());
    EXPECT_EQ(read.error().code(), Errc::limit_exceeded);
    EXPECT_THAT(read.error().message(), StartsWith("'executions[0].turns' has 14 events"));
    limits = Limits();
    limits.payload_bytes = 8;
    read = read_document(text, limits);
    ASSERT_FALSE(read.ok());
    EXPECT_EQ(read.error().code(), Errc::limit_exceeded);
    EXPECT_THAT(read.error().message(), StartsWith("'instance.input' has"));
}

TEST(Document, WhateverIsCutOffIsNoDocument) {
    const std::string text = written(some_document(), ExportLayout::one_line);
    for (std::size_t size = 0; size + 2 < text.size(); ++size) {
        EXPECT_FALSE(read_document(text.substr(0, size), Limits()).ok()) << size;
    }
}

}  // namespace
}  // namespace belay::client
