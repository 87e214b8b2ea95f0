// Gates: points at which a coroutine of a run waits for another coroutine of the same run.
//
// A gate records no command. It is opened by code that runs, so a replay opens it at the same
// point.
#pragma once

#include <belay/detail/engine.hpp>
#include <belay/future.hpp>
#include <belay/limits.hpp>
#include <belay/message.hpp>

#include <memory>
#include <string>
#include <utility>

namespace belay::flow {

/// Closed, and then open for ever. One coroutine can wait at it.
class Gate final : public belay::detail::Completion {
public:
    void open() {
        if (!ready()) set_ready();
    }
};

/// Waits at a gate. It shares the gate, and may be dropped at any time.
class AtGate : public belay::detail::Bounded<AtGate> {
public:
    using Value = void;

    explicit AtGate(std::shared_ptr<Gate> gate) noexcept : gate_(std::move(gate)) {}
    AtGate(AtGate&& other) noexcept = default;
    AtGate& operator=(AtGate&& other) noexcept = delete;
    ~AtGate() {
        if (gate_) gate_->forget_waiter();
    }

    // The protocol of detail::Durable.
    void start(belay::detail::Scope& /*scope*/) const noexcept {}
    [[nodiscard]] belay::detail::Completion& completion() const noexcept { return *gate_; }
    void take() const noexcept {}

private:
    std::shared_ptr<Gate> gate_;
};

/// Waits until an event of this name has come, which `try_wait` then takes. Records nothing.
class AtArrival {
public:
    using Value = void;

    explicit AtArrival(std::string event) : event_(std::move(event)) {}
    AtArrival(AtArrival&& other) noexcept = default;
    AtArrival& operator=(AtArrival&& other) noexcept = delete;
    ~AtArrival() {
        if (arrival_) arrival_->forget_waiter();
    }

    // The protocol of detail::Durable.
    void start(belay::detail::Scope& scope) {
        arrival_ = belay::detail::engine_of(scope).arrival(MessageKind::event_raised, event_);
    }
    [[nodiscard]] belay::detail::Completion& completion() const noexcept { return *arrival_; }
    void take() const noexcept {}

private:
    std::string event_;
    std::shared_ptr<belay::detail::Completion> arrival_{};
};

/// Returns the limits of the run that awaits it, at once.
class AskLimits {
public:
    using Value = Limits;

    // The protocol of detail::Durable.
    void start(belay::detail::Scope& scope) {
        limits_ = belay::detail::engine_of(scope).limits();
        known_->open();
    }
    [[nodiscard]] belay::detail::Completion& completion() const noexcept { return *known_; }
    [[nodiscard]] Limits take() const { return limits_; }

private:
    Limits limits_;
    std::shared_ptr<Gate> known_ = std::make_shared<Gate>();
};

}  // namespace belay::flow
