// The states of a run, and the ways in which it can end.
#pragma once

#include <belay/ids.hpp>
#include <belay/payload.hpp>
#include <belay/time.hpp>

#include <cstdint>
#include <string>
#include <string_view>

namespace belay {

/// Stored as these integers for ever.
enum class Status : std::uint8_t {
    pending = 1,  ///< Started; no turn was committed yet.
    running = 2,
    canceling = 3,  ///< A cancel is recorded; cleanup may still run. Bounded by a deadline.
    completed = 4,
    failed = 5,
    canceled = 6,
    skipped = 7,           ///< It decided that it had nothing to do: a success, with a reason.
    continued_as_new = 8,  ///< For an execution only, never for an instance.
};

/// True if it has ended, which is final.
[[nodiscard]] constexpr bool is_terminal(Status status) noexcept {
    return status == Status::completed || status == Status::failed || status == Status::canceled ||
           status == Status::skipped;
}

[[nodiscard]] std::string_view to_string(Status status) noexcept;

/// The kind of a failure, for callers that decide by it.
enum class FailureKind : std::uint8_t {
    application = 1,  ///< Thrown by user code.
    timeout = 2,      ///< It was not begun or did not end in time, or reports a timeout itself.
    canceled = 3,     ///< A child that was canceled by someone else, seen by its parent.
    nondeterminism = 4,
    poison = 5,  ///< Killed its worker too often, or its result could not be written.
    limit = 6,
    infrastructure = 7,
    id_in_use = 8,  ///< A child could not be started because its id names another run.
};

[[nodiscard]] std::string_view to_string(FailureKind kind) noexcept;

/// A failure, as it is recorded.
struct Failure {
    FailureKind kind = FailureKind::application;
    std::string message{};
    std::string where{};        ///< The activity, child or orchestration.
    std::uint32_t attempt = 0;  ///< The number of attempts, of which this was the last; 0 if that
                                ///< has no meaning.
    std::string detail{};       ///< A diff, the output of a program, a list of cleanup failures.
    /// The type of an ApplicationError, or the class of another exception: "std::out_of_range".
    std::string type{};
    /// False if the failing code states that a retry cannot succeed. See RetryPolicy.
    bool retryable = true;

    bool operator==(const Failure&) const = default;
};

/// The fate of a child whose parent ends, or continues as new, before it does. Stored as these
/// integers for ever.
enum class ParentClose : std::uint8_t {
    cancel = 1,
    /// It goes on by itself, and nobody is told its result; it is still deleted with its parent. A
    /// parent that drops the call, or is canceled, leaves it alone as well.
    abandon = 2,
};

/// The source of a cancel: a person, a policy, the end of the parent, or the run's own code.
enum class CancelSource : std::uint8_t { user = 1, policy = 2, parent = 3, self = 4 };

/// The result of the cleanup of a canceled run.
enum class Cleanup : std::uint8_t {
    not_needed = 1,  ///< Nothing of it had run.
    done = 2,
    failed = 3,      ///< Ended, but some of it failed; see the detail.
    timed_out = 4,   ///< The deadline passed first.
    terminated = 5,  ///< Ended by `terminate`, without running code.
    skipped = 6,  ///< It was held, or nobody had its code: cleanup may have been due; none of its
                  ///< code was run.
};

[[nodiscard]] std::string_view to_string(CancelSource source) noexcept;
[[nodiscard]] std::string_view to_string(Cleanup cleanup) noexcept;

/// The record of a cancel: written once on the instance, kept across continue-as-new.
struct CancelRecord {
    CancelSource source = CancelSource::user;
    std::string by{};
    std::string reason{};
    Timestamp requested_at{};
    /// Messages with a smaller number were accepted before the cancel and are applied before it,
    /// so that a charge that happened can be refunded.
    MessageNo sequence = 0;

    bool operator==(const CancelRecord&) const = default;
};

/// The end of a run. `status` decides which members apply; a store keeps those, and drops the
/// others.
struct Outcome {
    Status status = Status::completed;
    Payload output{};                       ///< completed
    Failure failure{};                      ///< failed
    CancelRecord cancel{};                  ///< canceled
    Cleanup cleanup = Cleanup::not_needed;  ///< canceled
    /// canceled: the failures of the cleanup, and the failure that the run had before its cancel.
    std::string cleanup_detail{};
    std::string skip_reason{};  ///< skipped

    bool operator==(const Outcome&) const = default;
};

}  // namespace belay
