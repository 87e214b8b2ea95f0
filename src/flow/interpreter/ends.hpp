// The ways in which a step, and a list of steps, can end.
#pragma once

#include "expr/value.hpp"
#include <belay/status.hpp>

#include <cstdint>
#include <optional>
#include <string>
#include <utility>

namespace belay::flow {

/// The end of a step, or of an item of a map.
class StepEnd {
public:
    enum class How : std::uint8_t { completed, failed, skipped };

    [[nodiscard]] static StepEnd completed(expr::Value output) {
        StepEnd end(How::completed);
        end.output_ = std::move(output);
        return end;
    }
    [[nodiscard]] static StepEnd failed(Failure failure) {
        StepEnd end(How::failed);
        end.failure_ = std::move(failure);
        return end;
    }
    /// `reason` is for people.
    [[nodiscard]] static StepEnd skipped(std::string reason) {
        StepEnd end(How::skipped);
        end.reason_ = std::move(reason);
        return end;
    }

    [[nodiscard]] How how() const noexcept { return how_; }
    [[nodiscard]] bool is_completed() const noexcept { return how_ == How::completed; }
    [[nodiscard]] bool is_failed() const noexcept { return how_ == How::failed; }
    [[nodiscard]] bool is_skipped() const noexcept { return how_ == How::skipped; }
    /// completed
    [[nodiscard]] const expr::Value& output() const noexcept { return output_; }
    /// failed
    [[nodiscard]] const Failure& failure() const noexcept { return failure_; }
    /// skipped
    [[nodiscard]] const std::string& reason() const noexcept { return reason_; }

    /// The other variables of the step, for a map: `failed`, `completed`.
    expr::Value more{};

private:
    explicit StepEnd(How how) noexcept : how_(how) {}

    How how_;
    expr::Value output_;
    Failure failure_;
    std::string reason_;
};

/// The end of a list of steps.
class ListEnd {
public:
    enum class How : std::uint8_t { completed, ended_early, failed, canceled };

    [[nodiscard]] static ListEnd completed() { return ListEnd(How::completed); }
    /// `step` ended the flow, by its `end_flow`.
    [[nodiscard]] static ListEnd ended_early(std::string step) {
        ListEnd end(How::ended_early);
        end.text_ = std::move(step);
        return end;
    }
    [[nodiscard]] static ListEnd failed(Failure failure) {
        ListEnd end(How::failed);
        end.failure_ = std::move(failure);
        return end;
    }
    [[nodiscard]] static ListEnd canceled(std::string reason) {
        ListEnd end(How::canceled);
        end.text_ = std::move(reason);
        return end;
    }

    [[nodiscard]] How how() const noexcept { return how_; }
    [[nodiscard]] bool is_failed() const noexcept { return how_ == How::failed; }
    [[nodiscard]] bool is_canceled() const noexcept { return how_ == How::canceled; }
    /// failed
    [[nodiscard]] const Failure& failure() const noexcept { return failure_; }
    /// ended_early
    [[nodiscard]] const std::string& step() const noexcept { return text_; }
    /// canceled
    [[nodiscard]] const std::string& reason() const noexcept { return text_; }

private:
    explicit ListEnd(How how) noexcept : how_(how) {}

    How how_;
    Failure failure_;
    std::string text_;
};

}  // namespace belay::flow
