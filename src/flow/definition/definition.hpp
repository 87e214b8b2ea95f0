// The definition of a flow: a graph of steps, read once and evaluated by every run.
#pragma once

#include "base/place.hpp"
#include "expr/program.hpp"
#include "flow/definition/code_type.hpp"
#include "flow/definition/form.hpp"
#include "flow/definition/stop_signal.hpp"
#include <belay/time.hpp>

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

namespace belay::flow {

using base::Place;

/// The version of the language: the field `belay` of a definition.
inline constexpr int kLanguage = 1;

/// A name and a value, in the order of the definition.
using FormFields = Form::Fields;

/// The type of a parameter, of an item of a list, or of a value in an approval's answer.
enum class ParamType : std::uint8_t { string, integer, number, boolean, list, map, any };

[[nodiscard]] std::string_view to_string(ParamType type) noexcept;

/// A typed input of a flow, or of an approval.
struct Param {
    std::string name;
    Place place;
    ParamType type = ParamType::any;
    ParamType of = ParamType::any;  ///< list, map: the type of the elements.
    std::optional<expr::Value> default_value{};
    bool required = true;                ///< False: it may be missing, and is null then.
    std::vector<expr::Value> choices{};  ///< `enum`: the values that are allowed; empty: any.
    std::string pattern{};               ///< string: a regular expression that must match (RE2).
    std::optional<double> min{};
    std::optional<double> max{};
    std::string description{};
};

/// The place from which a secret is read, where the step runs.
struct Secret {
    std::string name;
    Place place;
    std::string env{};   ///< The name of a variable of the environment; or ...
    std::string file{};  ///< ... the path of a file.
};

/// The retries of a step, or of each item of a map.
struct Retry {
    std::uint32_t attempts = 1;  ///< The first one included.
    Millis delay{1'000};
    double factor = 2.0;
    Millis max_delay{300'000};
    std::vector<int> only_exit{};    ///< exec, script: retry only these exit statuses; empty: all.
    std::vector<int> only_status{};  ///< http: retry only these statuses; empty: all.
};

/// The form in which the standard output of a program becomes the result of its step. A program
/// that writes the file $BELAY_OUTPUT gives the JSON in it instead.
enum class OutputForm : std::uint8_t { text, lines, json, none };

/// The consequence of time that has passed in a wait or an approval.
enum class OnTimeout : std::uint8_t { fail, skip, complete };

struct Exec {
    std::vector<Form> program;  ///< The program and its arguments. There is no shell.
};
struct Script {
    std::string text;  ///< Run by `sh -eu`. It has no expressions: values come by `env`.
};
struct Http {
    std::string method = "GET";
    Form url;
    FormFields headers{};
    std::optional<Form> json{};
    std::optional<Form> body{};
    std::vector<int> expect{};  ///< Statuses of success; empty: 200 to 299.
    bool follow = true;         ///< Follow redirections.
};
struct Sleep {
    Form duration;  ///< Text like "10m", or a number of milliseconds.
};
/// Waits for an event that is raised to the run under this name. One that came early is kept.
struct Wait {
    std::string event;
    std::optional<Millis> timeout{};
    OnTimeout on_timeout = OnTimeout::fail;
};
/// Asks a person. The answer is an event named "approval/<step id>".
struct Approval {
    Form prompt;
    std::vector<std::string> from{};  ///< The roles that may answer; empty: anybody.
    std::vector<Param> input{};       ///< The fields of the answer.
    std::optional<Millis> timeout{};
    OnTimeout on_timeout = OnTimeout::fail;
};
/// Another definition, as a child.
struct SubFlow {
    std::string flow;
    bool has_on_fail = false;  ///< That flow has `on_fail`. Only a bundle knows, and sets it.
};
/// An activity that is registered in C++. Its input is `with`, as JSON, or `args`.
struct Call {
    std::string activity;
};
/// The arguments of an activity, one for each of its parameters.
struct CodeArguments {
    std::vector<Form> values;
    /// One for each value; empty: the value decides.
    std::vector<CodeType> types{};
};
/// A value.
struct Set {
    Form value;
};

using Action = std::variant<Exec, Script, Http, Sleep, Wait, Approval, SubFlow, Call, Set>;

/// The name of the kind, as definitions write it: "exec".
[[nodiscard]] std::string_view kind_of(const Action& action) noexcept;

/// One item for each element of a list.
struct MapOver {
    expr::Program over;
    std::string as = "item";           ///< The name of the element; `index` is its number from 0.
    std::uint32_t window = 16;         ///< Items under way at a time.
    bool any_may_fail = false;         ///< All items may fail.
    std::uint32_t items_may_fail = 0;  ///< The step fails with one failed item more.
};

/// A small action that runs, shielded and bounded, when its step is canceled.
struct OnCancel {
    Action action;
    FormFields env{};
    Millis timeout{60'000};
    FormFields with{};                    ///< activity
    std::optional<CodeArguments> args{};  ///< activity, instead of `with`
    std::optional<Form> dir{};            ///< exec, script. Not set: that of the step.
};

struct Step {
    std::string id;
    Place place;
    std::string description{};
    std::vector<std::size_t> needs{};  ///< Completed before. Positions in the same list of steps.
    std::vector<std::size_t> after{};  ///< Ended or skipped before.
    std::optional<expr::Program> condition{};  ///< `if`: false skips the step.
    std::optional<MapOver> map{};
    Action action;
    FormFields with{};                    ///< flow, activity.
    std::optional<CodeArguments> args{};  ///< activity, instead of `with`.
    FormFields env{};                     ///< exec, script.
    std::optional<Form> dir{};
    std::optional<Form> input{};  ///< `stdin`
    OutputForm output = OutputForm::text;
    int stop_signal = kStopSignals[0].second;  ///< exec, script: asks the program to end.
    bool may_fail = false;  ///< A failure does not fail the flow; steps that need it are skipped.
    std::optional<Millis> timeout{};  ///< Bounds each attempt.
    Retry retry{};
    std::string queue{};
    std::string session{};
    std::optional<Form> limit_key{};  ///< The key by which the limits of its queue count.
    std::int32_t priority = 0;
    std::optional<OnCancel> on_cancel{};
    /// `end_flow`: if true once the step has completed, the flow completes at once with its output.
    std::optional<expr::Program> end_flow{};
    std::string end_flow_text{};  ///< The same, as it was written.
};

/// The treatment of a start while the concurrency key is busy.
enum class WhenBusy : std::uint8_t { refuse, queue, replace, allow };

struct Concurrency {
    expr::Program key;
    WhenBusy when_busy = WhenBusy::queue;
};

/// The treatment of a start that exceeds the rate.
enum class WhenOver : std::uint8_t { refuse, queue, drop };

/// At most `starts` runs begin within any `per`.
struct Rate {
    std::uint32_t starts = 0;
    Millis per{0};
    WhenOver when_over = WhenOver::queue;
};

enum class Overlap : std::uint8_t { skip, queue, queue_all, cancel, allow };
enum class CatchUp : std::uint8_t { none, one, all };

struct Schedule {
    Place place;
    std::string name{};                 ///< Empty: its number in the list, from 1.
    std::string cron{};                 ///< Five fields or an `@` form; or ...
    std::optional<Millis> every{};      ///< ... an interval; or ...
    std::optional<Timestamp> at{};      ///< ... one date.
    std::optional<Timestamp> starts{};  ///< No tick is before it.
    std::optional<Timestamp> ends{};    ///< No tick is after it.
    std::string zone = "UTC";
    Overlap overlap = Overlap::skip;
    CatchUp catch_up = CatchUp::one;
    std::optional<Millis> catch_up_within{};  ///< Ticks that are older are not caught up with.
    bool pause_on_failure = false;            ///< A failed run pauses the schedule.
    Millis jitter{0};
    std::vector<std::pair<std::string, expr::Value>> params{};
};

struct Definition {
    std::string name;
    std::string description{};
    std::vector<Param> params{};
    std::vector<Secret> secrets{};
    FormFields env{};  ///< For all exec and script steps.
    std::map<std::string, std::string> labels{};
    std::optional<Millis> timeout{};  ///< Bounds the run.
    std::optional<Millis> expires{};  ///< Not begun by then: canceled by policy.
    /// `if`: false ends the run as skipped, before any step. It sees `params` and `run`.
    std::optional<expr::Program> condition{};
    std::optional<Concurrency> concurrency{};
    std::optional<Rate> rate{};
    std::int32_t priority = 0;  ///< Added to that of each step.
    std::vector<Schedule> schedules{};
    std::vector<Step> steps{};
    std::vector<Step> on_fail{};    ///< A run of their own, begun once Failed is written.
    std::vector<Step> finally{};    ///< Inside the run, after every outcome.
    std::vector<Step> on_cancel{};  ///< Inside the run, after a cancel, shielded and bounded.
    Millis finally_timeout{30 * 60'000};
    Millis on_cancel_timeout{30 * 60'000};
    std::optional<Form> output{};  ///< Not set: a map of the outputs of the last steps.
    /// The form in which the output is stored. Not set: JSON.
    std::optional<CodeType> output_type{};
    /// The results that resumed runs of this document take over: see kept.hpp of the interpreter.
    /// Null: none.
    std::shared_ptr<const expr::Value> kept{};
};

/// Returns the longest time that the cleanup of a canceled run may take.
[[nodiscard]] Millis longest_cleanup(const Definition& definition) noexcept;

}  // namespace belay::flow
