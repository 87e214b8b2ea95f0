// Events and payloads as people read them.
#include "base/utf8.hpp"
#include "model/event.hpp"
#include "unit/model/generator.hpp"
#include <belay/codec.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace belay::model {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

TEST(Describe, PayloadsThatPeopleCanRead) {
    EXPECT_EQ(describe(Payload()), "()");
    EXPECT_EQ(describe(Payload::text("text")), "\"text\"");
    EXPECT_EQ(describe(Codec<int>::encode(-7)), "-7");
    EXPECT_EQ(describe(Codec<bool>::encode(true)), "true");
    EXPECT_EQ(describe(Codec<double>::encode(1.0)), "real 1");
}

TEST(Describe, SeveralArguments) {
    EXPECT_EQ(describe(detail::encode_arguments(1, std::string("x"), true)), "(1, \"x\", true)");
}

TEST(Describe, JsonIsShownOnOneLine) {
    const auto described = [](const char* bytes) {
        return describe(Payload(PayloadCodec::json, bytes));
    };
    EXPECT_EQ(described(R"({"city": "Ulm", "say": "a\"b\n"})"),
              R"({"city": "Ulm", "say": "a\"b\n"})");
    EXPECT_EQ(described("[1,\n\t2]"), "[1,  2]");
    EXPECT_EQ(described("\"\x7f\xc2\x9b\""), R"("\u007f\u009b")");
    EXPECT_THAT(described("{no json"), HasSubstr("[codec 7, 8 bytes"));
    EXPECT_EQ(describe(detail::join_payloads({Payload(PayloadCodec::json, "{}"), Payload()})),
              "({}, ())");
}

TEST(Describe, LongJsonIsCutAndStillTellsDifferences) {
    const auto described = [](const std::string& end) {
        std::string bytes = "\"";
        for (int i = 0; i < 500; ++i) bytes += "\u00fc";
        return describe(Payload(PayloadCodec::json, bytes + end + "\""));
    };
    EXPECT_LT(described("a").size(), 450U);
    EXPECT_NE(described("a"), described("b"));
    EXPECT_THAT(described("a"), HasSubstr("\u00fc... (1003 bytes, hash"));
}

TEST(Describe, BytesAreNotShown) {
    const Payload secret(PayloadCodec::bytes, "secret");
    EXPECT_THAT(describe(secret), Not(HasSubstr("secret")));
    EXPECT_THAT(describe(secret), HasSubstr("6 bytes"));
    EXPECT_NE(describe(secret), describe(Payload(PayloadCodec::bytes, "Secret")));
}

TEST(Describe, FlaggedPayloadsAreNotShown) {
    Payload encrypted = Payload::text("cipher");
    encrypted.flags = 1;
    EXPECT_THAT(describe(encrypted), Not(HasSubstr("cipher")));
    EXPECT_NE(describe(encrypted), describe(Payload::text("cipher")));
}

TEST(Describe, LongTextIsCutAndStillTellsDifferences) {
    const std::string a = describe(Payload::text(std::string(1'000, 'x') + "a"));
    const std::string b = describe(Payload::text(std::string(1'000, 'x') + "b"));
    EXPECT_LT(a.size(), 150U);
    EXPECT_NE(a, b);
    EXPECT_THAT(a, HasSubstr("1001 bytes"));
}

TEST(Describe, ArgumentsThatCannotBeReadAreNotShown) {
    EXPECT_THAT(describe(Payload(PayloadCodec::arguments, "\x05")), HasSubstr("[codec 6, 1 bytes"));
    EXPECT_THAT(describe(Payload(PayloadCodec::arguments, "")), HasSubstr("[codec 6, 0 bytes"));
}

TEST(Describe, ContainersWithinContainers) {
    const std::vector<std::pair<std::string, std::vector<int>>> nested{{"a", {1, 2}}, {"b", {}}};
    EXPECT_EQ(describe(detail::encode_arguments(nested)), "((\"a\", (1, 2)), (\"b\", ()))");
}

TEST(Describe, TheFirstOfManyElementsAreShownAndTheRestToldApart) {
    std::vector<int> many(10'000, 7);
    const std::string a = describe(detail::encode_arguments(many));
    many.back() = 8;
    const std::string b = describe(detail::encode_arguments(many));
    EXPECT_LT(a.size(), 150U);
    EXPECT_NE(a, b);
    EXPECT_THAT(a, HasSubstr("7, 7, and 9984 more ("));
}

TEST(Describe, DeepValuesAreNotFollowed) {
    Payload nested = detail::encode_arguments(1, 2);
    for (int i = 0; i < 50; ++i) nested = detail::encode_arguments(nested, nested.bytes.size());
    EXPECT_THAT(describe(nested), HasSubstr("[codec 6"));
}

TEST(Describe, Events) {
    EXPECT_EQ(
        describe(Event(ActivityScheduled{3, "Charge", "", detail::encode_arguments(7, 8), false})),
        "ActivityScheduled #3 Charge (7, 8)");
    EXPECT_EQ(describe(Event(ActivityScheduled{3, "Charge", "gpu", Payload(), true})),
              "ActivityScheduled #3 Charge () on queue gpu (shielded)");
    EXPECT_EQ(describe(Event(TimerScheduled{4, from_unix_ms(5), false})),
              "TimerScheduled #4 due 1970-01-01T00:00:00.005Z");
    EXPECT_EQ(describe(Event(ChildScheduled{5, "Ship", "o/5", Payload::text("x"), false})),
              "ChildScheduled #5 Ship as o/5 \"x\"");
    EXPECT_EQ(describe(Event(DetachedStarted{"D", "i", Payload(), "", {}, true, true})),
              "DetachedStarted D as i (), with the document, with a run for its failure");
    EXPECT_EQ(describe(Event(WaitScheduled{6, MessageKind::queue_message, "jobs", false})),
              "WaitScheduled #6 queue jobs");
    EXPECT_EQ(describe(Event(CommandCanceled{7})), "CommandCanceled #7");
    EXPECT_EQ(describe(Event(CustomStatusSet{Payload::text("x")})), "CustomStatusSet \"x\"");
    EXPECT_EQ(describe(Event(ExecutionContinued{Payload()})), "ExecutionContinued ()");
    EXPECT_EQ(describe(Event(ExecutionStarted{"D", "2", Payload()})), "ExecutionStarted D 2 ()");
    EXPECT_EQ(describe(Event(TurnStarted{from_unix_ms(9)})),
              "TurnStarted 1970-01-01T00:00:00.009Z");
    EXPECT_EQ(describe(Event(CommandCompleted{1, Payload::text("x")})),
              "CommandCompleted #1 \"x\"");
    EXPECT_EQ(describe(Event(MessageReceived{MessageKind::event_raised, "go", Payload()})),
              "MessageReceived event go ()");
    EXPECT_EQ(
        describe(Event(CommandFailed{1, Failure{.message = "m", .where = "w", .attempt = 2}})),
        "CommandFailed #1 (application) m, in w, attempt 2");
    EXPECT_EQ(describe(Event(CancelRequested{CancelRecord{.by = "me", .reason = "why"}})),
              "CancelRequested by user me: why");
}

TEST(Describe, OutcomesThatDifferLookDifferent) {
    Outcome done;
    done.status = Status::canceled;
    done.cancel.reason = "stop";
    done.cleanup = Cleanup::done;
    EXPECT_EQ(describe(Event(ExecutionEnded{done})),
              "ExecutionEnded canceled by user : stop, cleanup done");
    Outcome failed = done;
    failed.cleanup = Cleanup::failed;
    failed.cleanup_detail = "Undo: broken";
    EXPECT_EQ(describe(Event(ExecutionEnded{failed})),
              "ExecutionEnded canceled by user : stop, cleanup failed [Undo: broken]");
    Outcome skipped;
    skipped.status = Status::skipped;
    EXPECT_EQ(describe(Event(ExecutionEnded{skipped})), "ExecutionEnded skipped");
}

TEST(Describe, NeverPrintsRawBytes) {
    for (std::uint64_t seed = 0; seed < 500; ++seed) {
        Generator generator(seed);
        for (std::size_t kind = 0; kind < std::variant_size_v<Event>; ++kind) {
            const std::string line = describe(generator.event(kind));
            for (std::size_t at = 0; at < line.size();) {
                const std::size_t length = base::utf8_sequence(std::string_view(line).substr(at));
                ASSERT_NE(length, 0U) << "seed " << seed << ", kind " << kind;
                ASSERT_FALSE(base::is_control(std::string_view(line).substr(at, length)))
                    << "seed " << seed << ", kind " << kind;
                at += length;
            }
        }
    }
}

TEST(Describe, DamagedNumbersAreShownEscaped) {
    EXPECT_EQ(describe(Payload(PayloadCodec::integer, "1\n2")), "1\\n2");
    EXPECT_EQ(describe(Payload(PayloadCodec::boolean, "\xff")), "\\xff");
}

}  // namespace
}  // namespace belay::model
