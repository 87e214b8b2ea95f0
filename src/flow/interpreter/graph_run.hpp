// A list of steps under way: what its coroutines share.
#pragma once

#include "flow/interpreter/ends.hpp"
#include "flow/interpreter/gate.hpp"
#include "flow/interpreter/kept.hpp"
#include "flow/interpreter/observer.hpp"
#include "flow/interpreter/plan.hpp"
#include "flow/interpreter/run_input.hpp"
#include "flow/interpreter/values.hpp"
#include <belay/limits.hpp>
#include <belay/time.hpp>

#include <cstddef>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace belay::flow {

/// The facts of a run, which all of its lists share.
struct Run {
    std::shared_ptr<const Plan> plan;
    Limits limits;
    std::string id{};                    ///< Of the run that has the steps, also in its children.
    bool is_part = false;                ///< It is a child that runs items of that run.
    Timestamp created{};                 ///< The first turn of that run.
    expr::Value params{};                ///< The variable `params`.
    expr::Value facts{};                 ///< The variable `run`.
    std::string nonce{};                 ///< Of the marks of secrets; empty: it has no secrets.
    expr::Value secrets{};               ///< The variable `secrets`: their marks.
    Fields more{};                       ///< Further variables: `failure`.
    std::optional<expr::Value> steps{};  ///< Set: the variable `steps` is this.
    std::optional<KeptResults> kept{};   ///< Of a resumed run.
    std::shared_ptr<StepObserver> observer{};  ///< Null outside of pictures.

    [[nodiscard]] const Definition& definition() const noexcept { return plan->definition(); }
};

/// A list of steps under way. A step begins when a counter of those before it has come down to
/// zero, so an end costs no more than the edges that leave the step.
class GraphRun {
public:
    /// `before`: a list of the same run that came first, and that expressions can use; or null.
    GraphRun(std::shared_ptr<const Run> run, ListName list, std::shared_ptr<const GraphRun> before);

    [[nodiscard]] const Run& run() const noexcept { return *run_; }
    [[nodiscard]] std::size_t size() const noexcept { return steps_.size(); }
    [[nodiscard]] ListName list() const noexcept { return list_->name; }
    [[nodiscard]] const Step& step(const Spot& spot) const { return (*list_->steps)[spot.step]; }
    [[nodiscard]] const PlannedStep& planned(const Spot& spot) const {
        return list_->planned[spot.step];
    }
    /// Adds a variable for the expressions of this list.
    void add_variable(std::string name, expr::Value value);

    /// Opens when the steps before it have ended.
    [[nodiscard]] AtGate turn_of(std::size_t step) const { return AtGate(steps_[step].turn); }
    /// Opens when the list fails or ends early: its other steps are to be dropped.
    [[nodiscard]] AtGate end_of_list() const { return AtGate(over_); }
    /// Returns how the list has ended; none while it goes on.
    [[nodiscard]] const std::optional<ListEnd>& end() const noexcept { return end_; }

    /// Returns the time of that turn.
    [[nodiscard]] Timestamp ended_at() const noexcept { return ended_at_; }

    /// Evaluates the condition of the flow. Throws OperationFailed if that is not possible.
    [[nodiscard]] bool may_begin() const;
    void begin(Timestamp at) const;
    /// Decides if the step runs. Otherwise returns how it ends without running.
    [[nodiscard]] std::optional<StepEnd> end_without_running(const Spot& spot) const;
    /// Ends a step, and opens the gates of those that waited for it.
    void end(const Spot& spot, StepEnd end, Timestamp at);
    /// Returns the end that this step of a resumed run had before; none if it is to run.
    [[nodiscard]] std::optional<KeptEnd> kept(const Spot& spot) const;
    /// The same for an item with this element.
    [[nodiscard]] std::optional<KeptEnd> kept(const Spot& spot, const expr::Value& element) const;
    /// Ends a step as it ended before. It does not end the flow early: that was over.
    void end(const Spot& spot, const KeptEnd& kept, Timestamp at);
    /// Ends the list, if it has not ended.
    void end_list(ListEnd end, Timestamp at);
    /// Returns the failure of this step, or item, for this cause.
    [[nodiscard]] Failure located(Failure failure, const Spot& spot) const;

    /// Returns the variables of a step.
    [[nodiscard]] expr::Map variables(const Spot& spot) const;
    /// Returns the variables of an item of a map, made from those of the step.
    [[nodiscard]] expr::Map variables(const Spot& spot,
                                      const expr::Map& of_step,
                                      const expr::Value& item) const;
    /// Returns the variables of the output of the whole list: all steps.
    [[nodiscard]] expr::Map variables_of_output() const;
    /// Returns the output of a step that has completed.
    [[nodiscard]] const expr::Value& output_of(std::string_view step) const {
        return find(step)->output;
    }
    /// Returns the outputs of the last steps, by their names.
    [[nodiscard]] expr::Value last_outputs() const;
    /// Returns the steps that the expressions of a step use.
    [[nodiscard]] expr::Value steps_for(const PlannedStep& planned) const;
    /// Returns the input of a child that runs items of a map, without items. It has only what their
    /// expressions use.
    [[nodiscard]] RunInput input_for_items(const Spot& spot) const;

    /// Cancels a step or item that has not ended. It ends with this failure, also if its turn has
    /// not come. Nothing happens if it has ended.
    void cancel(const Spot& spot, Failure cause);
    /// Opens when somebody cancels this step or item.
    [[nodiscard]] AtGate canceled(const Spot& spot);
    /// Returns why it was canceled; none if it was not.
    [[nodiscard]] std::optional<Failure> cancel_of(const Spot& spot) const;

    /// The step, or item, has something to clean up from here on, until it has ended.
    void guard(const Spot& spot, expr::Map variables);
    void release(const Spot& spot);
    struct Cleanup {
        Spot spot;
        expr::Map variables;
    };
    /// Returns what a step has to clean up, with its items if it is a map. It stays until it is
    /// released.
    [[nodiscard]] std::vector<Cleanup> cleanups_of(const Spot& spot) const;
    /// Takes what is left to be cleaned up.
    [[nodiscard]] std::vector<Cleanup> take_cleanups();

private:
    struct StepState {
        std::size_t awaited = 0;
        std::shared_ptr<Gate> turn = std::make_shared<Gate>();
        std::optional<StepEnd::How> ended{};
        expr::Value output{};
        expr::Value variable{};  ///< Its entry in `steps`; null: it has none yet.
    };
    using SpotKey = std::pair<std::size_t, std::optional<std::uint64_t>>;
    struct Cancel {
        std::shared_ptr<Gate> gate = std::make_shared<Gate>();
        std::optional<Failure> cause{};
    };

    void set_end(const Spot& spot, const StepEnd& end);
    void open_dependents(const Spot& spot);
    [[nodiscard]] const StepState* find(std::string_view step) const;
    [[nodiscard]] expr::Map with_facts(Fields fields) const;
    [[nodiscard]] bool ends_flow(const Spot& spot) const;
    void add_all_steps(Fields& fields) const;
    [[nodiscard]] expr::Value steps_for_items(const Uses& uses) const;
    [[nodiscard]] expr::Value params_for_items(const Uses& uses) const;

    std::shared_ptr<const Run> run_;
    const PlannedList* list_;
    std::shared_ptr<const GraphRun> before_;
    std::vector<StepState> steps_;
    std::map<std::string, std::size_t, std::less<>> by_name_;
    Fields more_;
    std::shared_ptr<Gate> over_ = std::make_shared<Gate>();
    std::optional<ListEnd> end_;
    Timestamp ended_at_{};
    std::map<SpotKey, Cleanup> cleanups_;
    std::map<SpotKey, Cancel> cancels_;  ///< Of steps and items under way, and of canceled ones.
};

}  // namespace belay::flow
