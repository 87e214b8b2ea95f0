// The end of a run, with a typed result.
#pragma once

#include <belay/codec.hpp>
#include <belay/exceptions.hpp>
#include <belay/status.hpp>

#include <utility>

namespace belay {

/// The end of a run of a `Definition<R(...)>`.
template <class R>
class [[nodiscard]] Ended {
public:
    /// For the client.
    explicit Ended(Outcome outcome) : outcome_(std::move(outcome)) {}

    /// Returns the outcome in all detail.
    [[nodiscard]] const Outcome& outcome() const noexcept { return outcome_; }
    /// True if there is a value. False if it failed, was canceled, or was skipped.
    [[nodiscard]] bool completed() const noexcept { return outcome_.status == Status::completed; }

    /// Returns the result of the code. Throws OperationFailed if the run failed or was skipped,
    /// Canceled if it was canceled, and DecodeError if the result is no R.
    R value() const {
        if (outcome_.status == Status::canceled) throw Canceled(outcome_.cancel.reason);
        if (outcome_.status == Status::failed) throw OperationFailed(outcome_.failure);
        if (!completed()) {
            throw OperationFailed(
                Failure{.message = "the run was skipped: " + outcome_.skip_reason});
        }
        return detail::decode_result<R>(outcome_.output);
    }

private:
    Outcome outcome_;
};

}  // namespace belay
