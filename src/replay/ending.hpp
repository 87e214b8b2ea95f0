// The end of one execution.
//
//   phase       event                                         next
//   running     the code returns or throws                    code_ended
//   running     the code asks to continue as new              code_ended
//   running     the code is ended by force, or never began    code_ended, failed
//   code_ended  a cancel is awaited                           code_ended
//   code_ended  it is to continue, and is not canceled        continued, or code_ended and failed
//                                                             if it would take along too much
//   code_ended  its rollback has finished                     ended
//
//   outcome     canceled by a request or by the code itself   canceled
//               failed otherwise                              failed
//               the code asked to be skipped                  skipped
//               otherwise                                     completed
#pragma once

#include "base/boxed_optional.hpp"
#include "replay/cancellation.hpp"
#include "replay/identity.hpp"
#include "replay/journal.hpp"
#include "replay/turn_clock.hpp"
#include <belay/limits.hpp>
#include <belay/payload.hpp>
#include <belay/status.hpp>

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace belay::replay {

class Ending {
public:
    enum class Phase : std::uint8_t { running, code_ended, continued, ended };

    Ending(const Identity& identity,
           const Limits& limits,
           const TurnClock& clock,
           const Cancellation& cancellation,
           Journal& journal) noexcept
        : identity_(identity),
          limits_(limits),
          clock_(clock),
          cancellation_(cancellation),
          journal_(journal) {}

    [[nodiscard]] Phase phase() const noexcept { return phase_; }
    [[nodiscard]] bool is_finished() const noexcept { return phase_ > Phase::code_ended; }

    // These are called when the code has ended.
    void complete(Payload output);
    void fail(Failure failure);
    /// Called when the code threw Canceled. Has no effect of its own if the run is canceled.
    void cancel(const std::string& reason);
    /// Called when the code threw SkipRun.
    void skip(std::string reason);

    /// Called when the code asks to continue. It ends where it stands. `version` may be empty.
    void ask_to_continue(Payload input, std::string version);
    [[nodiscard]] bool is_asked_to_continue() const noexcept { return asked_.has_value(); }
    void end_code() noexcept { phase_ = Phase::code_ended; }
    /// True if it is to continue, and neither a cancel nor a failure is in the way.
    [[nodiscard]] bool can_continue() const noexcept {
        return asked_ && !cancellation_.is_requested() && !failure_;
    }
    [[nodiscard]] Payload take_asked_input() { return std::move(*asked_); }
    /// Continues as new with this input.
    void continue_with(Payload input);

    /// True if compensations are due.
    [[nodiscard]] bool needs_rollback() const noexcept {
        return failure_ || cancellation_.is_requested() || self_cancel_;
    }
    /// Ends for good. `cleanup_failures`: one line for each compensation that failed.
    void end(const std::vector<std::string>& cleanup_failures);

    /// Returns none before it has ended.
    [[nodiscard]] const base::BoxedOptional<Outcome>& outcome() const noexcept { return outcome_; }
    /// Returns the input of the next execution. Returns none unless it has continued.
    [[nodiscard]] const std::optional<Payload>& continued() const noexcept { return continued_; }
    [[nodiscard]] const std::string& next_version() const noexcept { return next_version_; }

private:
    [[nodiscard]] Outcome outcome_of(const std::vector<std::string>& cleanup_failures) const;
    [[nodiscard]] Outcome canceled_outcome(std::vector<std::string> problems) const;
    [[nodiscard]] Outcome failed_outcome(const std::vector<std::string>& problems) const;

    const Identity& identity_;
    const Limits& limits_;
    const TurnClock& clock_;
    const Cancellation& cancellation_;
    Journal& journal_;

    Phase phase_ = Phase::running;
    std::optional<Payload> asked_;  // The input to continue with.
    std::string next_version_;
    Payload output_;
    base::BoxedOptional<Failure> failure_;
    bool failed_before_cancel_ = false;
    base::BoxedOptional<CancelRecord> self_cancel_;
    base::BoxedOptional<std::string> skip_reason_;
    base::BoxedOptional<Outcome> outcome_;
    std::optional<Payload> continued_;
};

}  // namespace belay::replay
