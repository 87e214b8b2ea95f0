// Exceptions that orchestrations can catch, that they and activities can throw, and that
// `Result::or_throw` throws.
#pragma once

#include <belay/error.hpp>
#include <belay/status.hpp>

#include <stdexcept>
#include <string>
#include <utility>

namespace belay {

/// The run is being canceled. Thrown by every unshielded call from then on. Not a `std::exception`,
/// so that `catch (const std::exception&)` does not swallow it: let it pass, or clean up under a
/// shield and let the function end. The code may throw it without a cancel: the run then ends as
/// canceled (source self) with this reason; or as failed (kind limit) if the reason is longer than
/// Limits::reason_bytes. Awaiting a future after `Future::cancel` throws it too.
class Canceled {
public:
    /// For the code itself: throwing it cancels its own run.
    explicit Canceled(std::string reason = {}) : reason_(std::move(reason)) {}
    /// Returns the reason of the cancel.
    [[nodiscard]] const std::string& reason() const noexcept { return reason_; }

private:
    std::string reason_;
};

/// An activity or a child failed (or a child was canceled by someone else: kind canceled).
class OperationFailed : public std::runtime_error {
public:
    /// `what` is the failure's message. If users' code throws it with a kind that is no
    /// FailureKind, it is recorded with kind application.
    explicit OperationFailed(Failure failure)
        : std::runtime_error(failure.message), failure_(std::move(failure)) {}
    /// Returns the recorded failure.
    [[nodiscard]] const Failure& failure() const noexcept { return failure_; }
    /// Returns the kind. Decide by it before `type`.
    [[nodiscard]] FailureKind kind() const noexcept { return failure_.kind; }
    /// Returns the type of an ApplicationError, or the class of another exception.
    [[nodiscard]] const std::string& type() const noexcept { return failure_.type; }

private:
    Failure failure_;
};

/// A failure that callers act on, thrown by an activity or an orchestration. The caller gets an
/// OperationFailed of kind application with this type (`Failure::type`).
///
///     throw belay::ApplicationError("CardDeclined", "the bank says no").not_retryable();
///
/// Any other exception works as well; its type is the name of its class.
class ApplicationError : public std::runtime_error {
public:
    /// `type` is for callers and retry policies to decide by, `message` is for people.
    ApplicationError(std::string type, const std::string& message)
        : std::runtime_error(message), type_(std::move(type)) {}
    /// Adds text for people: `Failure::detail`.
    ApplicationError& detail(std::string text) {
        detail_ = std::move(text);
        return *this;
    }
    /// Marks the failure as final: no retry policy retries it.
    ApplicationError& not_retryable() noexcept {
        retryable_ = false;
        return *this;
    }
    /// Returns the type, by which callers and retry policies decide.
    [[nodiscard]] const std::string& type() const noexcept { return type_; }
    [[nodiscard]] const std::string& detail() const noexcept { return detail_; }
    /// False after `not_retryable`.
    [[nodiscard]] bool retryable() const noexcept { return retryable_; }

private:
    std::string type_;
    std::string detail_;
    bool retryable_ = true;
};

/// Thrown by an orchestration to end its run as skipped, with a reason: a success without a result.
/// Open work is canceled, and nothing is rolled back. A run that is being canceled ends as canceled
/// all the same. To its parent a skipped child has completed with a value of
/// PayloadCodec::skipped, which only a call of a child that returns a Payload can take.
///
/// Not a `std::exception`, so that `catch (const std::exception&)` does not swallow it.
class SkipRun {
public:
    /// `reason` is for people. At most Limits::reason_bytes, else the run fails.
    explicit SkipRun(std::string reason) : reason_(std::move(reason)) {}
    /// Returns the reason.
    [[nodiscard]] const std::string& reason() const noexcept { return reason_; }

private:
    std::string reason_;
};

/// A limit of the engine was reached; see `belay/limits.hpp`.
class LimitExceeded : public std::runtime_error {
public:
    using std::runtime_error::runtime_error;
};

/// The error of a Result, thrown by `or_throw`. Its `what` is Error::describe.
class ResultError : public std::runtime_error {
public:
    /// Made by `or_throw`.
    explicit ResultError(Error error)
        : std::runtime_error(error.describe()), error_(std::move(error)) {}
    /// Returns the code, to decide by.
    [[nodiscard]] Errc code() const noexcept { return error_.code(); }
    /// Returns the error.
    [[nodiscard]] const Error& error() const noexcept { return error_; }

private:
    Error error_;
};

/// Stored bytes are not a value of the type they were asked for.
class DecodeError : public std::runtime_error {
public:
    using std::runtime_error::runtime_error;
};

}  // namespace belay
