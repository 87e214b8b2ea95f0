// Cancels one step of a flow, or one item of a map, while the rest of the run goes on.
#pragma once

#include <belay/error.hpp>
#include <belay/instance_address.hpp>

#include <string>
#include <utility>

namespace belay {

class Client;

/// The people and the reason behind a cancel of a step, for people. Both end up in the failure of
/// the step.
class CancelStepOptions {
public:
    CancelStepOptions() = default;
    /// Why it is canceled.
    CancelStepOptions& reason(std::string reason) {
        reason_ = std::move(reason);
        return *this;
    }
    /// The person or program that cancels.
    CancelStepOptions& by(std::string who) {
        by_ = std::move(who);
        return *this;
    }

    /// The text given to `reason`.
    [[nodiscard]] const std::string& reason() const noexcept { return reason_; }
    /// The text given to `by`.
    [[nodiscard]] const std::string& by() const noexcept { return by_; }

private:
    std::string reason_;
    std::string by_;
};

/// The result of `cancel_step`. A cancel that comes too late is no error.
struct CancelStepResult {
    bool changed = false;  ///< False if the step had ended.
    std::string state;     ///< The state of the step just before: "started", "completed".
};

/// Cancels a step of a run of a flow, and not the run. `step` is "dump", "dump[17]" for an item of
/// a map, or "deploy/push" for a step of the flow that the step `deploy` starts. Its work is
/// stopped and its own `on_cancel` runs. It then counts as failed, with kind canceled: that fails
/// the flow, unless the step may fail; an item counts among those that may fail. A step whose turn
/// has not come never runs.
///
///     belay::cancel_step(client, "backup-7", "dump[17]", CancelStepOptions().reason("too slow"));
///
/// The run decides: if the step ends by itself meanwhile, that end stands. Errors: `not_found` for
/// an unknown run, step or item; `invalid_argument` if it is no run of a flow, or `step` cannot be
/// read; those of Client::raise.
[[nodiscard]] Result<CancelStepResult> cancel_step(
    Client& client,
    const InstanceAddress& run,
    const std::string& step,
    const CancelStepOptions& options = CancelStepOptions());

}  // namespace belay
