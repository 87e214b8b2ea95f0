// Times that suit a test in which processes die every moment.
#pragma once

#include <belay/limits.hpp>

namespace belay::crash {

[[nodiscard]] inline Policy short_leases() {
    Policy policy;
    policy.activity_lease = Millis(1'000);
    policy.turn_lease = Millis(1'000);
    policy.renewal_buffer = Millis(500);
    policy.grace = Millis(2'000);
    policy.poll_interval = Millis(300);
    policy.sweep_interval = Millis(300);
    policy.unregistered_backoff = Millis(50);
    policy.unregistered_backoff_max = Millis(500);
    // A worker that is killed all the time needs many attempts; their number is not tested here.
    policy.max_attempts = 1'000;
    return policy;
}

/// Nothing that is held is free again by the passing of time while the test lasts.
[[nodiscard]] inline Policy long_leases() {
    Policy policy = short_leases();
    policy.activity_lease = Millis(3'600'000);
    policy.turn_lease = Millis(3'600'000);
    policy.takeover_backoff = Millis(10);
    return policy;
}

}  // namespace belay::crash
