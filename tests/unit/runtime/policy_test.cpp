// The settings of a runtime: what they are when nothing is set, that each has its effect, and that
// what makes no sense is refused at start.
#include "world.hpp"
#include <belay/registry.hpp>
#include <belay/thread_executor.hpp>
#include <belay/worker.hpp>

#include <array>
#include <functional>
#include <stdexcept>

namespace belay::runtime_tests::policy {
namespace {

using namespace std::chrono_literals;

class Settings : public World {
protected:
    /// A lease is as long as said, renewed that long before its end and not earlier; and a handler
    /// that is canceled is aborted after its grace period and not earlier.
    void expect_in_effect(const RuntimeOptions& options,
                          Millis lease,
                          Millis buffer,
                          Millis grace) {
        Process& p = process(registry_with(one_step), options);
        const auto run = start();
        settle();
        ASSERT_EQ(queue().size(), 1U);
        EXPECT_EQ(queue()[0].leased_until, clock.wall() + lease);
        const Timestamp first_until = queue()[0].leased_until;
        pass(lease - buffer - 1ms);
        EXPECT_EQ(queue()[0].leased_until, first_until);
        pass(1ms);
        EXPECT_EQ(queue()[0].leased_until, clock.wall() + lease);

        ASSERT_TRUE(client.cancel(run).ok());
        settle();
        ASSERT_EQ(p.executor.at(0).stopped, StopReason::canceled);
        pass(grace - 1ms);
        EXPECT_FALSE(p.executor.at(0).aborted);
        pass(1ms);
        EXPECT_TRUE(p.executor.at(0).aborted);
    }
    /// Returns the error of a runtime, and of a worker; "" if they take it.
    std::string refusal(const RuntimeOptions& options) {
        const Registry registry = activities_only();
        std::string said;
        try {
            ScriptedExecutor executor;
            const Runtime runtime(store, registry, executor, options);
        } catch (const std::invalid_argument& refused) {
            said = refused.what();
        }
        try {
            const Worker worker(store, registry, options);
            EXPECT_EQ(said, "");
        } catch (const std::invalid_argument& refused) {
            EXPECT_EQ(said, refused.what());
        }
        return said;
    }
    std::string refusal(const std::function<void(Policy&)>& change) {
        Policy policy;
        change(policy);
        std::string said;
        try {
            const Client other(store, clock, system_random(), Limits(), policy);
        } catch (const std::invalid_argument& refused) {
            said = refused.what();
        }
        EXPECT_EQ(refusal(RuntimeOptions().policy(policy)), said) << "a client says the same";
        return said;
    }
};

TEST_F(Settings, LeaseRenewalBufferAndGraceAreThirtyFiveAndTenSeconds) {
    EXPECT_EQ(Policy().activity_lease, 30s);
    EXPECT_EQ(Policy().turn_lease, 30s);
    EXPECT_EQ(Policy().renewal_buffer, 5s);
    EXPECT_EQ(Policy().grace, 10s);
    expect_in_effect(RuntimeOptions(), 30s, 5s, 10s);
}

TEST_F(Settings, LeaseRenewalBufferAndGraceCanBeSet) {
    Policy policy;
    policy.activity_lease = 10s;
    policy.renewal_buffer = 2s;
    policy.grace = 700ms;
    expect_in_effect(RuntimeOptions().policy(policy), 10s, 2s, 700ms);
}

TEST_F(Settings, AShortLeaseIsRenewedHalfWay) {
    Policy policy;
    policy.activity_lease = 4s;
    expect_in_effect(RuntimeOptions().policy(policy), 4s, 2s, 10s);
}

struct Duration {
    const char* name;
    Millis Policy::* member;
    bool may_be_zero = false;
};

constexpr std::array kDurations = {
    Duration{"activity_lease", &Policy::activity_lease},
    Duration{"turn_lease", &Policy::turn_lease},
    Duration{"renewal_buffer", &Policy::renewal_buffer},
    Duration{"heartbeat_interval", &Policy::heartbeat_interval},
    Duration{"output_interval", &Policy::output_interval},
    Duration{"turn_limit", &Policy::turn_limit},
    Duration{"grace", &Policy::grace, true},
    Duration{"cancel_deadline", &Policy::cancel_deadline},
    Duration{"cancel_deadline_max", &Policy::cancel_deadline_max},
    Duration{"unregistered_backoff", &Policy::unregistered_backoff},
    Duration{"unregistered_backoff_max", &Policy::unregistered_backoff_max},
    Duration{"code_patience", &Policy::code_patience, true},
    Duration{"patch_patience", &Policy::patch_patience, true},
    Duration{"session_idle", &Policy::session_idle, true},
    Duration{"retry_delay", &Policy::retry_delay},
    Duration{"poll_interval", &Policy::poll_interval},
    Duration{"sweep_interval", &Policy::sweep_interval},
};

TEST_F(Settings, ADurationOutOfRangeIsRefusedByName) {
    for (const Duration& duration : kDurations) {
        const auto with = [&](Millis value) {
            return refusal([&](Policy& policy) { policy.*duration.member = value; });
        };
        const std::string named = "belay: Policy::" + std::string(duration.name) + " must ";
        EXPECT_TRUE(with(-1ms).starts_with(named)) << duration.name << ": " << with(-1ms);
        EXPECT_TRUE(with(Millis::max()).starts_with(named))
            << duration.name << ": " << with(Millis::max());
        if (duration.may_be_zero) {
            EXPECT_EQ(with(0ms), "");
        } else {
            EXPECT_TRUE(with(0ms).starts_with(named)) << duration.name << ": " << with(0ms);
        }
    }
    EXPECT_EQ(refusal([](Policy&) {}), "") << "the defaults are in range";
}

TEST_F(Settings, ACountOutOfRangeIsRefusedByName) {
    const auto expect = [](const std::string& said, const std::string& name) {
        EXPECT_EQ(said, "belay: " + name);
    };
    expect(refusal([](Policy& policy) { policy.max_attempts = 0; }),
           "Policy::max_attempts must be at least 1");
    expect(refusal([](Policy& policy) { policy.claim_batch = 0; }),
           "Policy::claim_batch must be at least 1");
    expect(refusal([](Policy& policy) { policy.message_batch = 0; }),
           "Policy::message_batch must be at least 1");
    expect(refusal([](Policy& policy) { policy.sweep_batch = 0; }),
           "Policy::sweep_batch must be at least 1");
    expect(refusal(RuntimeOptions().turn_slots(0)),
           "RuntimeOptions::turn_slots must be at least 1");
    expect(refusal(RuntimeOptions().worker("")), "RuntimeOptions::worker must not be empty");
}

}  // namespace
}  // namespace belay::runtime_tests::policy
