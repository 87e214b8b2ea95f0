// A flow while it is written in C++: behind belay::Flow, without its types.
#pragma once

#include <belay/error.hpp>
#include <belay/flow/value.hpp>
#include <belay/payload.hpp>
#include <belay/time.hpp>

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace belay {

class StartOptions;
struct ScheduleSpec;

/// The consequence of time that has passed in a wait or an approval.
enum class FlowTimeout : std::uint8_t {
    fail,      ///< The step fails. The default.
    skip,      ///< The step is skipped, and all steps that need it.
    complete,  ///< The step completes without a value.
};

namespace detail {

/// The lists of steps of a flow.
enum class FlowPart : std::uint8_t { steps, on_fail, on_cancel, finally };

/// An argument with its type.
struct FlowArgument {
    FlowTerm term;
    std::string type;
};

/// A param with its type.
struct FlowParam {
    std::string name;
    std::string type;
};

/// The retries of a step.
struct FlowRetries {
    std::uint32_t attempts = 3;
    Millis delay{1'000};
    double factor = 2.0;
    Millis max_delay{300'000};
};

struct PreparedFlow;

/// The definition of a flow as it grows. Mistakes are kept, and reported by `text`.
class FlowDraft {
public:
    FlowDraft(std::string name, std::vector<FlowParam> params);
    FlowDraft(const FlowDraft&) = delete;
    FlowDraft& operator=(const FlowDraft&) = delete;
    ~FlowDraft();

    [[nodiscard]] const std::string& name() const noexcept;
    [[nodiscard]] const std::vector<FlowParam>& params() const noexcept;
    /// Returns the expression of a param.
    [[nodiscard]] FlowTerm param(std::size_t position) const;

    /// Adds a step of a kind, with its value as JSON. Returns its number.
    std::size_t add(FlowPart part, std::string id, const char* kind, std::string value);
    /// The same for an activity, with its arguments.
    std::size_t add_activity(FlowPart part,
                             std::string id,
                             std::string_view activity,
                             const std::vector<FlowArgument>& arguments);
    /// The same for another flow, which becomes a part of this one.
    std::size_t add_flow(FlowPart part,
                         std::string id,
                         const std::shared_ptr<const FlowDraft>& flow,
                         const std::vector<FlowArgument>& arguments);
    /// The same for a kind whose value is an expression.
    std::size_t add_expression(FlowPart part,
                               std::string id,
                               const char* kind,
                               const FlowTerm& term);

    /// Returns the expression of a step's output.
    [[nodiscard]] FlowTerm output_of(std::size_t step) const;
    /// Returns the same, or `otherwise` if the step did not complete.
    [[nodiscard]] FlowTerm output_or(std::size_t step, const FlowTerm& otherwise) const;
    /// Returns an expression over a step that has ended.
    [[nodiscard]] FlowTerm of_ended(std::size_t step, const char* member) const;
    /// Returns a name that expressions see.
    [[nodiscard]] FlowTerm fact(std::string text) const;

    // ---- Fields of a step --------------------------------------------------------------------

    /// Sets a field to JSON.
    void set(std::size_t step, const char* field, std::string json);
    void set_text(std::size_t step, const char* field, std::string_view text);
    /// Sets a field that is an expression. The steps in it come before this one.
    void set_expression(std::size_t step, const char* field, const FlowTerm& term);
    /// Sets a field inside of the value of the kind: the timeout of a wait.
    void set_inside(std::size_t step, const char* field, std::string json);
    void set_retries(std::size_t step, const FlowRetries& retries);
    void set_timeout(std::size_t step, Millis timeout);
    void set_on_timeout(std::size_t step, FlowTimeout then);
    void set_on_cancel(std::size_t step,
                       std::string_view activity,
                       const std::vector<FlowArgument>& arguments);
    /// Adds a field of the answer to an approval. Returns its expression.
    FlowTerm add_question(std::size_t step, std::string_view name, const std::string& type);
    /// Adds a variable of the environment of a program.
    void add_variable(std::size_t step, std::string_view name, const FlowTerm& value);
    /// The steps in an expression of this step come before it.
    void use(std::size_t step, const FlowTerm& term);
    void need(std::size_t step, std::size_t other);
    void come_after(std::size_t step, std::size_t other);

    // ---- Fields of the flow ------------------------------------------------------------------

    void set_of_flow(const char* field, std::string json);
    void set_text_of_flow(const char* field, std::string_view text);
    void set_expression_of_flow(const char* field, const FlowTerm& term);
    void set_output(const FlowTerm& term, const std::string& type);
    void set_concurrency(const FlowTerm& key, const char* when_busy);
    void set_rate(std::uint32_t starts, Millis per, const char* when_over);
    void add_label(std::string name, std::string_view value);

    /// Returns the definition, as JSON.
    [[nodiscard]] std::string text() const;
    /// Checks the definition and those of its sub-flows. Returns `invalid_argument` with all
    /// problems.
    [[nodiscard]] Result<void> check() const;
    /// Returns the input of a run. `arguments`: one for each param.
    [[nodiscard]] Result<Payload> input(const std::vector<Payload>& arguments) const;
    /// Adds to the options of a start what the flow needs. Errors as with `check`.
    [[nodiscard]] Result<void> prepare(StartOptions& options,
                                       const std::vector<Payload>& arguments) const;
    /// Makes a schedule start runs of this flow. Throws std::invalid_argument for mistakes.
    void set_target(ScheduleSpec& schedule, const std::vector<Payload>& arguments) const;
    /// Returns the definitions of this flow and of its sub-flows, as JSON, by name.
    [[nodiscard]] std::map<std::string, std::string> texts() const;

    struct State;

private:
    void changed();
    /// Reads and checks the definition, once.
    [[nodiscard]] Result<std::shared_ptr<const PreparedFlow>> prepared() const;
    void collect(std::map<std::string, const FlowDraft*>& found) const;
    [[nodiscard]] std::vector<std::string> mistakes() const;
    void refuse_foreign(const FlowTerm& term) const;
    /// Returns a param, or a field of an answer, in a definition.
    [[nodiscard]] static std::string param_json(const std::string& type);

    std::unique_ptr<State> state_;
};

/// Returns a name that a step can have: "charge_card" for "ChargeCard".
[[nodiscard]] std::string step_id_of(std::string_view name);
/// Returns a text as JSON, for a place where expressions may stand: it has none.
[[nodiscard]] std::string flow_text(std::string_view text);
/// Returns a text as JSON, for a place where expressions cannot stand.
[[nodiscard]] std::string plain_text(std::string_view text);
/// Returns a text with an expression: `${{ term }}`, as JSON.
[[nodiscard]] std::string flow_hole(const FlowTerm& term);
/// Returns a time as JSON.
[[nodiscard]] std::string flow_time(Millis time);

}  // namespace detail

}  // namespace belay
