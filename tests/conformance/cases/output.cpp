// What attempts write for people: kept in order, with bounds, and gone with its run.
#include "conformance/case.hpp"

#include <algorithm>

BELAY_CONFORMANCE_AREA(output)

namespace belay::conformance {
namespace {

/// The size that a text of so many bytes counts.
constexpr std::uint64_t counted(std::uint64_t bytes) { return bytes + OutputBounds::kChunk; }

std::vector<std::string> texts_of(const OutputPage& page) {
    std::vector<std::string> texts;
    for (const KeptChunk& one : page.chunks) texts.push_back(one.text.bytes);
    return texts;
}

using Texts = std::vector<std::string>;

class OutputCase : public Case {
protected:
    /// A part that appends these, after so many that were sent before.
    [[nodiscard]] AppendOutput saying(const ClaimedActivity& item,
                                      const Texts& texts,
                                      std::uint64_t before = 0) {
        AppendOutput part;
        part.activity = item.activity;
        part.token = item.token;
        part.attempt = item.attempt;
        part.source = item.name;
        part.before = before;
        for (const std::string& one : texts) {
            part.chunks.push_back(output_chunk(OutputStream::out, now(), one));
        }
        return part;
    }
    [[nodiscard]] OutputPage output(RunRef run) { return read(ReadOutput{run}); }
    [[nodiscard]] Texts texts(RunRef run) { return texts_of(output(run)); }
};

BELAY_CASE_OF(OutputCase, Output, NothingIsThereBeforeTheFirst) {
    const RunRef run = start_with_activities("a", 1);
    const ClaimedActivity item = claim_activity();
    EXPECT_TRUE(output(run).chunks.empty());
    EXPECT_EQ(output(run).next, 0U);
    apply(saying(item, {}));
    EXPECT_TRUE(output(run).attempts.empty());
    EXPECT_TRUE(output(fresh_run("nobody")).chunks.empty());
}

BELAY_CASE_OF(OutputCase, Output, BothStreamsAreKeptInOrderWithTheirTimes) {
    const RunRef run = start_with_activities("a", 1);
    const ClaimedActivity item = claim_activity();
    AppendOutput part = saying(item, {});
    part.source = "build";
    part.chunks = {output_chunk(OutputStream::out, now() + 1ms, "one\n"),
                   output_chunk(OutputStream::err, now() + 2ms, "two\n"),
                   output_chunk(OutputStream::out, now() + 2ms, std::string("th\0ree", 6))};
    apply(part);
    const OutputPage page = output(run);
    ASSERT_EQ(page.chunks.size(), 3U);
    EXPECT_EQ(texts_of(page), (Texts{"one\n", "two\n", std::string("th\0ree", 6)}));
    EXPECT_EQ(page.chunks[0].stream, OutputStream::out);
    EXPECT_EQ(page.chunks[1].stream, OutputStream::err);
    EXPECT_EQ(page.chunks[0].at, now() + 1ms);
    EXPECT_EQ(page.chunks[1].at, now() + 2ms);
    EXPECT_EQ(page.chunks[0].text.codec, PayloadCodec::bytes);
    ASSERT_EQ(page.attempts.size(), 1U);
    EXPECT_EQ(page.attempts[0].execution, 1U);
    EXPECT_EQ(page.attempts[0].command, 1U);
    EXPECT_EQ(page.attempts[0].first_command, 1U);
    EXPECT_EQ(page.attempts[0].attempt, 1U);
    EXPECT_EQ(page.attempts[0].source, "build");
    EXPECT_EQ(page.attempts[0].left_out_bytes, 0U);
    EXPECT_FALSE(page.more);
}

BELAY_CASE_OF(OutputCase, Output, ItIsReadWhileItGrows) {
    const RunRef run = start_with_activities("a", 2);
    const auto items = claim_activities();
    ASSERT_EQ(items.size(), 2U);
    apply(saying(items[0], {"a1"}));
    apply(saying(items[1], {"b1", "b2"}));
    ReadOutput request{run};
    OutputPage page = read(request);
    EXPECT_EQ(texts_of(page), (Texts{"a1", "b1", "b2"}));
    ASSERT_EQ(page.attempts.size(), 2U);
    EXPECT_EQ(page.chunks[2].attempt, 1U);
    request.after = page.next;
    EXPECT_TRUE(read(request).chunks.empty());
    EXPECT_EQ(read(request).next, page.next);
    apply(saying(items[0], {"a2"}, 1));
    page = read(request);
    EXPECT_EQ(texts_of(page), (Texts{"a2"}));
    ASSERT_EQ(page.attempts.size(), 1U);
    EXPECT_EQ(page.attempts[0].command, 1U);
    EXPECT_GT(page.next, request.after);
}

BELAY_CASE_OF(OutputCase, Output, APageHasABoundAndAtLeastOneChunk) {
    const RunRef run = start_with_activities("a", 1);
    const ClaimedActivity item = claim_activity();
    apply(saying(item, {std::string(100, 'a'), std::string(100, 'b'), std::string(100, 'c')}));
    ReadOutput request{run};
    request.max_bytes = 1;
    OutputPage page = read(request);
    EXPECT_EQ(texts_of(page), (Texts{std::string(100, 'a')}));
    EXPECT_TRUE(page.more);
    request.after = page.next;
    request.max_bytes = counted(100) + 100;
    page = read(request);
    EXPECT_EQ(texts_of(page), (Texts{std::string(100, 'b'), std::string(100, 'c')}));
    EXPECT_FALSE(page.more);
}

BELAY_CASE_OF(OutputCase, Output, OneAttemptCanBeReadByItself) {
    const RunRef run = start_with_activities("a", 2);
    const auto items = claim_activities();
    ASSERT_EQ(items.size(), 2U);
    apply(saying(items[0], {"a1"}));
    apply(saying(items[1], {"b1"}));
    AppendOutput later = saying(items[1], {"b2"}, 1);
    later.attempt = 2;
    apply(later);
    ReadOutput request{run};
    request.command = 2;
    EXPECT_EQ(texts_of(read(request)), (Texts{"b1", "b2"}));
    request.attempt = 2;
    const OutputPage page = read(request);
    EXPECT_EQ(texts_of(page), (Texts{"b2"}));
    EXPECT_EQ(page.attempts.size(), 1U);
    request.execution = 2;
    EXPECT_TRUE(read(request).chunks.empty());
    request.execution = 1;
    EXPECT_EQ(texts_of(read(request)), (Texts{"b2"}));
}

BELAY_CASE_OF(OutputCase, Output, TheBeginningAndTheEndAreKept) {
    const RunRef run = start_with_activities("a", 1);
    const ClaimedActivity item = claim_activity();
    std::uint64_t sent = 0;
    const auto say = [&](const Texts& lines) {
        AppendOutput part = saying(item, lines, sent);
        part.bounds.first_bytes = 2 * counted(3);
        part.bounds.last_bytes = 3 * counted(3);
        sent += lines.size();
        apply(part);
    };
    say({"1,\n", "2,\n", "3,\n"});
    EXPECT_EQ(texts(run), (Texts{"1,\n", "2,\n", "3,\n"}));
    say({"4,\n", "5,\n"});
    EXPECT_EQ(output(run).attempts.at(0).left_out_lines, 0U);
    const std::uint64_t seen = output(run).next;
    say({"6,\n", "7\n\n"});
    OutputPage page = output(run);
    EXPECT_EQ(texts_of(page), (Texts{"1,\n", "2,\n", "5,\n", "6,\n", "7\n\n"}));
    EXPECT_EQ(page.attempts.at(0).left_out_bytes, 6U);
    EXPECT_EQ(page.attempts.at(0).left_out_lines, 2U);
    EXPECT_EQ(page.attempts.at(0).left_out_to, page.chunks[2].number - 1);
    EXPECT_LT(page.attempts.at(0).left_out_to, seen) << "who has read so far has missed nothing";
    say({"8,\n", "9,\n", "10\n", "11\n"});
    page = output(run);
    EXPECT_EQ(texts_of(page), (Texts{"1,\n", "2,\n", "9,\n", "10\n", "11\n"}));
    EXPECT_EQ(page.attempts.at(0).left_out_bytes, 18U);
    EXPECT_EQ(page.attempts.at(0).left_out_lines, 7U);
    EXPECT_GT(page.attempts.at(0).left_out_to, seen);
}

BELAY_CASE_OF(OutputCase, Output, AfterTheFirstThatDoesNotFitTheBeginningTakesNoMore) {
    const RunRef run = start_with_activities("a", 1);
    const ClaimedActivity item = claim_activity();
    AppendOutput part = saying(item, {"a", std::string(50, 'b'), "c", "d"});
    part.bounds.first_bytes = 2 * counted(1);
    part.bounds.last_bytes = counted(1);
    apply(part);
    const OutputPage page = output(run);
    EXPECT_EQ(texts_of(page), (Texts{"a", "d"}));
    EXPECT_EQ(page.attempts.at(0).left_out_bytes, 51U);
}

BELAY_CASE_OF(OutputCase, Output, AChunkThatIsTooLongIsLeftOut) {
    const RunRef run = start_with_activities("a", 1);
    const ClaimedActivity item = claim_activity();
    AppendOutput part = saying(item, {"a", std::string(99, '\n')});
    part.bounds.first_bytes = counted(1);
    part.bounds.last_bytes = counted(50);
    apply(part);
    const OutputPage page = output(run);
    EXPECT_EQ(texts_of(page), (Texts{"a"}));
    EXPECT_EQ(page.attempts.at(0).left_out_bytes, 99U);
    EXPECT_EQ(page.attempts.at(0).left_out_lines, 99U);
    EXPECT_GT(page.next, page.chunks.back().number) << "a follower need not look again";
}

BELAY_CASE_OF(OutputCase, Output, WhatItsWriterCouldNotSendIsCounted) {
    const RunRef run = start_with_activities("a", 1);
    const ClaimedActivity item = claim_activity();
    AppendOutput part = saying(item, {"a", "b"});
    part.bounds.first_bytes = counted(1);
    apply(part);
    AppendOutput more = saying(item, {"c", "d"}, 2);
    more.bounds.first_bytes = counted(1);
    more.chunks[0].lost_bytes = 100;
    more.chunks[0].lost_lines = 7;
    apply(more);
    const OutputPage page = output(run);
    EXPECT_EQ(texts_of(page), (Texts{"a", "c", "d"})) << "there is one gap, and b is in it";
    EXPECT_EQ(page.attempts.at(0).left_out_bytes, 101U);
    EXPECT_EQ(page.attempts.at(0).left_out_lines, 7U);
    EXPECT_EQ(page.attempts.at(0).left_out_to, page.chunks[1].number - 1);
}

BELAY_CASE_OF(OutputCase, Output, ARepeatChangesNothing) {
    const RunRef run = start_with_activities("a", 1);
    const ClaimedActivity item = claim_activity();
    const AppendOutput first = saying(item, {"a", "b"});
    apply(first);
    apply(first);
    EXPECT_EQ(texts(run), (Texts{"a", "b"}));
    apply(saying(item, {"b", "c"}, 1));
    EXPECT_EQ(texts(run), (Texts{"a", "b", "c"})) << "b was there";
    apply(saying(item, {"d"}, 3));
    EXPECT_EQ(texts(run), (Texts{"a", "b", "c", "d"}));
}

BELAY_CASE_OF(OutputCase, Output, AnotherHolderBeginsAnew) {
    const RunRef run = start_with_activities("a", 1);
    const ClaimedActivity first = claim_activity();
    apply(saying(first, {"a", "b"}));
    apply(op::abandon_activity(first, Millis(0), CountAttempt::no));
    EXPECT_TRUE(refused(commit(saying(first, {"c"}, 2)), Errc::lease_lost));
    const ClaimedActivity second = claim_activity();
    EXPECT_EQ(second.attempt, 1U);
    apply(saying(second, {"c"}));
    const OutputPage page = output(run);
    EXPECT_EQ(texts_of(page), (Texts{"a", "b", "c"}));
    EXPECT_EQ(page.attempts.size(), 1U) << "it is the same attempt";
}

BELAY_CASE_OF(OutputCase, Output, OnlyTheHolderAppends) {
    const RunRef run = start_with_activities("a", 1);
    const ClaimedActivity lost = claim_activity();
    advance(kLease);
    apply(saying(lost, {"late, and nobody has it"}));
    const ClaimedActivity second = claim_activity();
    EXPECT_TRUE(refused(commit(saying(lost, {"too late"}, 1)), Errc::lease_lost));
    apply(saying(second, {"mine"}));
    complete(second);
    EXPECT_TRUE(refused(commit(saying(second, {"more"}, 1)), Errc::lease_lost));
    EXPECT_EQ(texts(run), (Texts{"late, and nobody has it", "mine"}));
    EXPECT_EQ(output(run).attempts.size(), 2U);
}

BELAY_CASE_OF(OutputCase, Output, AHandlerThatIsBeingStoppedMayStillWrite) {
    const RunRef run = start_with_activities("a", 1);
    const ClaimedActivity item = claim_activity();
    apply(saying(item, {"working"}));
    cancel("a");
    apply(saying(item, {"cleaning up"}, 1));
    apply(fuse(saying(item, {"done"}, 2), op::ack_activity(item, std::nullopt)));
    EXPECT_EQ(texts(run), (Texts{"working", "cleaning up", "done"}));
    EXPECT_TRUE(stopping(run).empty());
    EXPECT_TRUE(refused(commit(saying(item, {"more"}, 3)), Errc::lease_lost));
}

BELAY_CASE_OF(OutputCase, Output, ItFusesWithTheEndOfItsActivity) {
    const RunRef run = start_with_activities("a", 2);
    const auto items = claim_activities();
    ASSERT_EQ(items.size(), 2U);
    const NewMessage result = op::activity_completed(items[0].activity, Payload());
    apply(fuse(saying(items[0], {"hello"}), op::ack_activity(items[0], result)));
    EXPECT_EQ(texts(run), (Texts{"hello"}));
    EXPECT_EQ(inbox(run).size(), 1U);

    Turn turn = next_turn(run);
    turn.consumed = {1};
    apply(fuse(saying(items[1], {"bye"}), op::ack_activity(items[1], std::nullopt), turn));
    EXPECT_EQ(texts(run), (Texts{"hello", "bye"}));
    EXPECT_TRUE(activities(run).empty());
}

BELAY_CASE_OF(OutputCase, Output, AllOrNothingWithTheEnd) {
    const RunRef run = start_with_activities("a", 1);
    const ClaimedActivity item = claim_activity();
    const Change late =
        fuse(op::ack_activity(item, std::nullopt), saying(item, {"behind its end"}));
    EXPECT_TRUE(refused(commit(late), Errc::lease_lost));
    EXPECT_EQ(activities(run).size(), 1U);
    cancel("a");
    const NewMessage result = op::activity_completed(item.activity, Payload());
    EXPECT_TRUE(
        refused(commit(fuse(saying(item, {"x"}), op::ack_activity(item, result))), Errc::canceled));
    const Change gone = fuse(op::ack_activity(item, std::nullopt), saying(item, {"x"}));
    EXPECT_TRUE(refused(commit(gone), Errc::lease_lost));
    EXPECT_TRUE(texts(run).empty());
    EXPECT_EQ(stopping(run).size(), 1U);
}

BELAY_CASE_OF(OutputCase, Output, ItStaysWhenTheRunHasEnded) {
    const RunRef run = start_with_activities("a", 1);
    const ClaimedActivity item = claim_activity();
    apply(saying(item, {"hello"}));
    complete(item);
    end(run);
    EXPECT_EQ(texts(run), (Texts{"hello"}));
}

BELAY_CASE_OF(OutputCase, Output, OfManyAttemptsTheLastStay) {
    const RunRef run = start_with_activities("a", 4);
    const auto items = claim_activities();
    ASSERT_EQ(items.size(), 4U);
    for (const ClaimedActivity& item : items) {
        AppendOutput part = saying(item, {std::to_string(item.activity.command)});
        part.bounds.attempts = 2;
        // The fourth is another activity.
        part.first_command = item.activity.command < 4 ? 1 : 0;
        apply(part);
    }
    const OutputPage page = output(run);
    EXPECT_EQ(texts_of(page), (Texts{"2", "3", "4"}));
    EXPECT_EQ(page.attempts.at(1).first_command, 1U);
    EXPECT_EQ(page.attempts.at(2).first_command, 4U);
    EXPECT_EQ(page.left_out_attempts, 1U);
}

BELAY_CASE_OF(OutputCase, Output, OfALongRunTheAttemptsThatBeganToWriteFirstGo) {
    const RunRef run = start_with_activities("a", 3);
    const auto items = claim_activities();
    ASSERT_EQ(items.size(), 3U);
    const std::uint64_t one = counted(10) + OutputBounds::kAttempt;
    const auto say = [&](std::size_t which, char letter, std::uint64_t before = 0) {
        AppendOutput part = saying(items[which], {std::string(10, letter)}, before);
        part.bounds.run_bytes = 2 * one + counted(10);
        apply(part);
    };
    say(1, 'b');
    say(0, 'a');
    EXPECT_EQ(output(run).left_out_attempts, 0U);
    say(0, 'a', 1);
    EXPECT_EQ(output(run).chunks.size(), 3U);
    say(2, 'c');
    OutputPage page = output(run);
    EXPECT_EQ(texts_of(page),
              (Texts{std::string(10, 'a'), std::string(10, 'a'), std::string(10, 'c')}));
    EXPECT_EQ(page.left_out_attempts, 1U);
    const std::uint64_t seen = page.next;
    say(1, 'b', 1);
    page = output(run);
    EXPECT_EQ(texts_of(page), (Texts{std::string(10, 'c'), std::string(10, 'b')}));
    EXPECT_EQ(page.left_out_attempts, 2U);
    EXPECT_GT(page.next, seen) << "numbers are not used again";
}

BELAY_CASE_OF(OutputCase, Output, TheAttemptThatWritesIsNotTheOneThatGoes) {
    const RunRef run = start_with_activities("a", 1);
    const ClaimedActivity item = claim_activity();
    AppendOutput part = saying(item, {"longer than allowed"});
    part.bounds.run_bytes = 1;
    part.bounds.attempts = 0;
    apply(part);
    EXPECT_EQ(texts(run), (Texts{"longer than allowed"}));
    EXPECT_EQ(output(run).left_out_attempts, 0U);
}

BELAY_CASE_OF(OutputCase, Output, ItGoesWithItsRun) {
    const RunRef run = start_with_activities("a", 1);
    const RunRef other = start_with_activities("b", 1);
    const auto items = claim_activities();
    ASSERT_EQ(items.size(), 2U);
    for (const ClaimedActivity& item : items) apply(saying(item, {item.instance.id}));
    apply(op::force_delete(named("a")));
    EXPECT_TRUE(output(run).chunks.empty());
    EXPECT_EQ(output(run).next, 0U);
    EXPECT_EQ(texts(other), (Texts{"b"}));
    const auto item = std::find_if(items.begin(), items.end(), [&](const ClaimedActivity& one) {
        return one.activity.run == run;
    });
    ASSERT_NE(item, items.end());
    EXPECT_TRUE(refused(commit(saying(*item, {"more"}, 1)), Errc::lease_lost));
    apply(op::force_delete(named("b")));
    EXPECT_TRUE(output(other).chunks.empty());
}

BELAY_CASE_OF(OutputCase, Output, ItGoesWithItsExecution) {
    const RunRef run = start_with_activities("a", 2);
    const auto items = claim_activities();
    ASSERT_EQ(items.size(), 2U);
    for (const ClaimedActivity& item : items) apply(saying(item, {"first"}));
    for (const ClaimedActivity& item : items) complete(item);
    apply(continuing(next_turn(run)));
    schedule(run, {activity(1)});
    const ClaimedActivity item = claim_activity();
    apply(saying(item, {"second"}));
    EXPECT_EQ(texts(run), (Texts{"first", "first", "second"}));
    ReadOutput request{run};
    request.execution = 2;
    EXPECT_EQ(texts_of(read(request)), (Texts{"second"}));
    EXPECT_EQ(apply(op::prune_executions(named("a"), 1)).deleted.executions, 1U);
    const OutputPage page = output(run);
    EXPECT_EQ(texts_of(page), (Texts{"second"}));
    EXPECT_EQ(page.left_out_attempts, 0U) << "nothing is missing of what should be there";
    apply(saying(item, {"third"}, 1));
    EXPECT_EQ(texts(run), (Texts{"second", "third"}));
}

BELAY_CASE_OF(OutputCase, Output, LongTextsAreKept) {
    const RunRef run = start_with_activities("a", 1);
    const ClaimedActivity item = claim_activity();
    const std::string text(16 * 1024, 'x');
    apply(saying(item, {text, text, text}));
    EXPECT_EQ(texts(run), (Texts{text, text, text}));
}

}  // namespace
}  // namespace belay::conformance
