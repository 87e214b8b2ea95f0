// Waiting for something, but not longer than a given time.
#pragma once

#include <belay/combine.hpp>

#include <optional>
#include <type_traits>
#include <utility>

namespace belay {

/// Durable work that is waited for no longer than a given time. Made by `within` of anything that
/// can be awaited. Awaiting it gives the value in a `std::optional`, and none if the time was over
/// first. Work without a value gives a `bool`: true if it was done in time.
///
///     const auto answer = co_await ctx.wait<std::string>("answer").within(5min);
///     if (!answer) co_return "nobody has answered";
///
/// It schedules and records the same as `ctx.select(work, ctx.timer(limit))`, so one can replace
/// the other in the code of a run that is under way. The work is canceled when the time is over,
/// unless it is a future that was passed by reference. A failure throws as it does without a limit.
template <class D>
class [[nodiscard("belay: this does nothing until it is awaited: write co_await")]] Within final
    : private detail::Branches<detail::FirstOf> {
    using Inner = typename D::Value;

public:
    using Value = std::conditional_t<std::is_void_v<Inner>, bool, std::optional<Inner>>;

    /// Made by `within`.
    Within(D work, Millis limit) : limit_(limit), work_(std::in_place, std::move(work)) {}
    Within(Within&&) noexcept = default;
    ~Within() { let_go(); }

    // The protocol of detail::Durable.
    void start(detail::Scope& scope) {
        this->begin();
        if (!this->start_one(work_, scope)) return;
        detail::OperationSpec spec;
        spec.kind = detail::OperationKind::timer;
        spec.delay = limit_;
        timer_.emplace(&detail::engine_of(scope), std::move(spec));
        (void)this->start_one(timer_, scope);
    }
    [[nodiscard]] detail::Completion& completion() noexcept { return *this; }
    Value take() {
        const detail::AtEnd at_end([this]() noexcept { this->let_go(); });
        if (&work_->completion() != this->decisive_) {
            timer_->take();  // Throws if the run was canceled.
            return Value();
        }
        if constexpr (std::is_void_v<Inner>) {
            work_->take();
            return true;
        } else {
            return Value(work_->take());
        }
    }

private:
    void let_go() noexcept {
        this->stop_listening();
        work_.reset();
        timer_.reset();
    }

    Millis limit_;
    std::optional<detail::Owner<D>> work_;
    std::optional<detail::Scheduling<void>> timer_;
};

namespace detail {

template <class Self>
Within<Self> Bounded<Self>::within(Millis limit) && {
    return Within<Self>(std::move(static_cast<Self&>(*this)), limit);
}

}  // namespace detail

template <class T>
Within<Future<T>> Future<T>::within(Millis limit) && {
    return Within<Future>(std::move(*this), limit);
}
template <class T>
Within<detail::Borrowed<T>> Future<T>::within(Millis limit) & {
    return Within<detail::Borrowed<T>>(detail::Borrowed<T>(*this), limit);
}

}  // namespace belay
