// The client: what it refuses, what it reports, and what it does when it does not know.
#include "client/digest.hpp"
#include "support/faulty_store.hpp"
#include "support/manual_clock.hpp"
#include <belay/client.hpp>
#include <belay/finding.hpp>
#include <belay/management.hpp>
#include <belay/store/listing.hpp>
#include <belay/store/memory.hpp>
#include <belay/store/operations.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace belay {
namespace {

using support::FaultyStore;
using Fault = FaultyStore::Fault;

inline constexpr Definition<void(std::string)> Task{"Task"};

class ClientTest : public ::testing::Test {
protected:
    Result<StartResult> start(const StartOptions& options, const std::string& input = "x") {
        return client.start(Task, options, input);
    }
    Errc code_of(const Result<StartResult>& result) {
        EXPECT_FALSE(result.ok());
        return result.ok() ? Errc::unsupported : result.error().code();
    }

    support::ManualClock clock;
    std::unique_ptr<Store> inner = make_memory_store(clock);
    FaultyStore store{*inner};
    Client client{store, clock};
    const InstanceName i1{"default", "i1"};
};

TEST_F(ClientTest, StartsAPendingRun) {
    const auto started = start(StartOptions().id("i1").owner("shop").label("tier", 3));
    ASSERT_TRUE(started.ok());
    EXPECT_TRUE(started->created);
    const auto info = client.inspect(i1);
    ASSERT_TRUE(info.ok());
    EXPECT_EQ(info->status, Status::pending);
    EXPECT_EQ(info->owner, "shop");
    EXPECT_EQ(info->definition, "Task");
    EXPECT_EQ(info->input, Payload::text("x"));
}

TEST_F(ClientTest, MakesAnIdWhenNoneIsGiven) {
    const auto a = start(StartOptions());
    const auto b = start(StartOptions());
    ASSERT_TRUE(a.ok() && b.ok());
    EXPECT_FALSE(a->instance.name.id.empty());
    EXPECT_NE(a->instance.name.id, b->instance.name.id);
}

TEST_F(ClientTest, MadeIdsAreShortAndSortByTime) {
    std::vector<std::string> ids;
    for (int i = 0; i < 100; ++i) {
        clock.advance(Millis(i % 2));
        const auto started = start(StartOptions());
        ASSERT_TRUE(started.ok());
        ids.push_back(started->instance.name.id);
    }
    EXPECT_TRUE(std::is_sorted(ids.begin(), ids.end()));
    EXPECT_EQ(std::set<std::string>(ids.begin(), ids.end()).size(), ids.size());
    EXPECT_EQ(ids.front().size(), 20U);
    EXPECT_EQ(ids.front().find_first_not_of("run-0123456789abcdefghjkmnpqrstvwxyz"),
              std::string::npos);
}

TEST_F(ClientTest, RefusesBadNamesAndSaysWhich) {
    EXPECT_EQ(code_of(start(StartOptions().id(std::string(256, 'x')))), Errc::limit_exceeded);
    EXPECT_EQ(code_of(start(StartOptions().id("a\nb"))), Errc::invalid_argument);
    EXPECT_EQ(code_of(start(StartOptions().id("\xFF"))), Errc::invalid_argument);
    EXPECT_EQ(code_of(start(StartOptions().id("i1").space(""))), Errc::invalid_argument);
    const auto slash = start(StartOptions().id("a/b"));
    EXPECT_EQ(code_of(slash), Errc::invalid_argument);
    EXPECT_NE(slash.error().message().find("a/b"), std::string::npos);
    EXPECT_TRUE(store.sent().empty()) << "nothing reached the store";
}

TEST_F(ClientTest, RefusesABadVersion) {
    const auto control = start(StartOptions().id("i1").version("1\n2"));
    EXPECT_EQ(code_of(control), Errc::invalid_argument);
    EXPECT_NE(control.error().message().find("version"), std::string::npos);
    EXPECT_EQ(code_of(start(StartOptions().id("i1").version(std::string(256, '1')))),
              Errc::limit_exceeded);
    EXPECT_TRUE(store.sent().empty()) << "nothing reached the store";
    EXPECT_TRUE(start(StartOptions().id("i1").version("")).ok()) << "the registered one is taken";
}

TEST_F(ClientTest, RefusesTooManyLabelsAndHeadersAndSaysHowMany) {
    StartOptions labels;
    StartOptions headers;
    for (int i = 0; i < 65; ++i) {
        labels.label("l" + std::to_string(i), true);
        headers.header("h" + std::to_string(i), "v");
    }
    const auto with_labels = start(labels.id("i1"));
    EXPECT_EQ(code_of(with_labels), Errc::limit_exceeded);
    EXPECT_EQ(with_labels.error().message(), "there are 65 labels; at most 64 are allowed");
    const auto with_headers = start(headers.id("i1"));
    EXPECT_EQ(code_of(with_headers), Errc::limit_exceeded);
    EXPECT_EQ(with_headers.error().message(), "there are 65 headers; at most 64 are allowed");
    EXPECT_TRUE(store.sent().empty()) << "nothing reached the store";
}

TEST_F(ClientTest, RefusesLabelsAndHeadersThatAreTooLargeAndSaysWhich) {
    const auto label =
        start(StartOptions().id("i1").label("a", "fine").label("city", std::string(1021, 'x')));
    EXPECT_EQ(code_of(label), Errc::limit_exceeded);
    EXPECT_EQ(label.error().message(),
              "name and value of label 'city' are 1025 bytes; at most 1024 are allowed");
    const auto header = start(StartOptions().id("i1").header("trace", std::string(8192, 'x')));
    EXPECT_EQ(code_of(header), Errc::limit_exceeded);
    EXPECT_EQ(header.error().message(),
              "name and value of header 'trace' are 8197 bytes; at most 8192 are allowed");
    EXPECT_TRUE(store.sent().empty()) << "nothing reached the store";
    EXPECT_TRUE(start(StartOptions().id("i1").label("city", std::string(1020, 'x'))).ok());
    EXPECT_TRUE(start(StartOptions().id("i2").header("trace", std::string(8187, 'x'))).ok());
}

TEST_F(ClientTest, RefusesBadNamesOfLabelsAndHeadersAndSaysWhich) {
    for (const std::string& name : {std::string(), std::string("a\nb"), std::string("\xFF")}) {
        EXPECT_EQ(code_of(start(StartOptions().id("i1").label(name, "v"))), Errc::invalid_argument);
        EXPECT_EQ(code_of(start(StartOptions().id("i1").header(name, "v"))),
                  Errc::invalid_argument);
    }
    const auto label = start(StartOptions().id("i1").label("a\nb", "v"));
    EXPECT_EQ(label.error().message(),
              "the name of label 'a\\nb' has a control character at byte 1");
    EXPECT_EQ(code_of(start(StartOptions().id("i1").header(std::string(256, 'x'), ""))),
              Errc::limit_exceeded);
    EXPECT_TRUE(store.sent().empty()) << "nothing reached the store";
}

TEST_F(ClientTest, RefusesHeadersThatWouldBeTakenForTheEnginesOwn) {
    const auto result = start(StartOptions().id("i1").header("a", "").header("belay-attempt", "2"));
    EXPECT_EQ(code_of(result), Errc::invalid_argument);
    EXPECT_EQ(result.error().message(),
              "the name of header 'belay-attempt' begins with 'belay-', which is kept for headers "
              "of Belay's own");
    EXPECT_TRUE(store.sent().empty()) << "nothing reached the store";
    EXPECT_TRUE(start(StartOptions().id("i1").header("belay", "").header("belaying", "")).ok());
}

TEST_F(ClientTest, RefusesPayloadsBeyondTheLimit) {
    const auto result = start(StartOptions().id("i1"), std::string(2 * 1024 * 1024 + 1, 'x'));
    EXPECT_EQ(code_of(result), Errc::limit_exceeded);
}

TEST_F(ClientTest, RefusesPayloadsWithFlagsAndNamesThem) {
    ASSERT_TRUE(start(StartOptions().id("i1")).ok());
    const std::size_t sent = store.sent().size();
    Payload payload = Payload::text("x");
    payload.flags = 4;
    const auto started = client.start("Task", payload, StartOptions().id("i2"));
    EXPECT_EQ(code_of(started), Errc::invalid_argument);
    EXPECT_EQ(
        started.error().message(),
        "the payload has Payload::flags 4, which are kept for coders (store/coded.hpp): leave "
        "them 0");
    EXPECT_EQ(client.raise(i1, "e", payload).error().code(), Errc::invalid_argument);
    EXPECT_EQ(client.enqueue(i1, "q", payload).error().code(), Errc::invalid_argument);
    EXPECT_EQ(store.sent().size(), sent) << "nothing reached the store";
}

TEST_F(ClientTest, AnEmptyKeyIsRefusedAndNamed) {
    const auto refused = start(StartOptions().id("i1").key(""));
    ASSERT_FALSE(refused.ok());
    EXPECT_EQ(refused.error().code(), Errc::invalid_argument);
    EXPECT_EQ(refused.error().message(), "the idempotency key must not be empty");
    EXPECT_EQ(client.inspect({"default", "i1"}).error().code(), Errc::not_found);
}

TEST_F(ClientTest, OneOfTwoStartsWithOneKeyCreates) {
    const auto first = start(StartOptions().id("i1").key("k"));
    const auto second = start(StartOptions().id("i2").key("k"));
    ASSERT_TRUE(first.ok() && second.ok());
    EXPECT_FALSE(second->created);
    EXPECT_TRUE(second->by_key);
    EXPECT_FALSE(second->input_differs);
    EXPECT_EQ(second->instance.name.id, "i1");
    EXPECT_EQ(client.inspect({"default", "i2"}).error().code(), Errc::not_found);
}

TEST_F(ClientTest, ADuplicateWithAnotherInputIsReported) {
    ASSERT_TRUE(start(StartOptions().id("i1").key("k")).ok());
    const auto second = start(StartOptions().id("i2").key("k"), "y");
    ASSERT_TRUE(second.ok());
    EXPECT_TRUE(second->input_differs);
}

TEST_F(ClientTest, IdConflictPolicies) {
    ASSERT_TRUE(start(StartOptions().id("i1")).ok());
    EXPECT_EQ(code_of(start(StartOptions().id("i1"))), Errc::id_in_use);
    const auto existing = start(StartOptions().id("i1").on_conflict(IdConflict::use_existing));
    ASSERT_TRUE(existing.ok());
    EXPECT_FALSE(existing->created);
    EXPECT_FALSE(existing->by_key);
    const auto replaced = start(StartOptions().id("i1").on_conflict(IdConflict::replace));
    ASSERT_TRUE(replaced.ok());
    EXPECT_TRUE(replaced->created);
    EXPECT_NE(replaced->instance.run, existing->instance.run);
}

TEST_F(ClientTest, ARepeatedRequestIsAnsweredAsTheFirst) {
    const auto first = start(StartOptions().id("i1").request_id("r1"));
    const auto again = start(StartOptions().id("i1").request_id("r1"));
    ASSERT_TRUE(first.ok() && again.ok());
    EXPECT_TRUE(again->created);
    EXPECT_EQ(first->instance.run, again->instance.run);
}

TEST_F(ClientTest, ARepeatedStartWithoutAnIdFindsItsRun) {
    const auto first = start(StartOptions().request_id("r1"));
    const auto again = start(StartOptions().request_id("r1"));
    ASSERT_TRUE(first.ok() && again.ok());
    EXPECT_EQ(first->instance.run, again->instance.run);
    const auto other = start(StartOptions().request_id("r2"));
    ASSERT_TRUE(other.ok());
    EXPECT_NE(first->instance.name.id, other->instance.name.id);
}

TEST_F(ClientTest, ARequestIdForAnotherStartIsRefused) {
    const auto options = [] { return StartOptions().id("i1").request_id("r1"); };
    ASSERT_TRUE(start(options().label("tier", 3)).ok());
    EXPECT_TRUE(start(options().label("tier", 3)).ok());
    EXPECT_TRUE(start(options().label("tier", 3).header("traceparent", "new")).ok())
        << "trace context differs from try to try";
    EXPECT_EQ(code_of(start(options())), Errc::request_id_reused);
    EXPECT_EQ(code_of(start(options().label("tier", 4))), Errc::request_id_reused);
    EXPECT_EQ(code_of(start(options().label("tier", 3), "y")), Errc::request_id_reused);
    EXPECT_EQ(code_of(start(options().label("tier", 3).owner("o"))), Errc::request_id_reused);
    EXPECT_EQ(code_of(start(options().label("tier", 3).key("k"))), Errc::request_id_reused);
    EXPECT_EQ(code_of(start(options().label("tier", 3).delay(Millis(1)))), Errc::request_id_reused);
}

TEST_F(ClientTest, ARequestIdForAnotherRequestIsRefused) {
    ASSERT_TRUE(start(StartOptions().id("i1").key("k")).ok());
    const auto reused = [](const auto& result) {
        return !result.ok() && result.error().code() == Errc::request_id_reused;
    };
    ASSERT_TRUE(client.raise(i1, "e", Payload::text("1"), "raise").ok());
    EXPECT_TRUE(client.raise(i1, "e", Payload::text("1"), "raise").ok());
    EXPECT_TRUE(reused(client.raise(i1, "e", Payload::text("2"), "raise")));
    EXPECT_TRUE(reused(client.raise(i1, "f", Payload::text("1"), "raise")));
    EXPECT_TRUE(reused(client.enqueue(i1, "e", Payload::text("1"), "raise")));
    ASSERT_TRUE(client.free_key("default", "default", "Task", "k", "free").ok());
    EXPECT_TRUE(client.free_key("default", "default", "Task", "k", "free").ok());
    EXPECT_TRUE(reused(client.free_key("default", "other", "Task", "k", "free")));
    const auto why = [](std::string reason) {
        return CancelOptions().reason(std::move(reason)).request_id("cancel");
    };
    ASSERT_TRUE(client.cancel(i1, why("late")).ok());
    EXPECT_TRUE(client.cancel(i1, why("late")).ok());
    EXPECT_TRUE(reused(client.cancel(i1, why("wrong"))));
    EXPECT_TRUE(reused(client.terminate(i1, why("late"))));
    ASSERT_TRUE(client.delete_instance(i1, false, "delete").ok());
    EXPECT_TRUE(client.delete_instance(i1, false, "delete").ok());
    EXPECT_TRUE(reused(client.delete_instance(i1, true, "delete")));
}

TEST_F(ClientTest, AReasonMayHaveSeveralLines) {
    ASSERT_TRUE(start(StartOptions().id("i1")).ok());
    ASSERT_TRUE(client.cancel(i1, CancelOptions().reason("too late:\n\tno stock")).ok());
    EXPECT_EQ(client.outcome(i1)->cancel.reason, "too late:\n\tno stock");
    EXPECT_EQ(client.cancel(i1, CancelOptions().reason("bell\a")).error().code(),
              Errc::invalid_argument);
    EXPECT_EQ(client.cancel(i1, CancelOptions().reason(std::string(5000, 'x'))).error().code(),
              Errc::limit_exceeded);
}

TEST_F(ClientTest, TerminateKeepsItsSource) {
    ASSERT_TRUE(start(StartOptions().id("i1")).ok());
    ASSERT_TRUE(client.terminate(i1, CancelOptions().source(CancelSource::policy)).ok());
    EXPECT_EQ(client.outcome(i1)->cancel.source, CancelSource::policy);
}

TEST_F(ClientTest, AStartWithUnknownOutcomeIsSentAgainAndCreatesOnce) {
    for (const Fault fault : {Fault::applied_but_unknown, Fault::not_applied_but_unknown}) {
        const std::string id = fault == Fault::applied_but_unknown ? "applied" : "not-applied";
        store.fail_commit_of<Start>(fault);
        const auto started = start(StartOptions().id(id));
        ASSERT_TRUE(started.ok()) << started.error().describe();
        EXPECT_TRUE(started->created);
        EXPECT_EQ(started->instance.name.id, id);
    }
}

TEST_F(ClientTest, ABusyStoreIsTheCallersToRetry) {
    store.fail_commit_of<Start>(Fault::not_applied);
    const auto started = start(StartOptions().id("i1"));
    ASSERT_FALSE(started.ok());
    EXPECT_TRUE(started.error().retryable());
    EXPECT_TRUE(start(StartOptions().id("i1")).ok());
}

TEST_F(ClientTest, CancelOfAPendingRunEndsItAtOnce) {
    ASSERT_TRUE(start(StartOptions().id("i1")).ok());
    const auto canceled = client.cancel(i1, CancelOptions().by("ann").reason("no"));
    ASSERT_TRUE(canceled.ok());
    EXPECT_TRUE(canceled->changed);
    EXPECT_EQ(canceled->instance.status, Status::canceled);
    const auto outcome = client.outcome(i1);
    ASSERT_TRUE(outcome.ok());
    EXPECT_EQ(outcome->cancel.by, "ann");
    EXPECT_EQ(outcome->cleanup, Cleanup::not_needed);
}

TEST_F(ClientTest, ASecondCancelChangesNothingAndTheFirstReasonStays) {
    ASSERT_TRUE(start(StartOptions().id("i1")).ok());
    ASSERT_TRUE(client.cancel(i1, CancelOptions().reason("first")).ok());
    const auto second = client.cancel(i1, CancelOptions().reason("second"));
    ASSERT_TRUE(second.ok());
    EXPECT_FALSE(second->changed);
    EXPECT_EQ(client.outcome(i1)->cancel.reason, "first");
}

/// A run that had a turn, so that a cancel leaves it time.
class CancelDeadlineTest : public ClientTest {
protected:
    void SetUp() override {
        const auto started = start(StartOptions().id("i1"));
        ASSERT_TRUE(started.ok());
        Turn turn;
        turn.run = started->instance.run;
        turn.in_line = false;
        turn.history.count = 1;
        turn.history.bytes = "event";
        std::vector<Transition> batch;
        batch.push_back(op::transition(CommitId{9, 1}, std::move(turn)));
        inner->commit(std::move(batch), [](const Result<std::vector<Answer>>& answers) {
            ASSERT_TRUE(answers.ok() && answers->front().done());
        });
    }
    /// From now until it ends in any case.
    Millis left() { return client.inspect(i1)->cancel_deadline.value() - clock.wall(); }
};

TEST_F(CancelDeadlineTest, IsThatOfTheClientsPolicy) {
    Policy policy;
    policy.cancel_deadline = Millis(7'000);
    Client hasty(store, clock, system_random(), Limits(), policy);
    ASSERT_TRUE(hasty.cancel(i1).ok());
    EXPECT_EQ(left(), Millis(7'000));
}

TEST_F(CancelDeadlineTest, IsWhatTheRequestSays) {
    ASSERT_TRUE(client.cancel(i1, CancelOptions().deadline(Millis(90'000))).ok());
    EXPECT_EQ(left(), Millis(90'000));
    const auto again = client.cancel(i1, CancelOptions().deadline(Millis(1)));
    ASSERT_TRUE(again.ok());
    EXPECT_FALSE(again->changed);
    EXPECT_EQ(left(), Millis(90'000)) << "the first cancel stays";
}

TEST_F(CancelDeadlineTest, IsRefusedOutOfRange) {
    const Millis ten_years = std::chrono::days(3650);
    for (const Millis wrong : {Millis(0), Millis(-1), ten_years + Millis(1), Millis::max()}) {
        const auto refused = client.cancel(i1, CancelOptions().deadline(wrong));
        ASSERT_FALSE(refused.ok());
        EXPECT_EQ(refused.error().code(), Errc::invalid_argument);
        EXPECT_NE(refused.error().message().find("deadline"), std::string::npos);
    }
    EXPECT_EQ(client.inspect(i1)->status, Status::running);
    EXPECT_TRUE(client.cancel(i1, CancelOptions().deadline(ten_years)).ok());
    EXPECT_EQ(left(), ten_years);
}

TEST_F(ClientTest, UnknownInstancesAreNotFound) {
    EXPECT_EQ(client.cancel(i1).error().code(), Errc::not_found);
    EXPECT_EQ(client.terminate(i1).error().code(), Errc::not_found);
    EXPECT_EQ(client.raise(i1, "e", Payload()).error().code(), Errc::not_found);
    EXPECT_EQ(client.enqueue(i1, "q", Payload()).error().code(), Errc::not_found);
    EXPECT_EQ(client.delete_instance(i1).error().code(), Errc::not_found);
    EXPECT_EQ(client.release(i1).error().code(), Errc::not_found);
    EXPECT_EQ(client.inspect(i1).error().code(), Errc::not_found);
    EXPECT_EQ(client.free_key("default", "default", "Task", "k").error().code(), Errc::not_found);
    EXPECT_TRUE(client.dead_letters()->empty()) << "a refused message is not a dead letter";
}

TEST_F(ClientTest, EndedRunsTakeNoMessages) {
    ASSERT_TRUE(start(StartOptions().id("i1")).ok());
    ASSERT_TRUE(client.terminate(i1).ok());
    EXPECT_EQ(client.raise(i1, "e", Payload()).error().code(), Errc::already_ended);
}

TEST_F(ClientTest, TerminateSaysThatNoCleanupRan) {
    ASSERT_TRUE(start(StartOptions().id("i1")).ok());
    ASSERT_TRUE(client.terminate(i1, CancelOptions().by("ann").reason("stuck")).ok());
    const auto outcome = client.outcome(i1);
    ASSERT_TRUE(outcome.ok());
    EXPECT_EQ(outcome->status, Status::canceled);
    EXPECT_EQ(outcome->cleanup, Cleanup::terminated);
    EXPECT_EQ(outcome->cancel.reason, "stuck");
}

TEST_F(ClientTest, TheOutcomeOfARunningInstanceIsStillRunning) {
    ASSERT_TRUE(start(StartOptions().id("i1")).ok());
    EXPECT_EQ(client.outcome(i1).error().code(), Errc::still_running);
}

TEST_F(ClientTest, DeletionOfARunningInstanceNeedsForce) {
    ASSERT_TRUE(start(StartOptions().id("i1")).ok());
    EXPECT_EQ(client.delete_instance(i1).error().code(), Errc::still_running);
    const auto counts = client.delete_instance(i1, true);
    ASSERT_TRUE(counts.ok());
    EXPECT_EQ(counts->instances, 1U);
    EXPECT_TRUE(start(StartOptions().id("i1")).ok()) << "the id is free again";
}

TEST_F(ClientTest, AKeyOutlivesDeletionUntilItIsFreed) {
    ASSERT_TRUE(start(StartOptions().id("i1").key("k")).ok());
    ASSERT_TRUE(client.delete_instance(i1, true).ok());
    const auto second = start(StartOptions().id("i2").key("k"));
    ASSERT_TRUE(second.ok());
    EXPECT_FALSE(second->created);
    EXPECT_TRUE(second->instance.deleted);
    ASSERT_TRUE(client.free_key("default", "default", "Task", "k").ok());
    EXPECT_TRUE(start(StartOptions().id("i2").key("k"))->created);
}

TEST(DigestTest, IsSha256OverCodecAndBytes) {
    // printf '\x00\x02abc' | sha256sum
    const Digest digest = client::digest_of(Payload::text("abc"));
    std::string hex;
    for (const std::uint8_t byte : digest) {
        constexpr char kDigits[] = "0123456789abcdef";
        hex += kDigits[byte >> 4];
        hex += kDigits[byte & 15];
    }
    EXPECT_EQ(hex, "962153e6574da2f1423e2b21a9f1fdea2016f0d1acfe55f29baa92cc797a4fbb");
    EXPECT_NE(digest, client::digest_of(Payload(PayloadCodec::bytes, "abc")));
}

}  // namespace
}  // namespace belay
