// Activities: code with effects, that orchestrations call by a handle.
#pragma once

#include <belay/detail/signature.hpp>
#include <belay/ids.hpp>
#include <belay/message.hpp>
#include <belay/status.hpp>

#include <cstdint>
#include <stop_token>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>

namespace belay {

template <class Signature>
class Activity {
    static_assert(
        !std::is_same_v<Signature, Signature>,
        "belay: declare an activity by its signature: belay::Activity<Result(Parameters...)>");
};

/// The handle of an activity: its name and signature, declared once and used on both sides.
///
///     inline constexpr belay::Activity<Payment(OrderId, Money)> Charge{"Charge"};
///
/// Parameters and result are values with a `Codec`; anything else does not compile.
template <class R, class... Params>
class Activity<R(Params...)> {
public:
    using Result = R;

    constexpr explicit Activity(std::string_view name) noexcept : name_(name) {
        (detail::check_parameter<Params>(), ...);
        detail::check_result<R>();
    }
    [[nodiscard]] constexpr std::string_view name() const noexcept { return name_; }

private:
    std::string_view name_;
};

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
    using Result = R;

    constexpr explicit Definition(std::string_view name) noexcept : name_(name) {
        (detail::check_parameter<Params>(), ...);
        detail::check_result<R>();
    }
    [[nodiscard]] constexpr std::string_view name() const noexcept { return name_; }

private:
    std::string_view name_;
};

/// Why an activity is asked to stop.
enum class StopReason : std::uint8_t {
    none = 0,
    canceled = 1,    ///< Nobody waits for its result any more.
    lease_lost = 2,  ///< Another worker may have taken it over: end without further effects.
    shutdown = 3,    ///< It will be run again, here or elsewhere.
};

[[nodiscard]] std::string_view to_string(StopReason reason) noexcept;

/// What an activity knows about itself. A value; safe to copy into threads that the activity
/// starts.
struct ActivityDetails {
    InstanceName instance;
    ActivityRef activity;
    std::string definition;  ///< The orchestration that called it.
    std::string version;
    std::string name;
    std::string worker;
    std::uint32_t attempt = 1;
};

/// Handed to an activity that takes it as its first parameter.
class ActivityContext {
public:
    ActivityContext(const ActivityDetails& info, std::stop_token stop, const StopReason* reason)
        : info_(&info), stop_(std::move(stop)), reason_(reason) {}

    [[nodiscard]] const std::string& instance_id() const noexcept { return info_->instance.id; }
    [[nodiscard]] ExecutionNo execution() const noexcept { return info_->activity.execution; }
    [[nodiscard]] const std::string& definition() const noexcept { return info_->definition; }
    [[nodiscard]] const std::string& version() const noexcept { return info_->version; }
    [[nodiscard]] const std::string& name() const noexcept { return info_->name; }
    [[nodiscard]] const std::string& worker() const noexcept { return info_->worker; }
    [[nodiscard]] std::uint32_t attempt() const noexcept { return info_->attempt; }

    /// The same for every attempt at this activity, and for no other: pass it to services that
    /// deduplicate.
    [[nodiscard]] std::string idempotency_key() const;

    /// Requested when the activity should end; `stop_reason` says why.
    [[nodiscard]] const std::stop_token& stop_token() const noexcept { return stop_; }
    [[nodiscard]] bool stop_requested() const noexcept { return stop_.stop_requested(); }
    [[nodiscard]] StopReason stop_reason() const noexcept {
        return stop_.stop_requested() ? *reason_ : StopReason::none;
    }

private:
    const ActivityDetails* info_;
    std::stop_token stop_;
    const StopReason* reason_;
};

}  // namespace belay
