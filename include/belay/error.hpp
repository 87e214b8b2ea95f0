// Errors as values: a code for callers to act on, and a message for people.
#pragma once

#include <belay/detail/assert.hpp>

#include <cstdint>
#include <functional>
#include <source_location>
#include <string>
#include <string_view>
#include <utility>
#include <variant>

namespace belay {

/// The reason why an operation was not done. A code exists only if some caller acts on it
/// differently; nothing is ever decided by reading a message.
enum class Errc : std::uint16_t {
    // The caller's mistake: the same request can never succeed.
    invalid_argument = 1,
    limit_exceeded = 2,

    // The state of the addressed thing forbids it.
    not_found = 10,
    id_in_use = 11,
    duplicate_key = 12,
    already_ended = 13,
    still_running = 14,
    has_parent = 15,
    not_held = 16,
    request_id_reused = 17,  ///< The request id was used before, for a request that asked for
                             ///< something else.
    has_children = 18,       ///< A child is left out that would be without a parent.
    concurrency_busy = 19,   ///< Another run of the same concurrency key is under way.
    rate_exceeded = 30,      ///< The definition has started as many runs as its rate lets begin.

    // A fence did its work: the caller no longer owns what it writes to.
    lease_lost = 20,      ///< The token holds nothing: expired and taken over, given back, or done.
    canceled = 21,        ///< The activity was canceled under its holder.
    position_moved = 22,  ///< Another turn was committed first.
    cancel_unseen = 23,   ///< A cancel was recorded that the turn had not seen.
    messages_waiting = 24,  ///< A turn without a claim would overtake messages that came first.
    run_key_taken = 25,     ///< The fresh run key is in use: draw another one and try again.

    // The store's trouble.
    busy = 40,             ///< Nothing was written. Retry.
    unavailable = 41,      ///< Nothing was written; the store cannot be reached. Retry.
    outcome_unknown = 42,  ///< It may have been written. Send the identical commit again.
    corrupt = 43,          ///< Stored data cannot be read.
    unsupported = 44,      ///< Stored data of a format this version does not know.
    unreadable = 46,       ///< Stored data that was compressed or encrypted, and the coder or the
                           ///< key for it is missing here. Another process may have it.
    store_lost = 47,       ///< Nothing was written, and this store writes no more: its files were
                           ///< removed or replaced (open another one), the process was forked, or
                           ///< it was opened for reading only.

    nondeterminism = 60,  ///< Code and recorded history disagree.
};

[[nodiscard]] std::string_view to_string(Errc code) noexcept;

/// An error: a code to act on, a message for people, and the place it was raised.
class [[nodiscard]] Error {
public:
    /// `where` is the caller's line by default.
    Error(Errc code,
          std::string message,
          std::source_location where = std::source_location::current())
        : code_(code), message_(std::move(message)), where_(where) {}

    /// Returns the code, to decide by.
    [[nodiscard]] Errc code() const noexcept { return code_; }
    /// Returns the message, for people.
    [[nodiscard]] const std::string& message() const noexcept { return message_; }
    /// Returns the place in Belay where it was made.
    [[nodiscard]] const std::source_location& where() const noexcept { return where_; }

    /// True if nothing was written and the same request may succeed later.
    [[nodiscard]] bool retryable() const noexcept {
        return code_ == Errc::busy || code_ == Errc::unavailable;
    }
    /// True if the request may or may not have been carried out.
    [[nodiscard]] bool outcome_unknown() const noexcept { return code_ == Errc::outcome_unknown; }

    /// "not_found: no instance 'order-7'", for logs and terminals.
    [[nodiscard]] std::string describe() const;

private:
    Errc code_;
    std::string message_;
    std::source_location where_;
};

namespace detail {

/// Prints the error, and ends the process.
[[noreturn]] void no_value(const Error& error) noexcept;
/// Throws a ResultError.
[[noreturn]] void throw_error(const Error& error);

}  // namespace detail

/// A value or an Error. `std::expected` would do, but demands C++23 of everyone who embeds Belay.
template <class T>
class [[nodiscard]] Result {
public:
    /// Both conversions are meant: `return value;` and `return Error(...);`.
    Result(T value) : state_(std::in_place_index<0>, std::move(value)) {}
    Result(Error error) : state_(std::in_place_index<1>, std::move(error)) {}

    /// True if there is a value. False if there is an error.
    [[nodiscard]] bool ok() const noexcept { return state_.index() == 0; }
    /// As `ok`.
    explicit operator bool() const noexcept { return ok(); }

    /// Returns the value. Check `ok` first: if there is no value, the error is printed on standard
    /// error and the process ends. `or_throw` throws instead.
    [[nodiscard]] T& value() & {
        if (!ok()) detail::no_value(error());
        return std::get<0>(state_);
    }
    [[nodiscard]] const T& value() const& {
        if (!ok()) detail::no_value(error());
        return std::get<0>(state_);
    }
    [[nodiscard]] T&& value() && {
        if (!ok()) detail::no_value(error());
        return std::get<0>(std::move(state_));
    }
    /// Returns the value. Throws ResultError (belay/exceptions.hpp) if there is none. On a
    /// temporary Result it returns a value and not a reference, so that the value can be kept:
    /// `auto info = client.inspect("order-7").or_throw();`
    T& or_throw() & {
        if (!ok()) detail::throw_error(error());
        return std::get<0>(state_);
    }
    const T& or_throw() const& {
        if (!ok()) detail::throw_error(error());
        return std::get<0>(state_);
    }
    T or_throw() && {
        if (!ok()) detail::throw_error(error());
        return std::get<0>(std::move(state_));
    }
    /// Returns the error. Check `ok` first: the process ends if there is none.
    [[nodiscard]] const Error& error() const& {
        BELAY_ASSERT(!ok());
        return std::get<1>(state_);
    }

    /// As `value`.
    T& operator*() & { return value(); }
    const T& operator*() const& { return value(); }
    /// As `value`.
    T* operator->() { return &value(); }
    const T* operator->() const { return &value(); }

private:
    std::variant<T, Error> state_;
};

/// Done, or an Error.
template <>
class [[nodiscard]] Result<void> {
public:
    Result() = default;
    /// A failure; a default Result is a success.
    Result(Error error) : state_(std::in_place_index<1>, std::move(error)) {}

    /// True for a success. False if there is an error.
    [[nodiscard]] bool ok() const noexcept { return state_.index() == 0; }
    /// As `ok`.
    explicit operator bool() const noexcept { return ok(); }
    /// Throws ResultError (belay/exceptions.hpp) if it is a failure.
    void or_throw() const {
        if (!ok()) detail::throw_error(error());
    }
    /// Returns the error. Check `ok` first: the process ends if there is none.
    [[nodiscard]] const Error& error() const& {
        BELAY_ASSERT(!ok());
        return std::get<1>(state_);
    }

private:
    std::variant<std::monostate, Error> state_;
};

/// Receives one answer. Called exactly once, on any thread, possibly before the call that asked
/// returns; never under a lock of the store. Must not throw.
template <class T>
using Done = std::function<void(Result<T>)>;

}  // namespace belay
