// How often, and when, something that failed is tried again.
#pragma once

#include <belay/status.hpp>
#include <belay/time.hpp>

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace belay {

/// When an activity or a child that failed is tried again.
///
///     ctx.call(Charge.with(CallOptions().retry(
///                  RetryPolicy::exponential(100ms).attempts(5).max_delay(1min).jitter(0.5))),
///              order);
///
/// An attempt is a command of its own, and so is the wait between two: a durable timer, during
/// which no worker holds anything. Whoever awaits the call sees one result. If the last attempt
/// failed, too, its failure is thrown, with the number of attempts in `Failure::attempt`. Letting
/// go of the call, or a cancel, ends the attempt or the wait that is under way, and no more follow.
///
/// Tried again are failures of the kinds application, timeout and infrastructure, unless the error
/// itself says that it is final (ApplicationError::not_retryable). Setters throw
/// std::invalid_argument for what makes no sense.
class RetryPolicy {
public:
    /// One attempt.
    [[nodiscard]] static RetryPolicy none();
    /// The same delay each time.
    [[nodiscard]] static RetryPolicy fixed(Millis delay);
    /// `first`, and `step` more each time.
    [[nodiscard]] static RetryPolicy linear(Millis first, Millis step);
    /// `first`, and each time `factor` times as long: `first * factor^(n - 1)` after the nth
    /// attempt, of which whole milliseconds count. The factor counts to three decimals, and is from
    /// 1 to 1000.
    [[nodiscard]] static RetryPolicy exponential(Millis first, double factor = 2.0);

    /// How many attempts there are, the first included; 3 unless something is said.
    RetryPolicy& attempts(std::uint32_t most);
    /// As many as it takes, or as `deadline` allows.
    RetryPolicy& unlimited_attempts();
    /// No delay is longer; an hour unless something is said.
    RetryPolicy& max_delay(Millis most);
    /// A delay is drawn anew each time from the last `part` of it: between (1 - part) and all of
    /// it. 0 is no jitter, 1 any delay from none to all. The draw is the run's own
    /// (OrchestrationContext::random), and so the same on every replay.
    RetryPolicy& jitter(double part);
    /// From when it was scheduled: no attempt is begun after it, and one that is under way then is
    /// let go, as failed of kind timeout. Nor is a delay begun that would end after it: what failed
    /// before it is thrown at once.
    RetryPolicy& deadline(Millis total);
    /// Of each attempt, the waiting in its queue included. An attempt that takes longer is let go,
    /// and counts as failed of kind timeout: it is asked to stop (`StopReason::canceled`) and not
    /// waited for, so the next attempt may overlap with what is left of it. Where that must not be,
    /// use CallOptions::start_to_close, which waits until it has stopped before it is tried again:
    /// for Policy::grace at most, after which a thread that does not stop is left behind.
    RetryPolicy& attempt_timeout(Millis each);
    /// Failures of this kind are final.
    RetryPolicy& not_on(FailureKind kind);
    /// Failures of this kind are tried again, too. A child that somebody canceled is, with
    /// `canceled`.
    RetryPolicy& also_on(FailureKind kind);
    /// Failures of this type are final: that of an ApplicationError, or the name of the exception's
    /// class, as in "std::out_of_range".
    RetryPolicy& not_on(std::string type);

    // What the engine asks.

    /// Whether `failure` of attempt number `attempt` may be followed by another attempt.
    [[nodiscard]] bool again_after(const Failure& failure, std::uint32_t attempt) const;
    /// How long to wait after attempt number `attempt` failed, before jitter.
    [[nodiscard]] Millis delay_after(std::uint32_t attempt) const;
    /// `delay` with jitter, for `bits` that were drawn at random; `delay` itself without jitter.
    [[nodiscard]] Millis jittered(Millis delay, std::uint64_t bits) const;
    /// Whether bits have to be drawn for `jittered`.
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
