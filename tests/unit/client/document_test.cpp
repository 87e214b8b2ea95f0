// Documents: whatever is written is read again, and what is damaged is told with its place.
#include "document/document.hpp"

#include "unit/model/generator.hpp"
#include <belay/codec.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>

namespace belay::document {
namespace {

using ::testing::HasSubstr;
using ::testing::StartsWith;

/// Names of labels are text; what they say may be anything.
Labels with_names(const Labels& labels) {
    Labels named;
    for (const auto& [name, value] : labels) named["label" + std::to_string(named.size())] = value;
    return named;
}

/// Events of every kind that can stand in a turn, in an order that can be. Commands are numbered
/// from `first` on.
void add_events(std::vector<model::Event>& turn, model::Generator& random, CommandNo first) {
    const auto scheduled = [&](auto event, CommandNo number) {
        event.command = number;
        turn.emplace_back(std::move(event));
    };
    scheduled(std::get<model::ActivityScheduled>(random.event(6)), first);
    scheduled(std::get<model::TimerScheduled>(random.event(7)), first + 1);
    auto child = std::get<model::ChildScheduled>(random.event(8));
    child.terms.labels = with_names(child.terms.labels);
    scheduled(std::move(child), first + 2);
    scheduled(std::get<model::WaitScheduled>(random.event(9)), first + 3);
    scheduled(std::get<model::CommandCompleted>(random.event(2)), first);
    scheduled(std::get<model::CommandFailed>(random.event(3)), first + 2);
    turn.push_back(random.event(4));
    turn.push_back(random.event(5));
    scheduled(model::CommandCanceled(), first + 3);
    turn.push_back(random.event(11));
    for (std::size_t kind = 14; kind < std::variant_size_v<model::Event>; ++kind) {
        turn.push_back(random.event(kind));
        auto* const detached = std::get_if<model::DetachedStarted>(&turn.back());
        if (detached != nullptr) detached->labels = with_names(detached->labels);
    }
}

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
    instance.started_at = from_unix_ms(1'700'000'000'001);
    instance.ended_at = from_unix_ms(1'700'000'009'000);
    const Payload inner = detail::join_payloads({detail::join_payloads({})});
    instance.input =
        detail::join_payloads({Payload::text("a"), Codec<int>::encode(7), Payload(), inner});
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
    add_events(first.turns[1], random, 1);
    first.turns[1].push_back(model::ExecutionContinued{Payload::text("next")});
    DocumentExecution second{2,
                             Status::completed,
                             from_unix_ms(1'700'000'005'000),
                             instance.ended_at,
                             {{turn,
                               model::ExecutionStarted{"Order", "2", instance.input},
                               model::ExecutionEnded{*instance.outcome}}}};
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
    return read ? Error(Errc::unsupported, "none") : read.error();
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
                          R"("version":"2","input":{"codec":"text","text":"in"}})"
                          "\n"));
    EXPECT_THAT(text, HasSubstr("\"text\": \"{\\\"at\\\": 1}\""));
}

TEST(Document, EveryEventIsReadAgain) {
    // Any bytes and any times: nothing of a history is lost.
    for (std::uint64_t seed = 0; seed < 50; ++seed) {
        model::Generator random(seed);
        Document document = some_document();
        std::vector<model::Event>& turn = document.executions[0].turns[1];
        turn.pop_back();
        add_events(turn, random, 100);
        turn.emplace_back(model::ExecutionContinued{random.payload()});
        document.instance.input = random.payload();
        std::get<model::ExecutionStarted>(document.executions[1].turns[0][1]).input =
            document.instance.input;
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
    EXPECT_EQ(message("\"events\": 23", "\"events\": 22"),
              "'executions[0].events' is 22; there are 23");
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
                StartsWith("'executions[0].turns[1][19]' is the last event"));
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
                StartsWith("'executions[0].turns[1][20]' ends the instance; an execution"));
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

TEST(Document, TimesThatCannotBeAreTold) {
    const auto problem = [](const std::function<void(Document&)>& change) {
        Document document = some_document();
        change(document);
        const Result<Document> read = read_document(written(document), Limits());
        return read ? std::string("none") : read.error().message();
    };
    for (const Timestamp at : {Timestamp::min(), Timestamp::max(), from_unix_ms(-1)}) {
        const char* const what = "is no time between the years 1970 and 9999";
        EXPECT_EQ(problem([&](Document& d) { d.instance.created_at = at; }),
                  std::string("'instance.created_at' ") + what);
        EXPECT_EQ(problem([&](Document& d) { d.instance.started_at = at; }),
                  std::string("'instance.started_at' ") + what);
        EXPECT_EQ(problem([&](Document& d) {
                      d.instance.ended_at = at;
                      d.executions[1].ended_at = at;
                  }),
                  std::string("'instance.ended_at' ") + what);
        EXPECT_EQ(problem([&](Document& d) { d.executions[0].started_at = at; }),
                  std::string("'executions[0].started_at' ") + what);
        EXPECT_EQ(problem([&](Document& d) { d.executions[0].ended_at = at; }),
                  std::string("'executions[0].ended_at' ") + what);
        EXPECT_EQ(problem([&](Document& d) {
                      d.executions[0].turns[1][0] = model::TurnStarted{at, false};
                  }),
                  std::string("'executions[0].turns[1][0].at' ") + what);
    }
    constexpr Millis kDay(24 * 3'600'000);
    EXPECT_EQ(problem([&](Document& d) { d.instance.created_at += kDay; }), "none")
        << "a clock was set back";
    const Millis more = 2 * kDay;
    EXPECT_EQ(problem([&](Document& d) { d.instance.created_at += more; }),
              "'instance.started_at' is earlier than it was created");
    EXPECT_EQ(problem([&](Document& d) { *d.instance.started_at += more; }),
              "'instance.ended_at' is earlier than it began");
    EXPECT_EQ(problem([&](Document& d) { d.executions[0].started_at -= more; }),
              "'executions[0].started_at' is earlier than the instance was created");
    EXPECT_EQ(problem([&](Document& d) { *d.executions[0].ended_at -= more; }),
              "'executions[0].ended_at' is earlier than it began");
    EXPECT_EQ(problem([&](Document& d) { *d.executions[0].ended_at += more; }),
              "'executions[1].started_at' is earlier than the one before it ended");
    EXPECT_EQ(problem([](Document& d) { d.instance.started_at.reset(); }),
              "'instance.started_at' is missing: it had a turn");
    EXPECT_EQ(problem([](Document& d) { d.instance.cancel_deadline = d.instance.ended_at; }),
              "'instance.cancel_deadline' is there, and no cancel");
}

TEST(Document, HistoriesThatCannotBeAreTold) {
    const auto problem = [](const std::function<void(Document&)>& change) {
        Document document = some_document();
        change(document);
        const Result<Document> read = read_document(written(document), Limits());
        return read ? std::string("none") : read.error().message();
    };
    EXPECT_EQ(problem([](Document& d) {
                  std::get<model::ExecutionEnded>(d.executions[1].turns[0][2]).outcome.output =
                      Payload::text("not paid");
              }),
              "'executions[1].turns[0][2]' ends the instance in another way than it ended");
    EXPECT_EQ(problem([](Document& d) { d.executions[1].turns[0].pop_back(); }),
              "'executions[1].turns' has no ExecutionEnded; only what its code returns is "
              "completed");
    EXPECT_EQ(problem([](Document& d) { d.instance.input = Payload::text("other"); }),
              "'executions[1].turns[0][1].input' is not that of the instance, which is that of its "
              "last execution");
    EXPECT_EQ(problem([](Document& d) { d.instance.version = "3"; }),
              "'executions[1].turns[0][1].version' is not that of the instance, which is that of "
              "its last execution");
    EXPECT_EQ(problem([](Document& d) {
                  d.executions[0].turns[1].erase(d.executions[0].turns[1].begin());
              }),
              "'executions[0].turns[1][0]' is not TurnStarted, with which every turn begins");
    EXPECT_EQ(
        problem([](Document& d) { d.executions[0].turns[1][11] = d.executions[0].turns[1][0]; }),
        "'executions[0].turns[1][11]' is TurnStarted in the middle of a turn");
    EXPECT_EQ(
        problem([](Document& d) { d.executions[0].turns[1][11] = d.executions[0].turns[0][1]; }),
        "'executions[0].turns[1][11]' is ExecutionStarted, which only comes second in an "
        "execution");
    EXPECT_EQ(problem([](Document& d) {
                  d.executions[0].turns[1][11] = model::TimerScheduled{4, Timestamp(), false};
              }),
              "'executions[0].turns[1][11].command' is 4, which is scheduled already");
    EXPECT_EQ(
        problem([](Document& d) { d.executions[0].turns[1][11] = model::CommandCanceled{77}; }),
        "'executions[0].turns[1][11].command' is 77, which is not scheduled before");
}

TEST(Document, TheEndOfACancelIsComparedAsFarAsItsCodeKnew) {
    Document document = some_document();
    DocumentInstance& instance = document.instance;
    instance.status = Status::canceled;
    instance.cancel = CancelRecord{CancelSource::user, "ann", "why not", instance.created_at, 7};
    Outcome outcome;
    outcome.status = Status::canceled;
    outcome.cancel = *instance.cancel;
    outcome.cleanup = Cleanup::done;
    instance.outcome = outcome;
    document.executions[1].status = Status::canceled;
    model::Event& end = document.executions[1].turns[0][2];
    const auto is_read = [&](const Outcome& said) {
        end = model::ExecutionEnded{said};
        return read_document(written(document), Limits()).ok();
    };
    EXPECT_TRUE(is_read(outcome));
    Outcome said = outcome;
    said.cancel.requested_at = Timestamp();
    said.cancel.sequence = 0;
    EXPECT_TRUE(is_read(said));
    said.cancel.by = "bob";
    EXPECT_FALSE(is_read(said));
    said.cancel.source = CancelSource::self;
    EXPECT_TRUE(is_read(said)) << "another cancel came first";
    said.cleanup = Cleanup::failed;
    EXPECT_FALSE(is_read(said));
}

TEST(Document, LimitsAreToldWithTheirPlace) {
    const auto problem = [](const std::function<void(Document&, Limits&)>& change) {
        Document document = some_document();
        Limits limits;
        change(document, limits);
        const Result<Document> read = read_document(written(document), limits);
        EXPECT_TRUE(read || read.error().code() == Errc::limit_exceeded);
        return read ? std::string("none") : read.error().message();
    };
    EXPECT_THAT(problem([](Document&, Limits& l) { l.document_bytes = 10; }),
                StartsWith("the document has"));
    EXPECT_THAT(problem([](Document&, Limits& l) { l.failure_bytes = 3; }),
                StartsWith("'executions[0].turns[1][6].failure."));
    EXPECT_THAT(problem([](Document&, Limits& l) { l.reason_bytes = 0; }),
                StartsWith("'executions[0].turns[1][8].cancel."));
    EXPECT_EQ(problem([](Document&, Limits& l) { l.key_values = 0; }),
              "'instance.key_values' has 1 values; at most 0 are allowed");
    EXPECT_EQ(problem([](Document&, Limits& l) { l.key_value_bytes = 2; }),
              "'instance.key_values.color' has 3 bytes; at most 2 are allowed");
    EXPECT_EQ(problem([](Document&, Limits& l) { l.key_values_bytes = 7; }),
              "'instance.key_values' has 8 bytes; at most 7 are allowed");
    EXPECT_THAT(problem([](Document& d, Limits&) {
                    d.instance.key_values[std::string(300, 'k')] = Payload();
                }),
                HasSubstr("at most 255"));
    EXPECT_EQ(problem([](Document&, Limits& l) { l.custom_status_bytes = 8; }),
              "'instance.custom_status' has 9 bytes; at most 8 are allowed");
    EXPECT_EQ(problem([](Document& d, Limits& l) {
                  l.payload_bytes = 100'000;
                  d.instance.input = Payload(PayloadCodec::continued, std::string(200'000, 'c'));
                  std::get<model::ExecutionStarted>(d.executions[1].turns[0][1]).input =
                      d.instance.input;
              }),
              "none")
        << "what an execution takes along may be more than a payload";
}

TEST(Document, LaterFormatsAndLimits) {
    const std::string text = written(some_document());
    const Error later = damaged(text, "\"version\": 1", "\"version\": 2");
    EXPECT_EQ(later.code(), Errc::unsupported);
    EXPECT_EQ(later.message(), "'version' is 2; this release reads 1");
    Limits limits;
    limits.history_events = 21;
    EXPECT_TRUE(read_document(text, limits).ok())
        << "a run that reached the limit has a few more events, and can be had again";
    limits = Limits();
    limits.payload_bytes = 8;
    const Result<Document> read = read_document(text, limits);
    ASSERT_FALSE(read.ok());
    EXPECT_EQ(read.error().code(), Errc::limit_exceeded);
    EXPECT_THAT(read.error().message(), StartsWith("'instance.input' has"));
}

TEST(Document, ACutTextIsNoDocument) {
    const std::string text = written(some_document(), ExportLayout::one_line);
    for (std::size_t size = 0; size + 2 < text.size(); size += 13) {
        EXPECT_FALSE(read_document(text.substr(0, size), Limits()).ok()) << size;
    }
}

}  // namespace
}  // namespace belay::document
