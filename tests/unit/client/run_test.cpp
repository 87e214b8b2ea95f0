// Handles of runs: exactly the run that was started, with types, and errors that are values or
// exceptions.
#include "model/event.hpp"
#include "support/manual_clock.hpp"
#include <belay/client.hpp>
#include <belay/management.hpp>
#include <belay/store/memory.hpp>
#include <belay/store/operations.hpp>

#include <gtest/gtest.h>

#include <functional>
#include <optional>
#include <string>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

namespace belay {
namespace {

inline constexpr Definition<std::string(std::string)> Hello{"Hello"};
inline constexpr Definition<int(std::string, int)> Chain{"Chain"};

static_assert(!std::is_constructible_v<InstanceAddress, std::nullptr_t>);
static_assert(std::is_convertible_v<const char*, InstanceAddress>);
static_assert(std::is_convertible_v<InstanceName, InstanceAddress>);
static_assert(!std::is_default_constructible_v<InstanceAddress>);

class RunTest : public ::testing::Test {
protected:
    /// A turn, by the hand of a worker.
    void take_turn(RunRef run, const std::function<void(Turn&)>& change) {
        ClaimInstances claim = op::claim_instance(LeaseToken{9, ++serial}, "w", Millis(1'000));
        claim.run = run;
        std::optional<ClaimedInstance> claimed;
        store->claim(claim, [&](const Result<ClaimInstances::Answer>& answer) {
            claimed = answer->claimed.at(0);
        });
        const HistoryRow history = model::encode_events(
            {model::ExecutionStarted{claimed->definition, claimed->version, claimed->input}});
        Turn turn = op::turn(*claimed, history);
        turn.after = GoesOn();
        change(turn);
        store->commit({op::transition(CommitId{7, ++serial}, std::move(turn))},
                      [](const Result<std::vector<Answer>>& r) { ASSERT_TRUE(r->at(0).done()); });
    }
    void complete(RunRef run, Payload output) {
        take_turn(run, [&](Turn& turn) {
            Ends ends;
            ends.outcome.output = std::move(output);
            turn.after = std::move(ends);
        });
    }
    void expect_messages(RunRef run, std::uint64_t count) {
        const auto info = client.inspect(InstanceAddress(InstanceName{"default", "a"}, run));
        ASSERT_TRUE(info.ok());
        EXPECT_EQ(info->ready_messages, count);
    }
    belay::Run<std::string> start_as(const std::string& id,
                                     IdConflict conflict = IdConflict::fail) {
        return client.start(Hello, StartOptions().id(id).on_conflict(conflict), "World");
    }

    support::ManualClock clock;
    std::unique_ptr<Store> store = make_memory_store(clock);
    Client client{*store, clock};
    std::uint64_t serial = 0;
};

TEST_F(RunTest, StartsWithoutOptionsAndReturnsATypedResult) {
    const auto run = client.start(Hello, "World");
    ASSERT_TRUE(run.ok());
    EXPECT_TRUE(run->created);
    EXPECT_FALSE(run.id().empty());
    EXPECT_EQ(run.inspect()->input, Payload::text("World"));
    complete(run.ref(), Payload::text("Hello, World"));
    const Result<Ended<std::string>> ended = run.wait();
    ASSERT_TRUE(ended.ok());
    EXPECT_EQ(ended->value(), "Hello, World");
    EXPECT_EQ(run.wait_until_settled()->value(), "Hello, World");
    EXPECT_EQ(run.result(), "Hello, World");
    EXPECT_EQ(*run.status(), Status::completed);
}

TEST_F(RunTest, StartsByNameWithAnEncodedInput) {
    const belay::Run<Payload> run = client.start("Hello", Payload::text("World"));
    ASSERT_TRUE(run.ok());
    EXPECT_EQ(run.inspect()->definition, "Hello");
    complete(run.ref(), Payload::text("Hello, World"));
    EXPECT_EQ(run.result(), Payload::text("Hello, World"));
}

TEST_F(RunTest, EveryOperationOfAFailedStartIsTheErrorOfTheStart) {
    ASSERT_TRUE(start_as("a").ok());
    const auto second = start_as("a");
    ASSERT_FALSE(second.ok());
    EXPECT_EQ(second.error().code(), Errc::id_in_use);
    EXPECT_EQ(second.wait().error().code(), Errc::id_in_use);
    EXPECT_EQ(second.wait_until_settled().error().code(), Errc::id_in_use);
    EXPECT_EQ(second.cancel("why").error().code(), Errc::id_in_use);
    EXPECT_EQ(second.terminate().error().code(), Errc::id_in_use);
    EXPECT_EQ(second.raise("go").error().code(), Errc::id_in_use);
    EXPECT_EQ(second.enqueue("line", 7).error().code(), Errc::id_in_use);
    EXPECT_EQ(second.status().error().code(), Errc::id_in_use);
    EXPECT_EQ(second.inspect().error().code(), Errc::id_in_use);
    EXPECT_EQ(second.custom_status<int>().error().code(), Errc::id_in_use);
    EXPECT_THROW((void)second.result(), ResultError);
    EXPECT_THROW((void)second.or_throw(), ResultError);
    EXPECT_EQ(*client.status("a"), Status::pending) << "the run of the first start is untouched";
}

TEST_F(RunTest, NoOperationReachesALaterNamesake) {
    const auto first = start_as("a");
    const auto second = start_as("a", IdConflict::replace);
    ASSERT_TRUE(first.ok() && second.ok());
    ASSERT_NE(first.ref(), second.ref());
    EXPECT_EQ(*first.status(), Status::canceled);
    EXPECT_EQ(first.cancel("late").error().code(), Errc::not_found);
    EXPECT_EQ(first.terminate("late").error().code(), Errc::not_found);
    EXPECT_EQ(first.raise("go").error().code(), Errc::not_found);
    EXPECT_EQ(first.enqueue("line", "x").error().code(), Errc::not_found);
    EXPECT_EQ(client.release(first).error().code(), Errc::not_found);
    EXPECT_EQ(*second.status(), Status::pending);
    expect_messages(second.ref(), 0);

    EXPECT_EQ(first.wait()->outcome().status, Status::canceled);
    EXPECT_EQ(second.wait(Millis(0)).error().code(), Errc::still_running);

    EXPECT_EQ(client.delete_instance(first)->instances, 1U) << "only that run";
    EXPECT_EQ(first.wait().error().code(), Errc::not_found);
    EXPECT_EQ(*second.status(), Status::pending);
}

TEST_F(RunTest, AWaitForTheRunOutlivesItsName) {
    const auto first = start_as("a");
    std::optional<Result<Outcome>> told;
    client.wait(first, [&](Result<Outcome> outcome) { told = std::move(outcome); });
    ASSERT_TRUE(start_as("a", IdConflict::replace).ok());
    while (client.step()) {
    }
    ASSERT_TRUE(told.has_value() && told->ok());
    EXPECT_EQ((*told)->status, Status::canceled);
}

TEST_F(RunTest, WaitsByRunAndByNameShareTheirReads) {
    const auto run = start_as("a");
    int told = 0;
    const auto count = [&](const Result<Outcome>& outcome) { told += outcome.ok() ? 1 : 0; };
    client.wait("a", count);
    client.wait(run, count);
    EXPECT_TRUE(client.step());
    client.wait(run, count);
    while (client.step()) {
    }
    EXPECT_EQ(told, 0);
    complete(run.ref(), Payload::text("x"));
    while (client.step()) {
    }
    EXPECT_EQ(told, 3);
}

TEST_F(RunTest, AnExistingRunOfAnotherDefinitionIsNotTakenForThisOne) {
    const auto other = client.start("Other", Payload(), StartOptions().id("a"));
    const auto run = start_as("a", IdConflict::use_existing);
    ASSERT_TRUE(run.ok());
    EXPECT_FALSE(run->created);
    EXPECT_EQ(run.ref(), other.ref());
    complete(other.ref(), Payload::text("x"));
    EXPECT_EQ(run.wait().error().code(), Errc::invalid_argument);
}

TEST_F(RunTest, RaisesWithAndWithoutAValue) {
    const auto run = start_as("a");
    EXPECT_TRUE(run.raise("go").ok());
    EXPECT_TRUE(run.raise("decision", true).ok());
    EXPECT_TRUE(client.raise("a", "go").ok());
    EXPECT_TRUE(client.raise(run, "go").ok());
    expect_messages(run.ref(), 4);
}

TEST_F(RunTest, ReadsACustomStatusWithItsType) {
    const auto run = start_as("a");
    EXPECT_EQ(*run.custom_status<int>(), std::nullopt);
    take_turn(run.ref(), [](Turn& turn) { turn.custom_status = Codec<int>::encode(7); });
    EXPECT_EQ(*run.custom_status<int>(), 7);
    EXPECT_EQ(*client.custom_status<int>("a"), 7);
    EXPECT_EQ(*client.custom_status<int>(run), 7);
    EXPECT_EQ(run.custom_status<bool>().error().code(), Errc::invalid_argument);
    EXPECT_EQ(client.custom_status<int>("b").error().code(), Errc::not_found);
}

TEST_F(RunTest, ReadsTheValuesOfTheRunThatLostItsName) {
    const auto first = start_as("a");
    take_turn(first.ref(), [](Turn& turn) {
        turn.key_values.push_back(KeyValueChange{"k", Codec<int>::encode(1)});
    });
    ASSERT_TRUE(start_as("a", IdConflict::replace).ok());
    EXPECT_EQ(*client.value<int>(first, "k"), 1);
    EXPECT_EQ(*client.value<int>("a", "k"), std::nullopt);
}

TEST_F(RunTest, ListsExecutionsWithTheirArguments) {
    const auto run = client.start(Chain, "x", 1);
    take_turn(run.ref(), [](Turn& turn) {
        turn.after =
            ContinuesAsNew{detail::encode_arguments<std::string, int>(std::string("y"), 2), "1"};
    });
    const auto plain = client.executions(run);
    ASSERT_TRUE(plain.ok());
    EXPECT_EQ(plain->size(), 2U);
    const auto typed = client.executions(Chain, run);
    ASSERT_TRUE(typed.ok());
    ASSERT_EQ(typed->size(), 2U);
    EXPECT_EQ(typed->at(0).info.status, Status::continued_as_new);
    EXPECT_EQ(typed->at(0).input, std::make_tuple(std::string("x"), 1));
    EXPECT_EQ(typed->at(1).input, std::make_tuple(std::string("y"), 2)) << "not yet begun";
    EXPECT_EQ(client.executions(Hello, run).error().code(), Errc::invalid_argument);
}

TEST_F(RunTest, FollowsTheDefaultNamespaceOfItsClient) {
    client.default_namespace("shop");
    const auto run = client.start(Hello, StartOptions().id("order-7"), "World");
    ASSERT_TRUE(run.ok());
    EXPECT_EQ(run.name(), (InstanceName{"shop", "order-7"}));
    ASSERT_TRUE(client.start(Hello, StartOptions().id("order-7").space("default"), "x").ok());
    EXPECT_TRUE(client.raise("order-7", "go").ok());
    EXPECT_EQ(client.inspect({"shop", "order-7"})->ready_messages, 1U);
    EXPECT_EQ(client.inspect({"default", "order-7"})->ready_messages, 0U);
    EXPECT_TRUE(client.cancel("order-7")->changed);
    EXPECT_EQ(*client.status(std::string("order-7")), Status::canceled);
    EXPECT_EQ(*client.status({"default", "order-7"}), Status::pending);
    EXPECT_EQ(run.wait()->outcome().status, Status::canceled);
}

TEST_F(RunTest, OutlivesTheClientExceptForWaits) {
    std::optional<belay::Run<std::string>> run;
    {
        Client made(*store, clock);
        Client moved(std::move(made));
        run.emplace(moved.start(Hello, "World"));
        EXPECT_EQ(run->wait(Millis(0)).error().code(), Errc::still_running);
    }
    EXPECT_EQ(*run->status(), Status::pending);
    EXPECT_TRUE(run->cancel("nobody waits")->changed);
    EXPECT_EQ(run->wait().error().code(), Errc::unavailable);
}

}  // namespace
}  // namespace belay
