#include "base/policy.hpp"

#include <array>
#include <stdexcept>
#include <string>

namespace belay::base {

namespace {

struct Range {
    const char* name;
    Millis Policy::* setting;
    Millis least{1};
};

constexpr std::array kDurations = {
    Range{"activity_lease", &Policy::activity_lease},
    Range{"turn_lease", &Policy::turn_lease},
    Range{"renewal_buffer", &Policy::renewal_buffer},
    Range{"heartbeat_interval", &Policy::heartbeat_interval},
    Range{"output_interval", &Policy::output_interval},
    Range{"turn_limit", &Policy::turn_limit},
    Range{"grace", &Policy::grace, Millis(0)},
    Range{"cancel_deadline", &Policy::cancel_deadline},
    Range{"cancel_deadline_max", &Policy::cancel_deadline_max},
    Range{"unregistered_backoff", &Policy::unregistered_backoff},
    Range{"unregistered_backoff_max", &Policy::unregistered_backoff_max},
    Range{"code_patience", &Policy::code_patience, Millis(0)},
    Range{"patch_patience", &Policy::patch_patience, Millis(0)},
    Range{"session_idle", &Policy::session_idle, Millis(0)},
    Range{"retry_delay", &Policy::retry_delay},
    Range{"poll_interval", &Policy::poll_interval},
    Range{"sweep_interval", &Policy::sweep_interval},
    Range{"takeover_interval", &Policy::takeover_interval},
    Range{"takeover_backoff", &Policy::takeover_backoff, Millis(0)},
    Range{"retention_interval", &Policy::retention_interval},
};

[[noreturn]] void refuse(const std::string& what) {
    throw std::invalid_argument("belay: Policy::" + what);
}

void check_least(std::uint32_t value, const char* name) {
    if (value == 0) refuse(std::string(name) + " must be at least 1");
}

}  // namespace

void check_policy(const Policy& policy) {
    for (const Range& range : kDurations) {
        const Millis value = policy.*range.setting;
        if (value >= range.least && value <= kLongest) continue;
        refuse(std::string(range.name) + " must be at least " +
               std::to_string(range.least.count()) + " ms and at most ten years");
    }
    if (policy.cancel_deadline_max < policy.cancel_deadline) {
        refuse("cancel_deadline_max must not be less than cancel_deadline");
    }
    if (policy.unregistered_backoff_max < policy.unregistered_backoff) {
        refuse("unregistered_backoff_max must not be less than unregistered_backoff");
    }
    check_least(policy.max_attempts, "max_attempts");
    check_least(policy.claim_batch, "claim_batch");
    check_least(policy.message_batch, "message_batch");
    check_least(policy.sweep_batch, "sweep_batch");
    check_least(policy.bulk_batch, "bulk_batch");
    check_least(policy.bulk_rows, "bulk_rows");
    check_least(policy.prune_batch, "prune_batch");
}

}  // namespace belay::base
