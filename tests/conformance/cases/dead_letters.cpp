// Dead letters: whom they were meant for, sent again, thrown away.
#include "conformance/case.hpp"

BELAY_CONFORMANCE_AREA(dead_letters)

namespace belay::conformance {
namespace {

Redrive redrive_of(const DeadLetter& letter, std::optional<InstanceName> to = std::nullopt) {
    Redrive part;
    part.letter = letter.id;
    part.to = std::move(to);
    part.space = named("").space;
    return part;
}

Discard discard_of(const DeadLetter& letter) {
    Discard part;
    part.letter = letter.id;
    part.space = named("").space;
    return part;
}

class DeadLetters : public Case {
protected:
    /// A message that came too early for its run, or too late.
    DeadLetter lost(RunRef run, NewMessage message) {
        EXPECT_EQ(apply(Deliver{run, std::move(message)}).undelivered, 1U);
        return dead_letters().back();
    }
};

#define BELAY_LETTER_CASE(name) BELAY_CASE_OF(DeadLetters, DeadLetters, name)

BELAY_LETTER_CASE(SayWhomTheyWereMeantForAsFarAsItIsKnown) {
    EXPECT_FALSE(lost(fresh_run("nobody"), event("e")).instance);
    const RunRef run = start("gone");
    apply(op::force_delete(named("gone")));
    EXPECT_EQ(lost(run, event("e")).instance, named("gone"));
    const NewInstance early = instance("early");
    const std::uint64_t id = lost(early.run, event("e")).id;
    apply(op::start(early));
    EXPECT_EQ(dead_letters().back().instance, named("early"));
    EXPECT_EQ(dead_letters().back().id, id);
}

BELAY_LETTER_CASE(RedriveSendsItToItsRunOnce) {
    const NewInstance early = instance("a");
    const DeadLetter letter = lost(early.run, event("go", "payload"));
    EXPECT_TRUE(refused(commit(redrive_of(letter)), Errc::not_found)) << "there is still no run";
    apply(op::start(early));
    take_turn(early.run);
    const Answer answer = apply(redrive_of(letter));
    ASSERT_TRUE(answer.instance);
    EXPECT_EQ(answer.instance->name, named("a"));
    EXPECT_TRUE(dead_letters().empty());
    const auto messages = inbox(early.run);
    ASSERT_EQ(messages.size(), 1U);
    EXPECT_EQ(messages[0].content, event("go", "payload"));
    EXPECT_EQ(messages[0].sent_at, now());
    EXPECT_TRUE(refused(commit(redrive_of(letter)), Errc::not_found));
    EXPECT_EQ(inbox(early.run).size(), 1U);
}

BELAY_LETTER_CASE(RedriveToAnother) {
    const DeadLetter letter = lost(fresh_run("nobody"), event("go"));
    const RunRef other = start_running("other");
    EXPECT_TRUE(refused(commit(redrive_of(letter, named("stranger"))), Errc::not_found));
    EXPECT_EQ(apply(redrive_of(letter, named("other"))).instance->run, other);
    EXPECT_EQ(names_of(inbox(other)), std::vector<std::string>{"go"});
    EXPECT_TRUE(dead_letters().empty());
}

BELAY_LETTER_CASE(AnAnswerToACommandIsForItsRunOnly) {
    const NewInstance early = instance("a");
    NewMessage answer = op::activity_completed(ActivityRef{early.run, 1, 1}, Payload());
    const DeadLetter letter = lost(early.run, answer);
    start_running("other");
    EXPECT_TRUE(refused(commit(redrive_of(letter, named("other"))), Errc::invalid_argument));
    EXPECT_EQ(dead_letters().size(), 1U) << "nothing has happened to it";
    apply(op::start(early));
    take_turn(early.run);
    apply(redrive_of(letter, named("a")));
    EXPECT_EQ(inbox(early.run).size(), 1U);
}

BELAY_LETTER_CASE(RedriveToAnEndedRunIsRefused) {
    const DeadLetter letter = lost(fresh_run("nobody"), event("go"));
    end(start_running("a"));
    const Answer answer = commit(redrive_of(letter, named("a")));
    EXPECT_TRUE(refused(answer, Errc::already_ended));
    EXPECT_EQ(dead_letters().size(), 1U);
}

BELAY_LETTER_CASE(RedriveFindsNoRoomInAFullRun) {
    const RunRef run = start_running("a");
    Turn turn = next_turn(run);
    turn.message_room = 1;
    apply(turn);
    raise("a", "first");
    const DeadLetter letter = lost(fresh_run("nobody"), event("second"));
    EXPECT_TRUE(refused(commit(redrive_of(letter, named("a"))), Errc::limit_exceeded));
    EXPECT_EQ(dead_letters().size(), 1U);
}

BELAY_LETTER_CASE(DiscardThrowsItAway) {
    const RunRef nobody = fresh_run("nobody");
    const DeadLetter first = lost(nobody, event("first"));
    const DeadLetter second = lost(nobody, event("second"));
    const Answer answer = apply(discard_of(first));
    ASSERT_TRUE(answer.instance);
    EXPECT_EQ(answer.instance->run, nobody);
    ASSERT_EQ(dead_letters().size(), 1U);
    EXPECT_EQ(dead_letters()[0].id, second.id);
    EXPECT_TRUE(refused(commit(discard_of(first)), Errc::not_found));
    EXPECT_TRUE(refused(commit(redrive_of(first)), Errc::not_found));
}

BELAY_LETTER_CASE(RequestsAreRecognised) {
    const RunRef run = start_running("a");
    const DeadLetter first = lost(fresh_run("nobody"), event("first"));
    const DeadLetter second = lost(fresh_run("nobody"), event("second"));
    Redrive redrive = redrive_of(first, named("a"));
    redrive.request_id = "request-1";
    apply(redrive);
    const Answer again = commit(redrive);
    EXPECT_TRUE(already_applied(again));
    EXPECT_EQ(again.instance->run, run);
    EXPECT_EQ(inbox(run).size(), 1U);
    Redrive other = redrive_of(second, named("a"));
    other.request_id = "request-1";
    EXPECT_TRUE(refused(commit(other), Errc::request_id_reused));
    Discard discard = discard_of(second);
    discard.request_id = "request-2";
    apply(discard);
    EXPECT_TRUE(already_applied(commit(discard)));
}

BELAY_LETTER_CASE(OneLetterIsUsedOnceInATransition) {
    start_running("a");
    const DeadLetter letter = lost(fresh_run("nobody"), event("go"));
    EXPECT_TRUE(
        refused(commit(fuse(redrive_of(letter, named("a")), discard_of(letter))), Errc::not_found));
    EXPECT_EQ(dead_letters().size(), 1U);
    EXPECT_TRUE(inbox(found("a").run).empty());
}

}  // namespace
}  // namespace belay::conformance
