// The stored form of history.
#include "model/event.hpp"

#include "unit/model/generator.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>

namespace belay::model {
namespace {

using ::testing::HasSubstr;

TEST(Events, TheGeneratorMakesEveryKind) {
    Generator generator(1);
    for (std::size_t kind = 0; kind < std::variant_size_v<Event>; ++kind) {
        EXPECT_EQ(generator.event(kind).index(), kind);
    }
}

TEST(Events, EveryKindSurvivesStorage) {
    for (std::uint64_t seed = 0; seed < 200; ++seed) {
        Generator generator(seed);
        for (std::size_t kind = 0; kind < std::variant_size_v<Event>; ++kind) {
            const std::vector<Event> events = {generator.event(kind)};
            const auto read = decode_events(encode_events(events));
            ASSERT_TRUE(read.ok()) << "seed " << seed << ": " << read.error().describe();
            ASSERT_EQ(*read, events) << "seed " << seed << ": " << describe(events[0]);
        }
    }
}

TEST(Events, ManyInARowSurviveStorage) {
    Generator generator(7);
    std::vector<Event> events;
    for (int i = 0; i < 500; ++i) events.push_back(generator.event());
    const HistoryRow row = encode_events(events);
    EXPECT_EQ(row.count, 500U);
    EXPECT_EQ(row.format, kHistoryFormat);
    const auto read = decode_events(row);
    ASSERT_TRUE(read.ok());
    EXPECT_EQ(*read, events);
}

TEST(Events, NoneIsARowToo) {
    const auto read = decode_events(encode_events({}));
    ASSERT_TRUE(read.ok());
    EXPECT_TRUE(read->empty());
}

TEST(Events, CutOffAtAnyByteIsAnError) {
    for (std::size_t kind = 0; kind < std::variant_size_v<Event>; ++kind) {
        Generator generator(kind);
        const HistoryRow row = encode_events({generator.event(kind), generator.event(kind)});
        for (std::size_t size = 0; size < row.bytes.size(); ++size) {
            HistoryRow cut = row;
            cut.bytes.resize(size);
            const auto read = decode_events(cut);
            ASSERT_FALSE(read.ok()) << "kind " << kind << " at " << size;
            ASSERT_EQ(read.error().code(), Errc::corrupt);
        }
    }
}

TEST(Events, BytesTooManyAreAnError) {
    HistoryRow row = encode_events({CommandCanceled{1}});
    row.bytes += encode_events({CommandCanceled{2}}).bytes;
    const auto read = decode_events(row);
    ASSERT_FALSE(read.ok());
    EXPECT_EQ(read.error().code(), Errc::corrupt);
    EXPECT_THAT(read.error().message(), HasSubstr("a history row of 1 events"));
}

TEST(Events, AnyDamageIsAnErrorOrAnotherHistoryAndNeverACrash) {
    for (std::uint64_t seed = 0; seed < 3'000; ++seed) {
        Generator generator(seed);
        HistoryRow row = encode_events({generator.event(), generator.event()});
        for (std::uint64_t hits = 1 + generator.below(3); hits > 0; --hits) {
            row.bytes[generator.below(row.bytes.size())] = static_cast<char>(generator.below(256));
        }
        const auto read = decode_events(row);
        if (!read) {
            EXPECT_TRUE(read.error().code() == Errc::corrupt ||
                        read.error().code() == Errc::unsupported);
            continue;
        }
        for (const Event& event : *read) EXPECT_FALSE(describe(event).empty());
        EXPECT_EQ(*decode_events(encode_events(*read)), *read);
    }
}

TEST(Events, NoiseIsAnErrorOrAHistoryAndNeverACrash) {
    for (std::uint64_t seed = 0; seed < 3'000; ++seed) {
        Generator generator(seed);
        HistoryRow row;
        row.bytes = generator.bytes();
        row.count = static_cast<std::uint32_t>(generator.below(4));
        const auto read = decode_events(row);
        if (read) {
            EXPECT_EQ(read->size(), row.count);
        }
    }
}

void expect_error(const std::string& bytes, Errc code, const std::string& part) {
    HistoryRow row;
    row.count = 1;
    row.bytes = bytes;
    const auto read = decode_events(row);
    ASSERT_FALSE(read.ok());
    EXPECT_EQ(read.error().code(), code);
    EXPECT_THAT(read.error().message(), HasSubstr(part));
}

TEST(Events, AKindThatIsNotKnownIsUnsupported) {
    expect_error("\x2e", Errc::unsupported, "event kind 46 is not known here");
    expect_error("\x7f", Errc::unsupported, "event kind 127");
    expect_error("\x80\x80\x04", Errc::unsupported, "event kind 65536");
}

TEST(Events, AFormatThatIsNotKnownIsUnsupported) {
    HistoryRow row = encode_events({CommandCanceled{1}});
    row.format = 7;
    const auto read = decode_events(row);
    ASSERT_FALSE(read.ok());
    EXPECT_EQ(read.error().code(), Errc::unsupported);
    EXPECT_THAT(read.error().message(), HasSubstr("history format 7"));
}

TEST(Events, ValuesOutOfRangeAreCorrupt) {
    expect_error(std::string("\x0a\x00", 2), Errc::corrupt, "beyond event");        // Command 0.
    expect_error("\x0a\x80\x80\x80\x80\x10", Errc::corrupt, "beyond event");        // Command 2^32.
    expect_error(std::string("\x09\x01\x06\x00\x00", 5), Errc::corrupt, "beyond");  // Channel 6.
    expect_error(std::string("\x09\x01\x87\x80\x04\x00\x00", 7), Errc::corrupt, "");  // 7 + 2^16.
    expect_error(std::string("\x0c\x03", 2), Errc::corrupt, "beyond");                // Not an end.
    expect_error(std::string("\x0c\x08", 2), Errc::corrupt, "beyond");
    // Flags of a scheduled activity that are not known, and a priority of 2^31.
    expect_error(std::string("\x06\x01\x01\x41\x00\x00\x00\x00\x04", 9), Errc::corrupt, "beyond");
    expect_error(std::string("\x06\x01\x01\x41\x00\x00\x00\x00\x02"
                             "\x00\x80\x80\x80\x80\x10\x00\x01\x00",
                             18),
                 Errc::corrupt,
                 "beyond");
}

TEST(Events, AreWrittenInTheFirstFormatThatCanHoldThem) {
    const auto format = [](const Event& event) {
        return encode_events({TurnStarted(), event}).format;
    };
    EXPECT_EQ(format(ActivityScheduled{1, "A", "q", Payload(), true}), 1);
    EXPECT_EQ(format(ChildScheduled{1, "D", "i", Payload(), true}), 1);
    EXPECT_EQ(format(CommandFailed{1, Failure{.message = "m", .detail = "d"}}), 1);
    EXPECT_EQ(format(ExecutionContinued()), 1);
    EXPECT_EQ(format(ExecutionEnded()), 1);

    ActivityScheduled activity{1, "A", "", Payload(), false};
    activity.terms.priority = 1;
    EXPECT_EQ(format(activity), 2);
    ChildScheduled child{1, "D", "i", Payload(), false};
    child.terms.version = "2";
    EXPECT_EQ(format(child), 2);
    EXPECT_EQ(format(CommandFailed{1, Failure{.message = "m", .type = "T"}}), 2);
    EXPECT_EQ(format(CommandFailed{1, Failure{.message = "m", .retryable = false}}), 2);
    Outcome failed;
    failed.status = Status::failed;
    failed.failure.type = "T";
    EXPECT_EQ(format(ExecutionEnded{failed}), 2);
    EXPECT_EQ(format(RandomSeeded{1, 2}), 2);
    ChildScheduled interpreted{1, "D", "i", Payload(), true};
    interpreted.with_document = true;
    EXPECT_EQ(format(interpreted), 3);
    ChildScheduled guarded{1, "D", "i", Payload(), true};
    guarded.on_fail = true;
    EXPECT_EQ(format(guarded), 3);
    ChildScheduled part{1, "D", "i", Payload(), true};
    part.part = true;
    EXPECT_EQ(format(part), 3);
    Outcome skipped;
    skipped.status = Status::skipped;
    EXPECT_EQ(format(ExecutionEnded{skipped}), 1);
    skipped.skip_reason = "nothing to do";
    EXPECT_EQ(format(ExecutionEnded{skipped}), 3);
}

// The stored form: these bytes must be readable by every later version.
TEST(Events, HaveTheirStoredFormForEver) {
    const auto bytes = [](const Event& event) { return encode_events({event}).bytes; };
    using namespace std::string_literals;
    EXPECT_EQ(bytes(ExecutionStarted{"D", "1", Payload::text("in")}), "\0\1D\0011\2\0\2in"s);
    EXPECT_EQ(bytes(TurnStarted{from_unix_ms(5), true}), "\1\n\1"s);
    EXPECT_EQ(bytes(CommandCompleted{3, Payload()}), "\2\3\0\0\0"s);
    EXPECT_EQ(bytes(CommandFailed{1, Failure{.message = "m", .where = "w", .attempt = 2}}),
              "\3\1\1\1m\1w\2\0"s);
    EXPECT_EQ(bytes(MessageReceived{MessageKind::queue_message, "q", Payload()}),
              "\4\10\1q\0\0\0"s);
    EXPECT_EQ(bytes(CancelRequested{CancelRecord{
                  .by = "b", .reason = "r", .requested_at = from_unix_ms(-1), .sequence = 9}}),
              "\5\1\1b\1r\1\t"s);
    EXPECT_EQ(bytes(ActivityScheduled{1, "A", "q", Payload(), true}), "\6\1\1A\1q\0\0\0\1"s);
    EXPECT_EQ(bytes(TimerScheduled{2, from_unix_ms(1), false}), "\7\2\2\0"s);
    EXPECT_EQ(bytes(ChildScheduled{1, "D", "i/1", Payload(), false}), "\10\1\1D\3i/1\0\0\0\0"s);
    EXPECT_EQ(bytes(WaitScheduled{1, MessageKind::event_raised, "e", false}), "\t\1\7\1e\0"s);
    EXPECT_EQ(bytes(CommandCanceled{200}), "\n\xc8\1"s);
    EXPECT_EQ(bytes(CustomStatusSet{Payload::text("s")}), "\13\2\0\1s"s);
    EXPECT_EQ(bytes(ExecutionEnded{Outcome()}), "\14\4\0\0\0"s);
    EXPECT_EQ(bytes(ExecutionContinued{Payload()}), "\15\0\0\0"s);

    // Since format 2.
    ActivityScheduled activity{1, "A", "", Payload(), true};
    activity.terms.priority = -1;
    activity.terms.fairness_key = "k";
    activity.terms.schedule_to_start = from_unix_ms(3);
    activity.terms.start_to_close = Millis(4);
    activity.terms.attempt = 2;
    activity.terms.first = 9;
    EXPECT_EQ(bytes(activity), "\6\1\1A\0\0\0\0\3\3\1\1k\6\10\2\t"s);
    ChildScheduled child{1, "D", "i/1", Payload(), false};
    child.terms.version = "2";
    child.terms.labels = {{"a", std::string("x")}, {"b", std::int64_t{-1}}, {"c", true}};
    child.terms.parent_close = ParentClose::abandon;
    EXPECT_EQ(bytes(child), "\10\1\1D\3i/1\0\0\0\2\0012\3\1a\0\1x\1b\1\1\1c\3\1\2\1"s);
    EXPECT_EQ(bytes(CommandFailed{1, Failure{.message = "m", .type = "T", .retryable = false}}),
              "\3\1\x41\1m\0\0\0\1T\0"s);
    EXPECT_EQ(bytes(RandomSeeded{1, 2}), "\16\1\2"s);
    EXPECT_EQ(bytes(MessageTaken{MessageKind::queue_message, "q"}), "\17\10\1q"s);
    EXPECT_EQ(bytes(KeyValueSet{"k", Payload::text("v")}), "\20\1k\2\0\1v"s);
    EXPECT_EQ(bytes(KeyValueCleared{"k"}), "\21\1k"s);
    EXPECT_EQ(bytes(KeyValuesCleared()), "\22"s);
    EXPECT_EQ(bytes(PatchMarked{"p"}), "\23\1p"s);
    EXPECT_EQ(bytes(NextVersionChosen{"2"}), "\24\0012"s);
    EXPECT_EQ(bytes(DetachedStarted{"D", "i", Payload(), "2", {{"a", true}}}),
              "\25\1D\1i\0\0\0\0012\1\1a\3\1"s);
    EXPECT_EQ(bytes(PatchRetired{"p"}), "\26\1p"s);

    // Since format 3.
    EXPECT_EQ(bytes(ChildScheduled{1, "D", "i/1", Payload(), false, {}, true}),
              "\x48\1\1D\3i/1\0\0\0\0"s);
    EXPECT_EQ(bytes(DetachedStarted{"D", "i", Payload(), "2", {}, true}),
              "\x55\1D\1i\0\0\0\0012\0"s);
    EXPECT_EQ(bytes(ChildScheduled{1, "D", "i/1", Payload(), false, {}, true, true}),
              "\xC8\2\1\1D\3i/1\0\0\0\0"s);
    EXPECT_EQ(bytes(ChildScheduled{1, "D", "i/1", Payload(), false, {}, true, false, true}),
              "\xC8\1\1\1D\3i/1\0\0\0\0"s);
    EXPECT_EQ(bytes(DetachedStarted{"D", "i", Payload(), "2", {}, false, true}),
              "\x95\2\1D\1i\0\0\0\0012\0"s);
    Outcome skipped;
    skipped.status = Status::skipped;
    EXPECT_EQ(bytes(ExecutionEnded{skipped}), "\14\7"s);
    skipped.skip_reason = "no";
    EXPECT_EQ(bytes(ExecutionEnded{skipped}), "\14\x47\2no"s);
}

TEST(Events, AreInputsOrDecisions) {
    Generator generator(3);
    const std::set<std::size_t> inputs = {0, 1, 2, 3, 4, 5};
    for (std::size_t kind = 0; kind < std::variant_size_v<Event>; ++kind) {
        EXPECT_EQ(is_input(generator.event(kind)), inputs.contains(kind)) << kind;
    }
}

}  // namespace
}  // namespace belay::model
