// Runs and activities whose payloads a process cannot read: none is lost or fails because a key is
// missing somewhere.
#include "support/warnings.hpp"
#include "world.hpp"
#include <belay/store/coded.hpp>

#include <gmock/gmock.h>

namespace belay::runtime_tests {
namespace {

using namespace std::chrono_literals;
using ::testing::HasSubstr;

Orchestration<std::string> works_once(OrchestrationContext ctx, std::string input) {
    co_return co_await ctx.call(Work, input);
}

Orchestration<std::string> awaits_go(OrchestrationContext ctx, std::string) {
    co_return co_await ctx.wait<std::string>("go");
}

KeyRing ring_with(KeyId id) {
    KeyRing keys;
    (void)keys.add(id, std::string(KeyRing::kKeyBytes, static_cast<char>(id)));
    return keys;
}

void add_to(KeyRing& keys, KeyId id) {
    EXPECT_TRUE(keys.add(id, std::string(KeyRing::kKeyBytes, static_cast<char>(id))).ok());
}

/// Leaves everything as it is, and cannot read some of it any more, or write anything.
class Failing final : public PayloadCoder {
public:
    [[nodiscard]] std::uint16_t flag() const noexcept override { return 0x0100; }
    [[nodiscard]] Result<std::optional<std::string>> encode(std::string_view bytes,
                                                            const CodedAs& /*as*/) const override {
        if (encodes_not) return Error(*encodes_not, "no key to write with");
        return std::optional(std::string(bytes));
    }
    [[nodiscard]] Result<std::string> decode(std::string_view bytes,
                                             const CodedAs& as) const override {
        if (broken && as.kind == kind) return Error(code, "it is broken");
        return std::string(bytes);
    }

    bool broken = false;
    CodedAs::Kind kind = CodedAs::Kind::payload;
    Errc code = Errc::corrupt;
    std::optional<Errc> encodes_not;
};

class Unreadable : public World {
protected:
    /// A process that reads and writes through a chain of its own.
    Process& coded_process(const CoderChain& chain,
                           Registry registry,
                           const RuntimeOptions& options = RuntimeOptions()) {
        stores.push_back(make_coded_store(store, chain));
        processes.push_back(
            std::make_unique<Process>(*stores.back(), clock, std::move(registry), options));
        return *processes.back();
    }
    Process& encrypting_process(const KeyRing& keys, Registry registry) {
        return coded_process(CoderChain().then(encryption(keys)), std::move(registry), logging());
    }
    /// One that leaves all activities to others.
    Process& process_for_turns(const CoderChain& chain, Code code) {
        return coded_process(chain, only_code(code), logging().queues({}));
    }
    /// It alone comes to its turn after the longest back-off.
    void pass_for(Process& process) {
        clock.advance(Policy().unregistered_backoff_max + 1ms);
        while (process.runtime->step()) {
        }
    }
    RuntimeOptions logging() {
        return RuntimeOptions().events(
            support::warnings([this](const std::string& line) { logged.push_back(line); }));
    }
    Registry only_code(Code code) {
        Registry registry;
        registry.add(Main, code);
        return registry;
    }
    /// Starts a run whose input is encrypted with key 1.
    InstanceName start_encrypted() {
        EXPECT_TRUE(writer.start(Main, StartOptions().id("i1"), std::string("x")).ok());
        return {"default", "i1"};
    }
    /// Longer than it takes to be poison, if attempts were counted.
    void pass_long() {
        for (int i = 0; i < 20; ++i) pass(Policy().unregistered_backoff_max + 1ms);
    }
    /// Several leases, without a step that would let one expire.
    void pass_leases() {
        const Timestamp end = clock.wall() + 3 * Policy().activity_lease;
        while (clock.wall() < end) pass(Policy().renewal_buffer / 2);
    }
    void end(Process& process, std::size_t activity) {
        process.executor.finish(activity);
        settle();
    }
    std::string output(const InstanceName& run) {
        const auto found = writer.inspect(run);
        EXPECT_TRUE(found.ok()) << found.error().describe();
        return found.ok() && found->outcome ? found->outcome->output.bytes : "not ended";
    }

    KeyRing first = ring_with(1);
    KeyRing second = ring_with(2);
    std::unique_ptr<Store> writing = make_coded_store(store, CoderChain().then(encryption(first)));
    Client writer{*writing, clock};
    std::vector<std::unique_ptr<Store>> stores;
    std::vector<std::string> logged;

    ~Unreadable() override { processes.clear(); }  // They use the stores.
};

TEST_F(Unreadable, ARunIsGivenBackUntilSomebodyHasTheKey) {
    const InstanceName run = start_encrypted();
    Process& without = encrypting_process(second, registry_with(works_once));
    settle();
    EXPECT_EQ(without.runtime->counts().unreadable, 1U);
    ASSERT_FALSE(logged.empty());
    EXPECT_THAT(logged[0], HasSubstr("'i1' is given back: its input cannot be read"));
    EXPECT_THAT(logged[0], HasSubstr("key 1"));
    pass_long();
    EXPECT_GT(without.runtime->counts().unreadable, 15U) << "it is backed off ...";
    EXPECT_LT(without.runtime->counts().unreadable, 25U) << "... and not asked for all the time";
    InstanceInfo seen = info(run);
    EXPECT_EQ(seen.status, Status::pending);
    EXPECT_EQ(seen.attempts, 0U) << "no attempt is counted";
    EXPECT_FALSE(seen.held);
    EXPECT_TRUE(seen.code_missing_since);

    Process& with = encrypting_process(first, registry_with(works_once));
    pass_for(with);
    ASSERT_EQ(with.executor.count(), 1U);
    end(with, 0);
    EXPECT_EQ(output(run), "did x");
}

TEST_F(Unreadable, AnActivityIsGivenBackUntilSomebodyHasTheKey) {
    Process& turns = process_for_turns(CoderChain().then(encryption(first)), works_once);
    Process& activities = encrypting_process(second, activities_only());
    const InstanceName run = start_encrypted();
    settle();
    pass_long();
    EXPECT_EQ(activities.executor.count(), 0U);
    EXPECT_GT(activities.runtime->counts().unreadable, 15U);
    ASSERT_EQ(queue().size(), 1U);
    EXPECT_EQ(queue()[0].attempt, 0U) << "no attempt is counted";

    // A key that reads is added while all are at work: its result is written with the other one,
    // which the process with the turns does not have.
    add_to(second, 1);
    pass(Policy().unregistered_backoff_max + 1ms);
    ASSERT_EQ(activities.executor.count(), 1U);
    end(activities, 0);
    pass_for(turns);
    EXPECT_GE(turns.runtime->counts().unreadable, 1U);
    pass_long();
    EXPECT_EQ(info(run).status, Status::running);
    add_to(first, 2);
    pass_for(turns);
    EXPECT_EQ(output(run), "did x");
}

TEST_F(Unreadable, AProcessWithoutCodersTakesNothingForAValue) {
    const InstanceName run = start_encrypted();
    Process& plain = process(registry_with(works_once), logging());
    settle();
    pass_long();
    EXPECT_EQ(plain.executor.count(), 0U);
    EXPECT_GT(plain.runtime->counts().unreadable, 15U);
    EXPECT_THAT(logged.at(0), HasSubstr("make_coded_store"));

    Process& turns = process_for_turns(CoderChain().then(encryption(first)), works_once);
    pass_for(turns);
    ASSERT_EQ(turns.runtime->counts().turns_committed, 1U);
    pass_long();
    EXPECT_EQ(plain.executor.count(), 0U) << "nor the input of an activity";
    EXPECT_EQ(info(run).status, Status::running);
}

TEST_F(Unreadable, AMessageThatOneProcessCannotReadWaitsForAnother) {
    encrypting_process(second, registry_with(awaits_go));
    const auto plain = client.start(Main, StartOptions().id("i1"), std::string("x"));
    ASSERT_TRUE(plain.ok());
    const InstanceName run{"default", "i1"};
    settle();
    ASSERT_EQ(info(run).status, Status::running);
    ASSERT_TRUE(writer.raise(run, "go", Payload::text("now")).ok());
    settle();
    pass_long();
    EXPECT_EQ(info(run).status, Status::running);
    EXPECT_EQ(info(run).ready_messages, 1U);
    add_to(second, 1);
    pass(Policy().unregistered_backoff_max + 1ms);
    EXPECT_EQ(info(run).status, Status::completed);
}

TEST_F(Unreadable, HistoryThatOneProcessCannotReadWaitsForAnother) {
    const auto failing = std::make_shared<Failing>();
    failing->kind = CodedAs::Kind::history;
    failing->code = Errc::unreadable;
    const CoderChain chain = CoderChain().then(failing);
    Process& p = coded_process(chain, registry_with(awaits_go));
    const InstanceName run = start();
    settle();
    ASSERT_TRUE(p.runtime->evict_one());
    failing->broken = true;
    ASSERT_TRUE(client.raise(run, "go", Payload::text("now")).ok());
    settle();
    EXPECT_EQ(p.runtime->counts().unreadable, 1U);
    pass_long();
    EXPECT_EQ(info(run).status, Status::running);
    EXPECT_FALSE(info(run).held);
    failing->broken = false;
    pass(Policy().unregistered_backoff_max + 1ms);
    EXPECT_EQ(info(run).status, Status::completed);
}

TEST_F(Unreadable, AProcessWithoutCodersGivesBackARunWithCodedHistory) {
    Process& coder = encrypting_process(first, registry_with(awaits_go));
    const InstanceName run = start();  // By a client without coders: its input is as it was.
    settle();
    crash(coder);
    Process& plain = process(registry_with(awaits_go));
    ASSERT_TRUE(client.raise(run, "go", Payload::text("now")).ok());
    settle();
    EXPECT_EQ(plain.runtime->counts().unreadable, 1U);
    EXPECT_FALSE(info(run).held);
    EXPECT_EQ(info(run).status, Status::running);
}

TEST_F(Unreadable, AnUnreadablePayloadHoldsTheRun) {
    const auto failing = std::make_shared<Failing>();
    coded_process(CoderChain().then(failing), registry_with(awaits_go));
    const auto inside = make_coded_store(store, CoderChain().then(failing));
    Client sender(*inside, clock);
    const InstanceName run = start();
    settle();
    ASSERT_TRUE(sender.raise(run, "go", Payload::text("now")).ok());
    failing->broken = true;
    settle();
    EXPECT_TRUE(info(run).held);
    failing->broken = false;
    const auto seen = sender.inspect(run);
    ASSERT_TRUE(seen.ok());
    EXPECT_THAT(seen->held_detail, HasSubstr("a message to it cannot be read: it is broken"));
    ASSERT_TRUE(client.release(run).ok());
    settle();
    EXPECT_EQ(info(run).status, Status::completed) << "nothing was lost";
}

TEST_F(Unreadable, ACancelEndsWhatNobodyHereCanRead) {
    const InstanceName run = start_encrypted();
    encrypting_process(second, registry_with(works_once));
    settle();
    ASSERT_TRUE(client.cancel(run).ok());
    for (int i = 0; i < 20; ++i) pass(Policy().cancel_deadline / 20);
    pass(Policy().sweep_interval);
    EXPECT_EQ(status(run), Status::canceled);
}

TEST_F(Unreadable, AnActivityThatNobodyCanReadHasFailed) {
    const auto failing = std::make_shared<Failing>();
    Process& turns = process_for_turns(CoderChain().then(failing), works_once);
    const InstanceName run = start();
    settle();
    ASSERT_EQ(queue().size(), 1U);
    Process& b = coded_process(CoderChain().then(failing), activities_only());
    failing->broken = true;
    // Until it is answered: the answer can be read.
    while (!queue().empty() && b.runtime->step()) {
    }
    EXPECT_TRUE(queue().empty());
    EXPECT_EQ(b.executor.count(), 0U);
    failing->broken = false;
    settle();
    pass_for(turns);
    const InstanceInfo seen = info(run);
    ASSERT_TRUE(seen.outcome);
    EXPECT_EQ(seen.outcome->status, Status::failed);
    EXPECT_EQ(seen.outcome->failure.kind, FailureKind::infrastructure);
    EXPECT_THAT(seen.outcome->failure.message, HasSubstr("its input cannot be read"));
}

// ---- Values that cannot be written -------------------------------------------------------------

TEST_F(Unreadable, ATurnThatCannotBeWrittenHereIsLeftToOthers) {
    for (const Errc code : {Errc::unreadable, Errc::not_found}) {
        const auto failing = std::make_shared<Failing>();
        Process& without =
            coded_process(CoderChain().then(failing), only_code(works_once), logging());
        failing->encodes_not = code;
        logged.clear();
        const InstanceName run = start(std::string(to_string(code)));
        settle();
        ASSERT_FALSE(logged.empty());
        EXPECT_THAT(logged[0], HasSubstr("is given back: the history cannot be encoded"));
        EXPECT_THAT(logged[0], HasSubstr("no key to write with"));
        pass_long();
        EXPECT_GT(without.runtime->counts().unreadable, 15U);
        EXPECT_EQ(info(run).status, Status::pending);
        EXPECT_EQ(info(run).attempts, 0U) << "no attempt is counted";
        Process& with = process(registry_with(works_once));
        pass_for(with);
        ASSERT_EQ(with.executor.count(), 1U);
        end(with, 0);
        EXPECT_EQ(info(run).status, Status::completed);
        crash(without);
        crash(with);
    }
}

TEST_F(Unreadable, AnActivitysResultIsKeptUntilItCanBeWritten) {
    const auto failing = std::make_shared<Failing>();
    Process& p = coded_process(CoderChain().then(failing), registry_with(works_once), logging());
    const InstanceName run = start();
    settle();
    ASSERT_EQ(p.executor.count(), 1U);
    failing->encodes_not = Errc::unreadable;
    end(p, 0);
    pass_leases();
    EXPECT_EQ(info(run).status, Status::running);
    EXPECT_EQ(p.executor.count(), 1U) << "it is done, and is not done again";
    EXPECT_EQ(p.runtime->counts().leases_lost, 0U);
    ASSERT_EQ(logged.size(), 1U);
    EXPECT_THAT(logged[0], HasSubstr("what activity Work of 'i1' came to is kept"));
    EXPECT_EQ(p.runtime->counts().completions_refused, 1U);
    failing->encodes_not.reset();
    pass(Policy().unregistered_backoff);
    EXPECT_EQ(info(run).status, Status::completed);
}

TEST_F(Unreadable, AKeptResultIsDroppedWhenItsRunIsCanceled) {
    const auto failing = std::make_shared<Failing>();
    Process& p = coded_process(CoderChain().then(failing), registry_with(works_once));
    const InstanceName run = start();
    settle();
    failing->encodes_not = Errc::unreadable;
    end(p, 0);
    ASSERT_TRUE(client.cancel(run).ok());
    pass(Policy().unregistered_backoff);
    EXPECT_TRUE(queue().empty());
    EXPECT_EQ(stopping(), 0U) << "its handler is known to have ended";
}

TEST_F(Unreadable, AKeptResultIsGivenUpWhenItsWorkerStops) {
    const auto failing = std::make_shared<Failing>();
    Process& stopping_one =
        coded_process(CoderChain().then(failing), registry_with(works_once), logging());
    const InstanceName run = start();
    settle();
    failing->encodes_not = Errc::unreadable;
    end(stopping_one, 0);
    stopping_one.runtime->shut_down();
    pass(Policy().unregistered_backoff);
    EXPECT_TRUE(stopping_one.runtime->idle());
    ASSERT_EQ(logged.size(), 2U);
    EXPECT_THAT(logged[1], HasSubstr("is given up, and it is run again elsewhere"));
    Process& other =
        coded_process(CoderChain().then(std::make_shared<Failing>()), registry_with(works_once));
    settle();
    ASSERT_EQ(other.executor.count(), 1U) << "at once";
    EXPECT_EQ(other.executor.at(0).task->details().attempt, 1U);
    end(other, 0);
    EXPECT_EQ(info(run).status, Status::completed);
}

TEST_F(Unreadable, AHeartbeatThatCanNeverBeWrittenIsLeftOut) {
    const auto failing = std::make_shared<Failing>();
    Process& p = coded_process(CoderChain().then(failing), registry_with(works_once), logging());
    const InstanceName run = start();
    settle();
    failing->encodes_not = Errc::invalid_argument;
    p.executor.at(0).task->heartbeats().beat(Payload::text("half"));
    settle();
    pass_leases();
    EXPECT_EQ(p.runtime->counts().leases_lost, 0U);
    EXPECT_EQ(p.executor.at(0).task->stop_reason(), StopReason::none);
    ASSERT_EQ(logged.size(), 1U);
    EXPECT_THAT(logged[0], HasSubstr("a heartbeat could not be written, and is left out"));
    failing->encodes_not.reset();
    end(p, 0);
    EXPECT_EQ(info(run).status, Status::completed);
}

TEST_F(Unreadable, HeartbeatsThatCannotBeWrittenDoNotDriveEachOther) {
    for (const Errc code : {Errc::unavailable, Errc::unreadable}) {
        const auto failing = std::make_shared<Failing>();
        Process& p = coded_process(CoderChain().then(failing), registry_with(works_once));
        const std::string id(to_string(code));
        start(id + "-a");
        start(id + "-b");
        settle();
        ASSERT_EQ(p.executor.count(), 2U);
        // The second one says something while the first is waiting to be renewed without.
        failing->encodes_not = Errc::unavailable;
        p.executor.at(0).task->heartbeats().beat(Payload::text("a"));
        settle();
        p.executor.at(1).task->heartbeats().beat(Payload::text("b"));
        settle();
        failing->encodes_not = code;
        const auto before = p.runtime->counts().renewals + 0U;
        for (int i = 0; i < 20; ++i) pass(Policy().renewal_buffer / 20);
        EXPECT_LT(p.runtime->counts().renewals - before, 8U);
        failing->encodes_not.reset();
        crash(p);
    }
}

TEST_F(Unreadable, AHeartbeatThatCannotBeWrittenNowIsWrittenLater) {
    for (const Errc code : {Errc::unavailable, Errc::unreadable}) {
        const auto failing = std::make_shared<Failing>();
        Process& p =
            coded_process(CoderChain().then(failing), registry_with(works_once), logging());
        start(std::string(to_string(code)));
        settle();
        failing->encodes_not = code;
        for (int i = 0; i < 80; ++i) {
            p.executor.at(0).task->heartbeats().beat(Payload::text("part " + std::to_string(i)));
            pass(Policy().activity_lease / 16);
        }
        EXPECT_EQ(p.runtime->counts().leases_lost, 0U) << "what is said costs no lease";
        EXPECT_EQ(p.executor.at(0).task->stop_reason(), StopReason::none);
        EXPECT_FALSE(queue().at(0).progress);
        EXPECT_LT(p.runtime->counts().renewals, 200U) << "it is not tried all the time";
        failing->encodes_not.reset();
        for (int i = 0; i < 4; ++i) pass(Policy().renewal_buffer / 2);
        ASSERT_TRUE(queue().at(0).progress);
        EXPECT_THAT(queue().at(0).progress->bytes, HasSubstr("part 79"));
        end(p, 0);
        crash(p);
    }
}

TEST_F(Unreadable, AClientWithoutCodersTakesNothingForAValue) {
    const InstanceName run = start_encrypted();
    Process& p = encrypting_process(first, registry_with(works_once));
    settle();
    end(p, 0);
    const auto ended = client.outcome(run);
    ASSERT_TRUE(ended.ok());
    EXPECT_NE(ended->output.flags, 0);
    EXPECT_THROW((void)Ended<std::string>(*ended).value(), DecodeError);
}

}  // namespace
}  // namespace belay::runtime_tests
