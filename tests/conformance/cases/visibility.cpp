// Work that is not due yet is not seen, and hides nothing else.
#include "conformance/case.hpp"

BELAY_CONFORMANCE_AREA(visibility)

namespace belay::conformance {
namespace {

BELAY_CASE(Visibility, ActivityIsVisibleAtOnce) {
    start_with_activities("a", 1);
    EXPECT_TRUE(try_claim_activity());
}

BELAY_CASE(Visibility, DelayedActivityWaits) {
    NewActivity late = activity(1);
    late.delay = 10s;
    schedule(start("a"), {late});
    advance(10s - 1ms);
    EXPECT_FALSE(try_claim_activity());
    advance(1ms);
    EXPECT_TRUE(try_claim_activity());
}

BELAY_CASE(Visibility, DelayedActivityDoesNotHideLaterOnes) {
    NewActivity late = activity(1);
    late.delay = 1h;
    schedule(start("a"), {late, activity(2)});
    EXPECT_EQ(commands_of(claim_activities()), std::vector<CommandNo>{2});
}

BELAY_CASE(Visibility, DelayedActivityOfHighPriorityDoesNotHideOthers) {
    NewActivity late = activity(1);
    late.delay = 1h;
    late.priority = 100;
    schedule(start("a"), {late, activity(2)});
    EXPECT_EQ(commands_of(claim_activities()), std::vector<CommandNo>{2});
}

BELAY_CASE(Visibility, DelayedMessageWaits) {
    const RunRef run = start_running("a");
    Send send = op::raise(named("a"), "later", Payload());
    send.delay = 10s;
    apply(send);
    EXPECT_EQ(info(run).ready_messages, 0U);
    advance(10s - 1ms);
    EXPECT_FALSE(try_claim(run));
    advance(1ms);
    EXPECT_EQ(info(run).ready_messages, 1U);
    EXPECT_EQ(names_of(claim(run).messages), std::vector<std::string>{"later"});
}

BELAY_CASE(Visibility, DelayedMessageDoesNotHideOthers) {
    const RunRef run = start_running("a");
    Send send = op::raise(named("a"), "later", Payload());
    send.delay = 1h;
    apply(send);
    raise("a", "now");
    EXPECT_EQ(names_of(claim(run).messages), std::vector<std::string>{"now"});
}

BELAY_CASE(Visibility, DelayedMessageSurvivesATurn) {
    const RunRef run = start_running("a");
    Send send = op::raise(named("a"), "later", Payload());
    send.delay = 10s;
    apply(send);
    raise("a", "now");
    take_turn(run);
    advance(10s);
    EXPECT_EQ(names_of(inbox(run)), std::vector<std::string>{"later"});
}

BELAY_CASE(Visibility, MessageIsDatedWhenItBecameVisible) {
    const RunRef run = start_running("a");
    const Timestamp sent = now();
    Send send = op::raise(named("a"), "later", Payload());
    send.delay = 10s;
    apply(send);
    advance(1min);
    const auto messages = inbox(run);
    ASSERT_EQ(messages.size(), 1U);
    EXPECT_EQ(messages[0].sent_at, sent + 10s);
}

BELAY_CASE(Visibility, DelayedMessageComesAfterWhatBecameVisibleBefore) {
    const RunRef run = start_running("a");
    Send send = op::raise(named("a"), "later", Payload());
    send.delay = 10s;
    apply(send);
    advance(5s);
    raise("a", "earlier");
    advance(1min);
    EXPECT_EQ(names_of(inbox(run)), (std::vector<std::string>{"earlier", "later"}));
}

}  // namespace
}  // namespace belay::conformance
