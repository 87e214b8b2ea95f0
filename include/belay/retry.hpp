// Retries of failed activities and children: their number and their delays.
#pragma once

#include <belay/status.hpp>
#include <belay/time.hpp>

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace belay {

/// The retries of an activity or a child that failed.
///
///     ctx.call(Charge.with(CallOptions().retry(
///                  RetryPolicy::exponential(100ms).attempts(5).max_delay(1min).jitter(0.5))),
///              order);
///
/// An attempt is a command of its own, and so is the wait between two: a durable timer, during
/// which no worker holds anything. The caller sees one result. If the last attempt fails, too, its
/// failure is thrown, with the number of attempts in `Failure::attempt`. Dropping the call, or a
/// cancel, ends the current attempt or wait, and no more follow.
///
/// Failures of the kinds application, timeout and infrastructure are retried, unless the error
/// itself is final (ApplicationError::not_retryable). Setters throw std::invalid_argument for
/// invalid values.
class RetryPolicy {
public:
    /// One attempt and no retry.
    [[nodiscard]] static RetryPolicy none();
    /// The same delay each time.
    [[nodiscard]] static RetryPolicy fixed(Millis delay);
    /// The delay is `first`, and `step` more each time.
    [[nodiscard]] static RetryPolicy linear(Millis first, Millis step);
    /// The delay is `first`, and `factor` times as long each time: `first * factor^(n - 1)` after
    /// the nth attempt, rounded down to milliseconds. The factor counts to three decimals, and is
    /// from 1 to 1000.
    [[nodiscard]] static RetryPolicy exponential(Millis first, double factor = 2.0);

    /// The number of attempts, the first included. Default: 3.
    RetryPolicy& attempts(std::uint32_t most);
    /// Retries without a limit, or as long as `deadline` allows.
    RetryPolicy& unlimited_attempts();
    /// The longest delay. Default: an hour.
    RetryPolicy& max_delay(Millis most);
    /// Draws each delay from the last `part` of it: between (1 - part) and all of it. 0 is no
    /// jitter, 1 any delay from none to all. The draw is the run's own
    /// (OrchestrationContext::random), and so the same on every replay.
    RetryPolicy& jitter(double part);
    /// The time for all attempts, from when the call was scheduled. No attempt begins after it. A
    /// current attempt is then dropped, as failed of kind timeout. A delay that would end after it
    /// does not begin: the failure before it is thrown at once.
    RetryPolicy& deadline(Millis total);
    /// The time for each attempt, the waiting in its queue included. A longer attempt is dropped,
    /// and counts as failed of kind timeout. It is asked to stop (`StopReason::canceled`) and not
    /// waited for, so the next attempt may overlap with the rest of it. To avoid that, use
    /// CallOptions::start_to_close, which waits until the attempt has stopped before the retry: for
    /// Policy::grace at most, after which a thread that does not stop is left behind.
    RetryPolicy& attempt_timeout(Millis each);
    /// Failures of this kind are final.
    RetryPolicy& not_on(FailureKind kind);
    /// Failures of this kind are retried, too. With `canceled`, a child that somebody canceled is
    /// retried.
    RetryPolicy& also_on(FailureKind kind);
    /// Failures of this type are final: the type of an ApplicationError, or the class of another
    /// exception, as in "std::out_of_range".
    RetryPolicy& not_on(std::string type);

    // For the engine.

    /// True if another attempt may follow `failure` of attempt number `attempt`.
    [[nodiscard]] bool again_after(const Failure& failure, std::uint32_t attempt) const;
    /// Returns the wait after attempt number `attempt` failed, before jitter.
    [[nodiscard]] Millis delay_after(std::uint32_t attempt) const;
    /// Returns `delay` with jitter, for `bits` that were drawn at random; `delay` itself without
    /// jitter.
    [[nodiscard]] Millis jittered(Millis delay, std::uint64_t bits) const;
    /// True if bits have to be drawn for `jittered`.
    [[nodiscard]] bool has_jitter() const noexcept { return jitter_permille_ > 0; }
    [[nodiscard]] std::optional<Millis> deadline() const noexcept { return deadline_; }
    [[nodiscard]] std::optional<Millis> attempt_timeout() const noexcept {
        return attempt_timeout_;
    }

private:
    enum class Growth : std::uint8_t { linear, exponential };

    RetryPolicy(Growth growth, Millis first, Millis step, std::uint64_t factor_permille)
        : growth_(growth), first_(first), step_(step), factor_permille_(factor_permille) {}

    // Whole numbers, so that every machine computes the same delays.
    Growth growth_;
    Millis first_;
    Millis step_;
    std::uint64_t factor_permille_;
    std::uint32_t attempts_ = 3;  // 0: unlimited.
    Millis max_delay_{3'600'000};
    std::uint64_t jitter_permille_ = 0;
    std::optional<Millis> deadline_;
    std::optional<Millis> attempt_timeout_;
    std::uint32_t kinds_ = kUsual;  // One bit each.
    std::vector<std::string> final_types_;

    static constexpr std::uint32_t bit(FailureKind kind) noexcept {
        return 1U << static_cast<unsigned>(kind);
    }
    static constexpr std::uint32_t kUsual =
        (1U << static_cast<unsigned>(FailureKind::application)) |
        (1U << static_cast<unsigned>(FailureKind::timeout)) |
        (1U << static_cast<unsigned>(FailureKind::infrastructure));
};

}  // namespace belay
