// A turn under way: its inputs and its result.
#pragma once

#include "model/event.hpp"
#include "replay/execution.hpp"
#include "runtime/inbox.hpp"
#include "runtime/local_activities.hpp"
#include <belay/log.hpp>
#include <belay/store/query.hpp>
#include <belay/turn_executor.hpp>

#include <cstddef>
#include <functional>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace belay::runtime {

/// Replays the part of history that it was given. If that is all of it, runs the code with
/// everything that the claim brought, and then with the causes that the turn is fused with.
///
/// It has all that it needs, so that it can go on when its runtime is gone. While it runs, others
/// may only read its inputs.
class TurnRun final : public TurnTask {
public:
    struct Given {
        ClaimedInstance claim;
        std::vector<Finished> finished;
        std::vector<RecordedRow> history;
        std::unique_ptr<replay::Execution> execution;
        std::shared_ptr<const LogSink> log;  ///< The execution's.
        std::size_t message_batch = 0;
    };
    /// The point that it came to.
    enum class Came : std::uint8_t {
        taken,         ///< The turn was taken: `events` are what it adds to history.
        needs_more,    ///< There is more of history than it was given.
        unreadable,    ///< History cannot be decoded: `error`.
        inconsistent,  ///< History is not that of this code, or has a gap: `error`.
    };
    struct Reached {
        Came came = Came::needs_more;
        EventNo before = 0;  ///< The position of the execution before.
        std::optional<Error> error;
        std::vector<model::Event> events;
        HistoryRow row;              ///< The events, encoded.
        std::set<MessageNo> left{};  ///< Messages for the next execution.
    };

    TurnRun(Clock& clock, Given&& given);
    /// Called when it is over, on the thread that ran it. Before it begins.
    void then(std::function<void()> on_end) { on_end_ = std::move(on_end); }

    /// Never changes while it runs.
    [[nodiscard]] const Given& given() const noexcept { return given_; }
    /// Once it is over.
    [[nodiscard]] Given& given_back() noexcept { return given_; }
    [[nodiscard]] Reached take_result() { return std::move(result_); }
    /// Once it was given up before it began.
    [[nodiscard]] std::unique_ptr<replay::Execution> take_execution() {
        return std::move(given_.execution);
    }
    [[nodiscard]] std::string describe() const override;

private:
    void work() noexcept override;
    void tell() noexcept override { on_end_(); }
    void discard() noexcept override { given_.execution.reset(); }

    [[nodiscard]] bool replay();
    void take_turn();

    Given given_;
    std::function<void()> on_end_;
    Reached result_;
};

/// Destroys an execution that is of no more use. Its code may have destructors that take long, and
/// that go on when its runtime is gone.
class DroppedExecution final : public TurnTask {
public:
    /// `log`: the execution's.
    DroppedExecution(Clock& clock,
                     std::unique_ptr<replay::Execution> execution,
                     std::shared_ptr<const LogSink> log)
        : TurnTask(clock),
          name_(execution->name()),
          definition_(execution->definition()),
          log_(std::move(log)),
          execution_(std::move(execution)) {}

    [[nodiscard]] const InstanceName& name() const noexcept { return name_; }
    [[nodiscard]] const std::string& definition() const noexcept { return definition_; }
    [[nodiscard]] std::string describe() const override {
        return "what a turn of '" + name_.id + "' (" + definition_ + ") left behind";
    }

private:
    void work() noexcept override { execution_.reset(); }
    void tell() noexcept override {}
    void discard() noexcept override {}

    const InstanceName name_;
    const std::string definition_;
    const std::shared_ptr<const LogSink> log_;
    std::unique_ptr<replay::Execution> execution_;
};

}  // namespace belay::runtime
