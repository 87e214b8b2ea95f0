// Handles of activities and orchestrations: a name and a signature, declared once.
#pragma once

#include <belay/detail/signature.hpp>

#include <string_view>
#include <type_traits>
#include <utility>

namespace belay {

class CallOptions;
class ChildOptions;

/// Declared by a signature only: see Activity<R(Params...)>.
template <class Signature>
class Activity {
    static_assert(
        !std::is_same_v<Signature, Signature>,
        "belay: declare an activity by its signature: belay::Activity<Result(Parameters...)>");
};

template <class Handle, class Options>
class WithOptions;

/// The handle of an activity: its name and signature, declared once and used on both sides.
///
///     inline constexpr belay::Activity<Payment(OrderId, Money)> Charge{"Charge"};
///
/// Parameters and result are values with a `Codec`; anything else does not compile.
template <class R, class... Params>
class Activity<R(Params...)> {
public:
    /// The result of a call.
    using Result = R;

    /// `name` is stored in histories and must never change. It is not copied: pass a literal, or a
    /// text that lives as long as the handle. Two handles of one name must have one signature.
    constexpr explicit Activity(std::string_view name) noexcept : name_(name) {
        (detail::check_parameter<Params>(), ...);
        detail::check_result<R>();
    }
    /// The name under which it is registered and stored.
    [[nodiscard]] constexpr std::string_view name() const noexcept { return name_; }
    /// Returns the same activity, to be called with these options.
    [[nodiscard]] WithOptions<Activity, CallOptions> with(CallOptions options) const;

private:
    std::string_view name_;
};

/// Declared by a signature only: see Definition<R(Params...)>.
template <class Signature>
class Definition {
    static_assert(!std::is_same_v<Signature, Signature>,
                  "belay: declare an orchestration by its signature: "
                  "belay::Definition<Result(Parameters...)>");
};

/// The handle of an orchestration, to start it or to call it as a child.
///
///     inline constexpr belay::Definition<Receipt(Order)> Checkout{"Checkout"};
template <class R, class... Params>
class Definition<R(Params...)> {
public:
    /// The result of a call.
    using Result = R;

    /// `name` is stored in histories and must never change. It is not copied: pass a literal, or a
    /// text that lives as long as the handle. Two handles of one name must have one signature.
    constexpr explicit Definition(std::string_view name) noexcept : name_(name) {
        (detail::check_parameter<Params>(), ...);
        detail::check_result<R>();
    }
    /// The name under which it is registered and stored.
    [[nodiscard]] constexpr std::string_view name() const noexcept { return name_; }
    /// Returns the same orchestration, to be called as a child with these options.
    [[nodiscard]] WithOptions<Definition, ChildOptions> with(ChildOptions options) const;

private:
    std::string_view name_;
};

/// A handle with options for its calls. Made by `with`, and passed to `ctx.call` in the place of
/// the handle. Can be kept, and used for any number of calls.
template <class Handle, class Options>
class WithOptions {
public:
    /// The result of a call.
    using Result = typename Handle::Result;

    /// Made by `with`.
    WithOptions(Handle handle, Options options) : handle_(handle), options_(std::move(options)) {}
    /// The handle that is called.
    [[nodiscard]] const Handle& handle() const noexcept { return handle_; }
    /// The options of the call.
    [[nodiscard]] const Options& options() const noexcept { return options_; }

private:
    Handle handle_;
    Options options_;
};

}  // namespace belay
