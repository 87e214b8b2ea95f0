// What the code of orchestrations can catch, and what it and activities can throw.
#pragma once

#include <belay/status.hpp>

#include <stdexcept>
#include <string>
#include <utility>

namespace belay {

/// The run is being canceled. Thrown by every unshielded call from then on. Deliberately not a
/// `std::exception`, so that `catch (const std::exception&)` does not swallow it: let it pass, or
/// clean up under a shield and let the function end. Thrown by the code itself, without a cancel
/// having been requested, it ends the run as canceled (source self) with this reason; or as failed
/// (kind limit) when the reason is longer than Limits::reason_bytes.
class Canceled {
public:
    /// Thrown by the code itself: cancels its own run.
    explicit Canceled(std::string reason = {}) : reason_(std::move(reason)) {}
    /// The cancel's own.
    [[nodiscard]] const std::string& reason() const noexcept { return reason_; }

private:
    std::string reason_;
};

/// An activity or a child failed (or a child was canceled by someone else: kind canceled).
class OperationFailed : public std::runtime_error {
public:
    /// `what` is the failure's message. Thrown by users' code with a kind that is no FailureKind,
    /// it is recorded as one of kind application.
    explicit OperationFailed(Failure failure)
        : std::runtime_error(failure.message), failure_(std::move(failure)) {}
    /// What was recorded.
    [[nodiscard]] const Failure& failure() const noexcept { return failure_; }
    /// What to decide by, before `type`.
    [[nodiscard]] FailureKind kind() const noexcept { return failure_.kind; }
    /// Of an ApplicationError its type; of another exception the name of its class.
    [[nodiscard]] const std::string& type() const noexcept { return failure_.type; }

private:
    Failure failure_;
};

/// A failure that others are to act on: thrown by an activity or an orchestration, it is seen as an
/// OperationFailed of kind application with this type (`Failure::type`) by who called it.
///
///     throw belay::ApplicationError("CardDeclined", "the bank says no").not_retryable();
///
/// Any other exception does as well; its type is the name of its class.
class ApplicationError : public std::runtime_error {
public:
    /// `type` is what callers and retry policies decide by, `message` is for people.
    ApplicationError(std::string type, const std::string& message)
        : std::runtime_error(message), type_(std::move(type)) {}
    /// More for people to read: `Failure::detail`.
    ApplicationError& detail(std::string text) {
        detail_ = std::move(text);
        return *this;
    }
    /// Another attempt cannot succeed: no retry policy makes one.
    ApplicationError& not_retryable() noexcept {
        retryable_ = false;
        return *this;
    }
    /// What callers and retry policies decide by.
    [[nodiscard]] const std::string& type() const noexcept { return type_; }
    [[nodiscard]] const std::string& detail() const noexcept { return detail_; }
    /// False after `not_retryable`.
    [[nodiscard]] bool retryable() const noexcept { return retryable_; }

private:
    std::string type_;
    std::string detail_;
    bool retryable_ = true;
};

/// A limit of the engine was reached; see `belay/limits.hpp`.
class LimitExceeded : public std::runtime_error {
public:
    using std::runtime_error::runtime_error;
};

/// Stored bytes are not a value of the type they were asked for.
class DecodeError : public std::runtime_error {
public:
    using std::runtime_error::runtime_error;
};

}  // namespace belay
