// Commands that delete, prune, free keys and apply a retention: what they ask first, and what they
// say is gone.
#include "unit/cli/commands_fixture.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace belay::cli {
namespace {

using ::testing::HasSubstr;

TEST_F(CliCommandsTest, KeysAreFreedAndPruningNeedsToKnowWhatIsOld) {
    ASSERT_EQ(run({"start", "Order", "--id", "o1", "--key", "k"}), Exit::ok);
    EXPECT_EQ(run({"keys", "free", "Order", "k", "--yes"}), Exit::ok);
    EXPECT_EQ(out(), "the key k is free\n");
    EXPECT_EQ(run({"keys", "free", "Order", "k", "--yes"}), Exit::not_found);
    EXPECT_EQ(run({"prune", "o1"}), Exit::usage);
    EXPECT_EQ(run({"prune", "--keep-last", "1"}), Exit::usage);
    EXPECT_EQ(run({"prune", "o1", "--keep-last", "1", "--yes"}), Exit::ok);
    EXPECT_EQ(out(), "pruned 0 executions with 0 events of 1 instance\n");
}

TEST_F(CliCommandsTest, DeletionByFilterCountsFirst) {
    for (const char* id : {"a", "b", "c"}) {
        ASSERT_EQ(run({"start", "Order", "--id", id}), Exit::ok);
    }
    ASSERT_EQ(run({"cancel", "a"}), Exit::ok);
    ASSERT_EQ(run({"cancel", "b"}), Exit::ok);
    EXPECT_EQ(run({"delete", "--definition", "Order"}), Exit::refused);
    EXPECT_THAT(err(), HasSubstr("Delete 2 instances with all that is below, for good?"));
    EXPECT_EQ(run({"delete", "--definition", "Order", "--dry-run", "--json"}), Exit::ok);
    EXPECT_EQ(out(), "{\"matching\":2,\"would_go\":2,\"stay\":0}\n");
    fake.terminal.err_is_terminal = true;
    EXPECT_EQ(run({"delete", "--definition", "Order", "--yes"}), Exit::ok);
    EXPECT_EQ(out(), "deleted 2 instances with 2 executions, 0 events and 0 messages\n");
    EXPECT_THAT(err(), HasSubstr("deleted 2, looked at 2 of 2"));
    EXPECT_EQ(run({"delete", "c", "--yes"}), Exit::refused) << "it has not ended";
    EXPECT_EQ(run({"delete", "c", "--force", "--yes"}), Exit::ok);
}

TEST_F(CliCommandsTest, ARunWithRunningDescendantsIsNotCounted) {
    ASSERT_EQ(run({"start", "Order", "--id", "a"}), Exit::ok);
    ASSERT_EQ(run({"cancel", "a"}), Exit::ok);
    const RunRef parent{shard_of("p"), RunKey{1001}};
    NewInstance instance;
    instance.run = parent;
    instance.name = {"default", "p"};
    instance.definition = "Order";
    commit(op::start(instance));
    Turn turn;
    turn.run = parent;
    turn.in_line = false;
    turn.history.count = 1;
    turn.history.bytes = "event";
    NewChild child;
    child.instance = instance;
    child.instance.run.key = RunKey{1002};
    child.instance.name.id = "p/1";
    child.instance.parent = ParentLink{parent, 1, 1};
    turn.children.push_back(child);
    commit(turn);
    turn.children.clear();
    turn.run.key = child.instance.run.key;
    commit(turn);
    turn.run = parent;
    turn.position = 1;
    turn.after = Ends{Outcome(), std::nullopt};
    commit(turn);
    const std::string stays = "1 more instance matches and stays: something below has not ended";
    EXPECT_EQ(run({"delete", "--definition", "Order", "--dry-run"}), Exit::ok);
    EXPECT_EQ(out(), "1 instance would go, with all that is below\n" + stays + "\n");
    EXPECT_EQ(run({"delete", "--all", "--dry-run", "--json"}), Exit::ok);
    EXPECT_EQ(out(), "{\"matching\":2,\"would_go\":1,\"stay\":1}\n");
    EXPECT_EQ(run({"delete", "--all"}), Exit::refused);
    EXPECT_THAT(err(), HasSubstr("Delete 1 instance with all that is below, for good? (" + stays));
    EXPECT_EQ(run({"delete", "--all", "--yes"}), Exit::ok);
    EXPECT_THAT(out(), HasSubstr("deleted 1 instance with "));
    EXPECT_THAT(out(), HasSubstr(stays));
    EXPECT_EQ(run({"delete", "--all"}), Exit::ok) << "there is nothing to ask about";
}

TEST_F(CliCommandsTest, ADeletionThatStopsSaysWhatIsGone) {
    for (const char* id : {"a", "b"}) ASSERT_EQ(run({"start", "Order", "--id", id}), Exit::ok);
    ASSERT_EQ(run({"cancel", "a"}), Exit::ok);
    EXPECT_EQ(run({"delete", "a", "b", "--yes"}), Exit::refused);
    EXPECT_THAT(err(), HasSubstr("; deleted before that: 'a'\n"));
    EXPECT_EQ(run({"show", "a"}), Exit::not_found);
    EXPECT_EQ(run({"delete", "nobody", "b", "--yes"}), Exit::not_found);
    EXPECT_EQ(err().find("deleted before"), std::string::npos);
}

TEST_F(CliCommandsTest, ADeletionOfManyThatFailsSaysWhatIsGone) {
    support::FaultyStore& store = make_faulty();
    for (int i = 0; i < 65; ++i) {
        const std::string id = "o" + std::to_string(i);
        ASSERT_EQ(run({"start", "Order", "--id", id}), Exit::ok);
        ASSERT_EQ(run({"cancel", id}), Exit::ok);
    }
    const std::string gone = "deleted 64 instances with 64 executions, 0 events and 0 messages";
    store.refuse_commit_of<Delete>(Errc::unavailable, "the disk is full");
    EXPECT_EQ(run({"delete", "--all", "--yes"}), Exit::trouble);
    EXPECT_THAT(err(), HasSubstr("the disk is full; done before that, at least: " + gone + "\n"));
    store.refuse_commit_of<Delete>(Errc::unavailable, "the disk is full");
    EXPECT_EQ(run({"delete", "--all", "--yes"}), Exit::trouble);
    EXPECT_THAT(err(), HasSubstr("belay: the disk is full\n")) << "nothing, this time";
    EXPECT_EQ(run({"delete", "--all", "--yes", "--json"}), Exit::ok);
    EXPECT_THAT(out(), HasSubstr(R"({"instances":1,"executions":1,)"));
}

TEST_F(CliCommandsTest, ACancelOfManyMeansWhatTheQuestionWasAbout) {
    for (const char* id : {"a", "b"}) ASSERT_EQ(run({"start", "Order", "--id", id}), Exit::ok);
    answer_yes_after([&] {
        FakeTerminal other;
        other.store = fake.store;
        EXPECT_EQ(other.run({"start", "Order", "--id", "later"}), Exit::ok);
        EXPECT_EQ(other.run({"delete", "b", "--force", "--yes"}), Exit::ok);
        EXPECT_EQ(other.run({"start", "Order", "--id", "b"}), Exit::ok);
    });
    EXPECT_EQ(run({"cancel", "--definition", "Order"}), Exit::ok);
    EXPECT_THAT(err(), HasSubstr("Cancel 2 instances?"));
    EXPECT_EQ(out(), "1 instance canceled, 0 ending already, 1 not found\n");
    for (const char* id : {"b", "later"}) {
        EXPECT_EQ(run({"show", id, "--json"}), Exit::ok);
        EXPECT_THAT(out(), HasSubstr(R"("status":"pending")")) << id;
    }
}

TEST_F(CliCommandsTest, ACancelOfManyThatFailsSaysWhatIsCanceled) {
    support::FaultyStore& store = make_faulty();
    for (int i = 0; i < 65; ++i) {
        ASSERT_EQ(run({"start", "Order", "--id", "o" + std::to_string(i)}), Exit::ok);
    }
    store.refuse_commit_of<Cancel>(Errc::unavailable, "the disk is full");
    EXPECT_EQ(run({"cancel", "--all", "--yes"}), Exit::trouble);
    EXPECT_THAT(err(),
                HasSubstr("the disk is full; done before that, at least: 64 instances canceled, 0 "
                          "ending already\n"));
    store.refuse_commit_of<Cancel>(Errc::unavailable, "the disk is full");
    EXPECT_EQ(run({"cancel", "--all", "--yes", "--json"}), Exit::trouble);
    EXPECT_THAT(err(), HasSubstr(R"("before":{"matched":0,"canceled":0,)")) << "nothing, now";
    EXPECT_EQ(run({"cancel", "--all", "--yes", "--json"}), Exit::ok);
    EXPECT_THAT(out(), HasSubstr(R"("matched":1,"canceled":1,"already_ending":0)"));
}

TEST_F(CliCommandsTest, ScriptsHearOfADeletedRunToo) {
    support::FaultyStore& store = make_faulty();
    for (int i = 0; i < 65; ++i) start_chain("m" + std::to_string(i));
    const std::vector<std::string> prune{
        "prune", "--all", "--keep-last", "1", "--include-running", "--yes", "--json"};
    store.refuse_commit_of<Prune>(Errc::unavailable, "the disk is full");
    EXPECT_EQ(run(prune), Exit::trouble);
    EXPECT_THAT(
        err(),
        HasSubstr("the disk is full; done before that, at least: pruned 64 executions with 64 "
                  "events of 64 instances"));
    EXPECT_THAT(err(), HasSubstr(R"("before":{"instances":64,"executions":64,"events":64}}})"));
    EXPECT_EQ(run(prune), Exit::ok);
    EXPECT_EQ(out(), "{\"instances\":1,\"executions\":1,\"events\":1}\n");
    for (const char* id : {"a", "b"}) ASSERT_EQ(run({"start", "Order", "--id", id}), Exit::ok);
    EXPECT_EQ(run({"delete", "a", "nobody", "--force", "--yes", "--json"}), Exit::not_found);
    EXPECT_THAT(err(), HasSubstr("; deleted before that: 'a'"));
    EXPECT_THAT(err(), HasSubstr(R"("before":{"instances":1,"executions":1,)"));
}

TEST_F(CliCommandsTest, ExactlyTheseOrNoneAreDeleted) {
    for (const char* id : {"a", "b", "c"}) {
        ASSERT_EQ(run({"start", "Order", "--id", id}), Exit::ok);
    }
    for (const char* id : {"a", "b"}) ASSERT_EQ(run({"cancel", id}), Exit::ok);
    EXPECT_EQ(run({"delete", "--atomic", "a", "b"}), Exit::refused);
    EXPECT_THAT(err(), HasSubstr("Delete exactly 'a', 'b' for good? Nobody is there"));
    EXPECT_EQ(run({"delete", "--atomic", "a", "c", "--yes"}), Exit::refused) << "c has not ended";
    EXPECT_EQ(run({"show", "a"}), Exit::ok);
    const std::vector<std::string> words{
        "delete", "--atomic", "a", "b", "--yes", "--json", "--request-id", "r1"};
    EXPECT_EQ(run(words), Exit::ok);
    const std::string answer = out();
    EXPECT_THAT(answer, HasSubstr(R"({"instances":2,"executions":2,)"));
    EXPECT_EQ(run(words), Exit::ok) << "asked again";
    EXPECT_EQ(out(), answer);
    EXPECT_EQ(run({"delete", "--atomic", "c", "c", "--yes"}), Exit::usage);
    EXPECT_EQ(run({"delete", "--atomic", "c", "nobody", "--force", "--yes"}), Exit::not_found);
    EXPECT_EQ(run({"delete", "--atomic", "c", "--force"}), Exit::refused);
    EXPECT_THAT(err(), HasSubstr("Delete exactly 'c' for good, running or not?"));
    EXPECT_EQ(run({"delete", "--atomic", "c", "--force", "--yes"}), Exit::ok);
    EXPECT_EQ(run({"delete", "--atomic"}), Exit::usage);
    EXPECT_EQ(run({"delete", "--atomic", "--all"}), Exit::usage);
    EXPECT_EQ(run({"delete", "--atomic", "a", "--dry-run"}), Exit::usage);
}

TEST_F(CliCommandsTest, FiltersThatCanNeverMatchAreNoDeletion) {
    for (const char* never : {"--held", "--parent=p", "--status=running"}) {
        EXPECT_EQ(run({"delete", never, "--yes"}), Exit::usage) << never;
        EXPECT_THAT(err(), HasSubstr("by a filter only")) << never;
        EXPECT_EQ(run({"delete", never, "--dry-run"}), Exit::usage) << never;
    }
    EXPECT_EQ(run({"prune", "--held", "--keep-last", "1", "--dry-run"}), Exit::ok);
}

TEST_F(CliCommandsTest, ARetentionRemovesTheRunsItAskedAbout) {
    EXPECT_EQ(run({"retention", "apply"}), Exit::ok);
    EXPECT_THAT(out(), HasSubstr("nothing is set for default"));
    EXPECT_EQ(run({"retention", "apply", "--json"}), Exit::ok);
    EXPECT_THAT(out(), HasSubstr(R"({"roots":0,"instances":0,)"));
    for (const char* id : {"a", "b", "c", "d"}) {
        ASSERT_EQ(run({"start", "Order", "--id", id}), Exit::ok);
    }
    for (const char* id : {"a", "b", "c"}) ASSERT_EQ(run({"cancel", id}), Exit::ok);
    ASSERT_EQ(run({"retention", "set", "--rule", "count=2", "--yes"}), Exit::ok);
    answer_yes_after([&] {
        Client client(*fake.store, fake.clock);
        fake.clock.advance(Millis(1));
        EXPECT_TRUE(client.cancel({"default", "d"}).ok());
        const auto nothing = RetentionPolicy().add(RetentionRule().max_count(0));
        EXPECT_TRUE(client.set_retention("default", nothing).ok());
    });
    EXPECT_EQ(run({"retention", "apply"}), Exit::ok);
    EXPECT_THAT(err(), HasSubstr("Delete 1 instance with all below and 0 old executions"));
    EXPECT_EQ(out(), "deleted 1 instance, pruned 0 chains\n");
    EXPECT_EQ(run({"retention", "apply", "--yes"}), Exit::ok);
    EXPECT_EQ(out(), "deleted 3 instances, pruned 0 chains\n") << "by what is set now";
}

TEST_F(CliCommandsTest, ARetentionThatFailsSaysWhatIsGone) {
    support::FaultyStore& store = make_faulty();
    for (int i = 0; i < 3; ++i) start_chain("m" + std::to_string(i));
    store.fail_commit_of<Prune>(support::FaultyStore::Fault::never_possible);
    EXPECT_EQ(run({"retention", "apply", "--executions", "count=1", "--yes", "--json"}),
              Exit::usage);
    EXPECT_THAT(err(), HasSubstr(R"("before":{"roots":0,"instances":0,"chains":0,)"));
    EXPECT_EQ(run({"retention", "apply", "--executions", "count=1", "--yes"}), Exit::ok);
    EXPECT_EQ(out(), "deleted 0 instances, pruned 3 chains\n");
}

TEST_F(CliCommandsTest, NothingToRemoveIsNotAskedAbout) {
    ASSERT_EQ(run({"start", "Order", "--id", "o1"}), Exit::ok);
    EXPECT_EQ(run({"retention", "apply", "--rule", "age=1d"}), Exit::ok);
    EXPECT_EQ(run({"prune", "--all", "--keep-last", "1"}), Exit::ok);
    EXPECT_EQ(run({"prune", "o1", "--keep-last", "1"}), Exit::ok);
    EXPECT_EQ(run({"prune", "--definition", "Order", "--keep-last", "1", "--dry-run"}), Exit::ok);
    EXPECT_EQ(out(), "0 executions of 0 instances would go\n");
    EXPECT_EQ(run({"prune", "o1", "--definition", "Order", "--keep-last", "1"}), Exit::usage);
    EXPECT_EQ(run({"prune", "o1", "--keep-last", "1", "--limit", "1"}), Exit::usage);
    EXPECT_EQ(run({"prune", "o1", "--keep-last", "1", "--include-running"}), Exit::usage);
    ASSERT_EQ(run({"retention", "set", "--rule", "keep", "--by", "bob"}), Exit::ok);
    EXPECT_EQ(run({"retention", "show", "--json"}), Exit::ok);
    EXPECT_THAT(out(), HasSubstr(R"("set_at":"2)"));
    EXPECT_THAT(out(), HasSubstr(R"("set_by":"bob"})"));
}

}  // namespace
}  // namespace belay::cli
