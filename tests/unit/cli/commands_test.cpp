// Commands, on a store in memory: what they do, print and answer to the shell. Those that remove
// something are in removal_commands_test.cpp.
#include "unit/cli/commands_fixture.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace belay::cli {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;

TEST_F(CliCommandsTest, StartSaysWhatBecameOfIt) {
    EXPECT_EQ(run({"start", "Order", "a", "7", "--id", "o1", "--label", "tier=3"}), Exit::ok);
    EXPECT_EQ(out(), "o1 started\n");
    EXPECT_EQ(run({"start", "Order", "a", "7", "--id", "o1"}), Exit::refused);
    EXPECT_THAT(err(), HasSubstr("belay: id 'o1' is in use\n       choose another --id"));
    EXPECT_EQ(run({"start", "Order", "a", "--id", "o1", "--on-conflict", "use-existing"}),
              Exit::ok);
    EXPECT_EQ(out(), "o1 was there: pending, with another input\n");
    EXPECT_EQ(run({"start", "Order", "--id", "o2", "--key", "k", "--json"}), Exit::ok);
    EXPECT_THAT(out(), HasSubstr(R"("id":"o2","space":"default")"));
    EXPECT_THAT(out(), HasSubstr(R"("status":"pending","created":true,"by_key":false)"));
    EXPECT_EQ(run({"start", "Order", "--id", "o3", "--key", "k"}), Exit::ok);
    EXPECT_EQ(out(), "o2 was there under this key: pending\n");
}

TEST_F(CliCommandsTest, StartRefusesOptionsThatDoNotGoTogether) {
    EXPECT_EQ(run({"start", "Order", "--key-scope", "window"}), Exit::usage);
    EXPECT_EQ(run({"start", "Order", "--key", "k", "--key-scope", "window"}), Exit::usage);
    EXPECT_EQ(run({"start", "Order", "--label", "tier"}), Exit::usage);
    EXPECT_THAT(err(), HasSubstr("--label: 'tier' is not NAME=VALUE"));
    EXPECT_EQ(run({"start", "Order", "--delay", "soon"}), Exit::usage);
    EXPECT_EQ(run({"start", "Order", "--id", "a/b"}), Exit::usage);
    EXPECT_EQ(run({"start", "Order", "@/does/not/exist"}), Exit::usage);
}

TEST_F(CliCommandsTest, AnEmptyKeyStartsNothingAndIsNamed) {
    EXPECT_EQ(run({"start", "Order", "--id", "o1", "--key", ""}), Exit::usage);
    EXPECT_THAT(err(), HasSubstr("--key is empty"));
    EXPECT_EQ(run({"start", "Order", "--id", "o1", "--key="}), Exit::usage);
    EXPECT_EQ(run({"show", "o1"}), Exit::not_found);
}

TEST_F(CliCommandsTest, AnEmptyRequestIdOrIdStartsNothing) {
    for (const char* option : {"--request-id", "--id", "--definition-version", "--by"}) {
        EXPECT_EQ(run({"start", "Order", option, ""}), Exit::usage) << option;
        EXPECT_THAT(err(), HasSubstr(std::string(option) + " is empty"));
    }
    EXPECT_EQ(run({"list"}), Exit::ok);
    EXPECT_THAT(out(), Not(HasSubstr("Order")));
}

TEST_F(CliCommandsTest, AnEmptyPrefixOrQueueMeansNotAll) {
    ASSERT_EQ(run({"start", "Order", "--id", "o1"}), Exit::ok);
    EXPECT_EQ(run({"delete", "--prefix", "", "--force", "--yes"}), Exit::usage);
    EXPECT_EQ(run({"limits", "set", "--queue", "", "--running", "1"}), Exit::usage);
    EXPECT_EQ(run({"show", "o1"}), Exit::ok);
}

TEST_F(CliCommandsTest, AReplacementThatCancelsIsAskedFirst) {
    const std::vector<std::string> replace{
        "start", "Order", "--id", "o1", "--on-conflict", "replace"};
    EXPECT_EQ(run(replace), Exit::ok) << "nothing is there to be canceled";
    EXPECT_EQ(run(replace), Exit::refused);
    EXPECT_THAT(err(), HasSubstr("'o1' is pending. Cancel it, and start another in its place?"));
    EXPECT_EQ(run({"list", "--json"}), Exit::ok);
    EXPECT_THAT(out(), HasSubstr(R"("status":"pending")"));
    int asked = 0;
    answer_yes_after([&] { ++asked; });
    EXPECT_EQ(run(replace), Exit::ok);
    EXPECT_EQ(out(), "o1 started\n");
    EXPECT_EQ(asked, 1);
    EXPECT_EQ(run({"start", "Order", "--id", "o1", "--on-conflict", "replace", "--yes"}), Exit::ok);
    ASSERT_EQ(run({"terminate", "o1", "--yes"}), Exit::ok);
    fake.terminal.in_is_terminal = false;
    EXPECT_EQ(run(replace), Exit::ok) << "what has ended only loses its id";
    EXPECT_EQ(run({"start", "Order", "--on-conflict", "replace"}), Exit::ok) << "a fresh id";
    EXPECT_EQ(run({"start", "Order", "--id", "a/b", "--on-conflict", "replace"}), Exit::usage);
}

TEST_F(CliCommandsTest, CancelSaysWhoAndWhyAndIsDoneOnce) {
    ASSERT_EQ(run({"start", "Order", "--id", "o1"}), Exit::ok);
    EXPECT_EQ(run({"cancel", "o1", "--reason", "wrong size"}), Exit::ok);
    EXPECT_EQ(out(), "o1 is canceled\n");
    EXPECT_EQ(run({"cancel", "o1"}), Exit::ok);
    EXPECT_EQ(out(), "o1 is canceled; it had ended before\n");
    EXPECT_EQ(run({"wait", "o1"}), Exit::failed);
    EXPECT_EQ(out(), "canceled by ann (user): wrong size; cleanup not needed\n");
    EXPECT_EQ(run({"wait", "o1", "--json"}), Exit::failed);
    EXPECT_THAT(out(), HasSubstr(R"("status":"canceled","cancel":{"source":"user","by":"ann")"));
    EXPECT_EQ(run({"cancel", "o9"}), Exit::not_found);
    EXPECT_EQ(run({"cancel", "o9", "--json"}), Exit::not_found);
    EXPECT_THAT(err(), HasSubstr(R"({"error":{"kind":"not_found","message":)"));
}

TEST_F(CliCommandsTest, CancelSaysHowLongTheCleanupMayTake) {
    start_chain("m1");
    EXPECT_EQ(run({"cancel", "m1", "--deadline", "soon"}), Exit::usage);
    EXPECT_EQ(run({"cancel", "m1", "--deadline", "0s"}), Exit::usage);
    EXPECT_THAT(err(), HasSubstr("the deadline of a cancel must be at least 1 ms"));
    EXPECT_EQ(run({"terminate", "m1", "--deadline", "1h", "--yes"}), Exit::usage) << "it has none";
    EXPECT_EQ(run({"cancel", "m1", "--deadline", "2h"}), Exit::ok);
    EXPECT_EQ(out(), "m1 is canceling\n");
    Client client(*fake.store, fake.clock);
    const auto info = client.inspect({"default", "m1"});
    ASSERT_TRUE(info.ok());
    EXPECT_EQ(info->cancel_deadline, fake.clock.wall() + std::chrono::hours(2));
}

TEST_F(CliCommandsTest, AnIrreversibleCommandAsksFirst) {
    ASSERT_EQ(run({"start", "Order", "--id", "o1"}), Exit::ok);
    EXPECT_EQ(run({"terminate", "o1"}), Exit::refused) << "nobody is there";
    EXPECT_THAT(err(), HasSubstr("say --yes"));
    fake.terminal.in_is_terminal = true;
    fake.terminal.err_is_terminal = true;
    fake.in.str("n\n");
    EXPECT_EQ(run({"terminate", "o1"}), Exit::refused);
    EXPECT_THAT(err(), HasSubstr("[y/N] belay: nothing was done"));
    fake.in.clear();
    fake.in.str("");
    EXPECT_EQ(run({"terminate", "o1"}), Exit::refused) << "the end of the input is no yes";
    EXPECT_EQ(run({"cancel", "o1"}), Exit::ok) << "it was not ended, so it can be canceled";
    ASSERT_EQ(run({"start", "Order", "--id", "o2"}), Exit::ok);
    fake.in.clear();
    fake.in.str("y\n");
    EXPECT_EQ(run({"terminate", "o2"}), Exit::ok);
    ASSERT_EQ(run({"start", "Order", "--id", "o3"}), Exit::ok);
    EXPECT_EQ(run({"terminate", "o3", "-y"}), Exit::ok);
    EXPECT_EQ(run({"terminate", "o3"}), Exit::ok) << "it has ended: there is nothing to ask";
}

TEST_F(CliCommandsTest, MessagesReachWhatRunsOnly) {
    ASSERT_EQ(run({"start", "Order", "--id", "o1"}), Exit::ok);
    EXPECT_EQ(run({"raise", "o1", "approved", "{\"by\": \"bob\"}"}), Exit::ok);
    EXPECT_EQ(out(), "approved sent to o1\n");
    EXPECT_EQ(run({"enqueue", "o1", "readings", "42", "--json"}), Exit::ok);
    EXPECT_THAT(out(), HasSubstr(R"("name":"readings","sent":true)"));
    EXPECT_EQ(run({"raise", "o1"}), Exit::usage);
    EXPECT_EQ(run({"raise", "o1", "a", "1", "2"}), Exit::usage);
    ASSERT_EQ(run({"cancel", "o1"}), Exit::ok);
    EXPECT_EQ(run({"raise", "o1", "approved"}), Exit::refused);
}

TEST_F(CliCommandsTest, SpacesAreApart) {
    ASSERT_EQ(run({"start", "Order", "--id", "o1", "--space", "shop"}), Exit::ok);
    EXPECT_EQ(run({"cancel", "o1"}), Exit::not_found);
    fake.variables["BELAY_SPACE"] = "shop";
    EXPECT_EQ(run({"cancel", "o1"}), Exit::ok);
}

TEST_F(CliCommandsTest, TreeAndHistoryOfOneThatHasNotBegun) {
    ASSERT_EQ(run({"start", "Order", "--id", "o1"}), Exit::ok);
    EXPECT_EQ(run({"tree", "o1"}), Exit::ok);
    EXPECT_EQ(out(), "o1  pending  Order  0ms\n");
    EXPECT_EQ(run({"history", "o1"}), Exit::ok);
    EXPECT_EQ(out(), "EVENT  TIME  WHAT\n");
    EXPECT_EQ(run({"history", "o1", "--execution", "7"}), Exit::not_found);
}

TEST_F(CliCommandsTest, ListsByFiltersInTablesAndLines) {
    ASSERT_EQ(run({"start", "Order", "--id", "o1", "--label", "tier=3"}), Exit::ok);
    ASSERT_EQ(run({"start", "Bill", "--id", "b1", "--owner", "shop"}), Exit::ok);
    ASSERT_EQ(run({"cancel", "b1", "--reason", "paid"}), Exit::ok);
    EXPECT_EQ(run({"list", "--status", "canceled"}), Exit::ok);
    EXPECT_EQ(out(),
              "ID  STATUS    DEFINITION  AGE  TOOK  REMARK\n"
              "b1  canceled  Bill        0ms  0ms   by ann (user): paid\n");
    EXPECT_EQ(run({"list", "--label", "tier=3", "--json"}), Exit::ok);
    EXPECT_THAT(out(), HasSubstr(R"("id":"o1","space":"default")"));
    EXPECT_THAT(out(), HasSubstr(R"("labels":{"tier":3})"));
    EXPECT_EQ(run({"list", "--limit", "1", "--sort", "-id"}), Exit::ok);
    EXPECT_THAT(err(), HasSubstr("there are more: --after "));
    EXPECT_EQ(run({"list", "--counts"}), Exit::ok);
    EXPECT_EQ(out(),
              "DEFINITION  STATUS    COUNT\n"
              "Bill        canceled      1\n"
              "Order       pending       1\n");
    EXPECT_EQ(run({"list", "--status", "fine"}), Exit::usage);
    EXPECT_EQ(run({"list", "--older-than", "1h", "--ended-before", "2026-01-01"}), Exit::usage);
}

TEST_F(CliCommandsTest, ListsChosenColumnsInAChosenOrder) {
    ASSERT_EQ(run({"start", "Order", "--id", "o1", "--label", "tier=3", "--owner", "shop"}),
              Exit::ok);
    fake.clock.advance(Millis(1));
    ASSERT_EQ(run({"start", "Bill", "--id", "b1"}), Exit::ok);
    fake.clock.advance(Millis(1));
    ASSERT_EQ(run({"start", "Tax", "--id", "t1"}), Exit::ok);
    EXPECT_EQ(run({"list", "-o", "id,owner,labels", "--sort", "id"}), Exit::ok);
    EXPECT_EQ(out(),
              "ID  OWNER    LABELS\n"
              "b1  default\n"
              "o1  shop     \"tier\":3\n"
              "t1  default\n");
    EXPECT_EQ(run({"list", "-oid", "--sort=-definition"}), Exit::ok);
    EXPECT_EQ(out(), "ID\nt1\no1\nb1\n") << "a column that is not shown";
    EXPECT_EQ(run({"list", "-o", "id,custom-status", "--limit", "1"}), Exit::ok);
    EXPECT_EQ(out(), "ID  CUSTOM STATUS\nt1\n") << "the newest first";
    EXPECT_EQ(run({"list", "-o", "+owner", "--sort", "id"}), Exit::ok);
    EXPECT_THAT(out(), HasSubstr("AGE  TOOK  REMARK  OWNER\n"));
    EXPECT_EQ(run({"list", "--json", "--sort", "-owner"}), Exit::ok);
    EXPECT_THAT(out(), StartsWith(R"({"id":"o1")"));
    EXPECT_EQ(run({"list", "-o", "id,stauts"}), Exit::usage);
    EXPECT_THAT(err(), HasSubstr("there is no column 'stauts'; did you mean 'status'?"));
    EXPECT_EQ(run({"list", "--counts", "-o", "id"}), Exit::usage);
}

TEST_F(CliCommandsTest, SeveralAreCanceledAndTerminatedByTheirIds) {
    for (const char* id : {"o1", "o2", "o3", "o4"}) {
        ASSERT_EQ(run({"start", "Order", "--id", id}), Exit::ok);
        fake.clock.advance(Millis(1));
    }
    EXPECT_EQ(run({"cancel", "o1", "o9"}), Exit::not_found);
    EXPECT_EQ(run({"list", "--status", "canceled", "-o", "id"}), Exit::ok);
    EXPECT_EQ(out(), "ID\n") << "an id that is not there is seen before anything is done";
    EXPECT_EQ(run({"cancel", "o1", "o2"}), Exit::ok);
    EXPECT_EQ(out(), "o1 is canceled\no2 is canceled\n");
    EXPECT_EQ(run({"cancel", "o1", "o2", "--request-id", "r"}), Exit::usage);
    EXPECT_EQ(run({"terminate", "o2", "o3", "o4"}), Exit::refused);
    EXPECT_THAT(err(), HasSubstr("End 2 instances at once, without their cleanup?"));
    EXPECT_EQ(run({"terminate", "o2", "o3", "o4", "--yes"}), Exit::ok);
    EXPECT_EQ(out(), "o2 is canceled; it had ended before\no3 is canceled\no4 is canceled\n");
}

TEST_F(CliCommandsTest, ThoseThatMatchAreTerminatedAfterAQuestion) {
    for (const char* id : {"o1", "o2", "o3"}) {
        ASSERT_EQ(run({"start", "Order", "--id", id}), Exit::ok);
        fake.clock.advance(Millis(1));
    }
    ASSERT_EQ(run({"cancel", "o3"}), Exit::ok);
    EXPECT_EQ(run({"terminate", "--definition", "Order", "--dry-run"}), Exit::ok);
    EXPECT_EQ(out(), "2 instances would be terminated: o1, o2\n");
    EXPECT_EQ(run({"terminate", "--definition", "Order"}), Exit::refused);
    EXPECT_THAT(err(), HasSubstr("End 2 instances at once, without cleanup?"));
    EXPECT_EQ(run({"terminate", "--prefix", "o", "--limit", "1", "--yes", "--json"}), Exit::ok);
    EXPECT_EQ(out(),
              R"({"preview":false,"matched":1,"terminated":1,"already_ended":0,"not_found":0,)"
              R"("more":true})"
              "\n");
    EXPECT_EQ(run({"terminate", "--all", "--yes"}), Exit::ok);
    EXPECT_EQ(out(), "1 instance terminated\n");
    EXPECT_EQ(run({"terminate", "--all", "--status", "failed"}), Exit::usage);
    EXPECT_EQ(run({"terminate"}), Exit::usage);
    EXPECT_EQ(run({"terminate", "o1", "--all"}), Exit::usage);
    EXPECT_EQ(run({"terminate", "o1", "--dry-run"}), Exit::usage);
}

TEST_F(CliCommandsTest, ARunThatTookTheIdWhileAQuestionWaitedIsNotTerminated) {
    ASSERT_EQ(run({"start", "Order", "--id", "o1"}), Exit::ok);
    answer_yes_after([&] {
        Client client(*fake.store, fake.clock);
        ASSERT_TRUE(client.terminate({"default", "o1"}).ok());
        ASSERT_TRUE(
            client
                .start("Order", Payload(), StartOptions().id("o1").on_conflict(IdConflict::replace))
                .ok());
    });
    EXPECT_EQ(run({"terminate", "--all"}), Exit::ok);
    EXPECT_EQ(out(), "0 instances terminated, 1 not found\n");
}

TEST_F(CliCommandsTest, MessagesReachSeveral) {
    for (const char* id : {"o1", "o2", "o3"}) {
        ASSERT_EQ(run({"start", "Order", "--id", id}), Exit::ok);
        fake.clock.advance(Millis(1));
    }
    EXPECT_EQ(run({"raise", "paid", "7", "--to", "o1", "--to", "o2"}), Exit::ok);
    EXPECT_EQ(out(), "paid sent to o1\npaid sent to o2\n");
    EXPECT_EQ(run({"raise", "paid", "--to", "o1", "--to", "o9"}), Exit::not_found);
    ASSERT_EQ(run({"cancel", "o3"}), Exit::ok);
    EXPECT_EQ(run({"enqueue", "readings", "42", "--definition", "Order", "--dry-run"}), Exit::ok);
    EXPECT_EQ(out(), "2 instances would be reached: o1, o2\n");
    EXPECT_EQ(run({"enqueue", "%s", "42", "--definition", "Order"}), Exit::refused);
    EXPECT_THAT(err(), HasSubstr("Send '%s' to 2 instances?"));
    EXPECT_EQ(run({"enqueue", "readings", "42", "--definition", "Order", "--yes"}), Exit::ok);
    EXPECT_EQ(out(), "2 instances reached\n");
    EXPECT_EQ(run({"show", "o1"}), Exit::ok);
    EXPECT_THAT(out(), HasSubstr("2 messages not yet received"));
    EXPECT_EQ(run({"raise", "paid", "--to", "o1", "--all"}), Exit::usage);
    EXPECT_EQ(run({"raise", "--all"}), Exit::usage);
    EXPECT_EQ(run({"raise", "o1", "paid", "--limit", "1"}), Exit::usage);
    ASSERT_EQ(run({"start", "Order", "--id", "o4"}), Exit::ok);
    ASSERT_EQ(run({"raise", "o4", "paid"}), Exit::ok);
    EXPECT_EQ(run({"show", "o4"}), Exit::ok);
    EXPECT_THAT(out(), HasSubstr("1 message not yet received"));
}

TEST_F(CliCommandsTest, ShowSaysWhatItWaitsFor) {
    ASSERT_EQ(run({"start", "Order", "a", "--id", "o1", "--label", "tier=3"}), Exit::ok);
    EXPECT_EQ(run({"show", "o1"}), Exit::ok);
    EXPECT_THAT(out(), HasSubstr("o1  pending\n  definition    Order\n"));
    EXPECT_THAT(out(), HasSubstr("  label         \"tier\":3\n"));
    EXPECT_THAT(out(), HasSubstr("\nWaiting for\n  "));
    EXPECT_EQ(run({"show", "o1", "--json"}), Exit::ok);
    EXPECT_THAT(out(), HasSubstr(R"("input":{"codec":"text","value":"a"})"));
    EXPECT_THAT(out(), HasSubstr(R"("waiting_for":[])"));
    EXPECT_EQ(run({"show", "o9"}), Exit::not_found);
}

TEST_F(CliCommandsTest, AWatchFollowsTheRunAndNotItsNamesake) {
    // A pause is a plain function.
    static Client* other = nullptr;
    Client client(*fake.store, fake.clock);
    other = &client;
    const auto replace = [](Millis) {
        StartOptions options;
        options.id("a").on_conflict(IdConflict::replace);
        EXPECT_TRUE(other->start("Order", Payload(), options).ok());
        return true;
    };
    for (const bool drawn : {false, true}) {
        ASSERT_EQ(run({"start", "Order", "--id", "a"}), Exit::ok);
        fake.terminal.out_is_terminal = drawn;
        fake.terminal.pause = replace;
        EXPECT_EQ(run({"watch", "a"}), Exit::failed);
        EXPECT_THAT(out(), HasSubstr("replaced by a new run of the same id"))
            << "it had no event of its end";
        EXPECT_EQ(out().find("another run has the id a") != std::string::npos, drawn);
        ASSERT_EQ(run({"delete", "a", "--force", "--yes"}), Exit::ok);
    }
    fake.terminal.out_is_terminal = false;
    ASSERT_EQ(run({"start", "Order", "--id", "a"}), Exit::ok);
    EXPECT_EQ(run({"watch", "a", "--json"}), Exit::failed);
    EXPECT_THAT(out(), HasSubstr(R"({"execution":1,"status":"canceled",)"));
    fake.terminal.pause = [](Millis) {
        EXPECT_TRUE(other->delete_instance({"default", "a"}, true).ok());
        return true;
    };
    EXPECT_EQ(run({"watch", "a"}), Exit::not_found);
    EXPECT_THAT(err(), HasSubstr("'a' was deleted meanwhile"));
}

TEST_F(CliCommandsTest, ManyAreWatchedUntilAllHaveEnded) {
    for (const char* id : {"a", "b"}) ASSERT_EQ(run({"start", "Order", "--id", id}), Exit::ok);
    ASSERT_EQ(run({"cancel", "a"}), Exit::ok);
    fake.terminal.pause = [](Millis) { return false; };
    EXPECT_EQ(run({"watch", "a", "b"}), Exit::ok) << "ended by the person at the terminal";
    EXPECT_THAT(out(), HasSubstr("a  canceled by ann (user)"));
    EXPECT_THAT(out(), HasSubstr("b  pending\n"));
    EXPECT_EQ(run({"watch", "--definition", "Order", "--json"}), Exit::ok);
    EXPECT_THAT(out(), HasSubstr(R"("id":"b","space":"default")"));
    (void)run({"watch", "--definition", "Order", "--limit", "1"});
    EXPECT_THAT(err(), HasSubstr("more than 1 match"));
    ASSERT_EQ(run({"cancel", "b"}), Exit::ok);
    EXPECT_EQ(run({"watch", "a", "b"}), Exit::failed) << "neither has completed";
    EXPECT_EQ(run({"watch", "a", "nobody"}), Exit::not_found);
    EXPECT_EQ(run({"watch", "--definition", "Bill"}), Exit::not_found);
    EXPECT_EQ(run({"watch"}), Exit::usage);
    EXPECT_EQ(run({"watch", "a", "--definition", "Order"}), Exit::usage);
    fake.terminal.out_is_terminal = true;
    EXPECT_EQ(run({"watch", "--prefix", "a", "--prefix", "b"}), Exit::usage);
    EXPECT_EQ(run({"watch", "a", "b"}), Exit::failed);
    EXPECT_THAT(out(), HasSubstr("2 of 2 instances ended\n"));
}

TEST_F(CliCommandsTest, AListThatIsTooLongForTheTerminalIsCut) {
    std::vector<std::string> words{"watch"};
    for (int i = 0; i < 30; ++i) {
        words.push_back("i" + std::to_string(i));
        ASSERT_EQ(run({"start", "Order", "--id", words.back()}), Exit::ok);
    }
    ASSERT_EQ(run({"cancel", "i0"}), Exit::ok);
    fake.terminal.out_is_terminal = true;
    fake.terminal.pause = [](Millis) { return false; };
    EXPECT_EQ(run(words), Exit::ok);
    EXPECT_THAT(out(), HasSubstr("1 of 30 instances ended\n"));
    EXPECT_THAT(out(), HasSubstr("... and 10 more\n"));
    EXPECT_EQ(out().find("i0 "), std::string::npos) << "what runs comes first";
}

TEST_F(CliCommandsTest, ACutIsSaid) {
    for (const char* id : {"a", "b"}) ASSERT_EQ(run({"start", "Order", "--id", id}), Exit::ok);
    EXPECT_EQ(run({"held", "list", "--limit", "0"}), Exit::usage);
    EXPECT_EQ(run({"held", "list", "--limit", "2000"}), Exit::usage);
    EXPECT_EQ(run({"leases", "--limit", "0"}), Exit::ok);
    EXPECT_THAT(err(), HasSubstr("there may be more: --limit N, above 0"));
}

TEST_F(CliCommandsTest, QueuesAndLeasesOfAQuietStore) {
    ASSERT_EQ(run({"start", "Order", "--id", "o1"}), Exit::ok);
    EXPECT_EQ(run({"queues"}), Exit::ok);
    EXPECT_THAT(out(), HasSubstr("ready for a turn       1  now\n"));
    EXPECT_EQ(run({"queues", "--json"}), Exit::ok);
    EXPECT_THAT(out(), HasSubstr(R"({"queues":[],"ready":1,)"));
    EXPECT_EQ(run({"leases"}), Exit::ok);
    EXPECT_EQ(out(), "WORKER  INSTANCE  WHAT  ATTEMPT  HELD FOR  LEASE ENDS\n");
    EXPECT_EQ(run({"held", "list"}), Exit::ok);
    EXPECT_EQ(out(), "none is held\n");
    EXPECT_EQ(run({"held"}), Exit::ok);
    EXPECT_EQ(out(), "none is held\n");
    EXPECT_EQ(run({"held", "--limit", "0"}), Exit::usage);
    EXPECT_EQ(run({"held", "--help"}), Exit::ok);
    EXPECT_THAT(out(), HasSubstr("belay held [COMMAND]"));
    EXPECT_EQ(run({"dead-letters", "--json"}), Exit::ok);
    EXPECT_EQ(run({"held", "release", "o1"}), Exit::refused);
    EXPECT_EQ(run({"dead-letters", "discard", "7", "--yes"}), Exit::not_found);
}

TEST_F(CliCommandsTest, TurnsThatRanPastTheirLimitAreShown) {
    ASSERT_EQ(run({"start", "Order", "--id", "o1"}), Exit::ok);
    const auto claim = [&] {
        ClaimInstances request =
            op::claim_instance(LeaseToken{7, ++last_commit}, "w1", std::chrono::minutes(1));
        ClaimedInstance item;
        fake.store->claim(request, [&](const Result<ClaimInstances::Answer>& answer) {
            ASSERT_TRUE(answer.ok() && answer->claimed.size() == 1);
            item = answer->claimed.front();
        });
        return item;
    };
    AbandonTurn back = op::abandon_turn(claim(), Millis(0), CountAttempt::yes);
    back.reason = AbandonReason::overran;
    commit(back);
    EXPECT_EQ(run({"show", "o1"}), Exit::ok);
    EXPECT_THAT(out(), HasSubstr("a turn before ran past its limit"));
    EXPECT_EQ(run({"show", "o1", "--json"}), Exit::ok);
    EXPECT_THAT(out(), HasSubstr(R"("overruns":1)"));
    (void)claim();
    EXPECT_EQ(run({"leases"}), Exit::ok);
    EXPECT_THAT(out(), HasSubstr("(turn, after one past its limit)"));
    EXPECT_EQ(run({"leases", "--json"}), Exit::ok);
    EXPECT_THAT(out(), HasSubstr(R"("overruns":1)"));
}

TEST_F(CliCommandsTest, WithoutAStoreItSaysHowToNameOne) {
    fake.variables.erase("BELAY_STORE");
    EXPECT_EQ(run({"cancel", "o1"}), Exit::usage);
    EXPECT_THAT(err(), HasSubstr("no store is named"));
    EXPECT_EQ(run({"version"}), Exit::ok) << "not every command needs one";
}

TEST_F(CliCommandsTest, HelpIsForEveryCommand) {
    EXPECT_EQ(run({"--help"}), Exit::ok);
    EXPECT_THAT(out(), HasSubstr("Commands:\n  run"));
    EXPECT_EQ(run({"keys", "free", "-h"}), Exit::ok);
    EXPECT_THAT(out(), HasSubstr("Usage: belay keys free DEFINITION KEY [options]"));
    const std::string help = out();
    EXPECT_EQ(run({"help", "keys", "free"}), Exit::ok);
    EXPECT_EQ(out(), help);
    EXPECT_EQ(run({"--version"}), Exit::ok);
    EXPECT_THAT(out(), HasSubstr("belay "));
    EXPECT_EQ(run({}), Exit::usage);
    EXPECT_THAT(err(), HasSubstr("Commands:\n  run"));
}

TEST(CliExit, EveryErrorHasItsCode) {
    EXPECT_EQ(exit_of(Errc::invalid_argument), Exit::usage);
    EXPECT_EQ(exit_of(Errc::not_found), Exit::not_found);
    EXPECT_EQ(exit_of(Errc::still_running), Exit::refused);
    EXPECT_EQ(exit_of(Errc::has_parent), Exit::refused);
    EXPECT_EQ(exit_of(Errc::busy), Exit::trouble);
    EXPECT_EQ(exit_of(Errc::corrupt), Exit::trouble);
    EXPECT_EQ(exit_of(Errc::outcome_unknown), Exit::unknown);
}

}  // namespace
}  // namespace belay::cli
