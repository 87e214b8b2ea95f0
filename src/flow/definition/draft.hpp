// A definition while it is read: with what only the checks need.
#pragma once

#include "flow/definition/definition.hpp"
#include "flow/definition/reading.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace belay::flow {

/// The name of a step that another step needs.
struct StepName {
    std::string name;
    Place place;
};

/// Retries as they are written. Fields that are not there come from `defaults`.
struct RetryDraft {
    std::optional<std::uint32_t> attempts{};
    std::optional<Millis> delay{};
    std::optional<double> factor{};
    std::optional<Millis> max_delay{};
    std::vector<int> only_exit{};
    std::vector<int> only_status{};
    bool given = false;
};

/// `defaults`: for the steps that run an activity.
struct Defaults {
    RetryDraft retry{};
    std::optional<Millis> timeout{};
    std::string queue{};
    std::optional<Form> limit_key{};
    std::optional<int> stop_signal{};  ///< For exec and script only.
};

/// Facts of a step that only its checks need.
struct StepFacts {
    std::vector<StepName> needs{};
    std::vector<StepName> after{};
    Place id{};
    Place condition{};
    Place end_flow{};
    bool output_given = false;  ///< The form of a program's output is written.
    expr::Type item{};          ///< map: the type of an element.
};

struct Draft {
    Definition definition;
    Defaults defaults{};
    std::array<std::vector<StepFacts>, 5> facts{};  ///< By Part; `flow` has none.

    [[nodiscard]] std::vector<Step>& steps(Part part) {
        switch (part) {
            case Part::on_fail: return definition.on_fail;
            case Part::finally: return definition.finally;
            case Part::on_cancel: return definition.on_cancel;
            default: return definition.steps;
        }
    }
    [[nodiscard]] const std::vector<Step>& steps(Part part) const {
        return const_cast<Draft&>(*this).steps(part);
    }
    [[nodiscard]] std::vector<StepFacts>& facts_of(Part part) {
        return facts[static_cast<std::size_t>(part)];
    }
    [[nodiscard]] const std::vector<StepFacts>& facts_of(Part part) const {
        return facts[static_cast<std::size_t>(part)];
    }
};

/// The lists of steps, in the order of a definition.
inline constexpr std::array kParts{Part::steps, Part::on_fail, Part::finally, Part::on_cancel};

/// Returns the field that holds the list: "steps".
[[nodiscard]] std::string_view to_string(Part part) noexcept;

// ---- The readers of parts of a definition; each is a file ---------------------------------------

[[nodiscard]] Draft read_draft(Reading& in, const yaml::Value& document);
void read_params(Reading& in, const Entry& entry, std::string_view what, std::vector<Param>& out);
void read_schedules(Reading& in, const Entry& entry, std::vector<Schedule>& out);
/// Checks the params of schedules, once all params are known.
void check_schedules(Reading& in, const yaml::Value& document, Definition& definition);
void read_retry(Reading& in, const Entry& entry, RetryDraft& out);
void read_steps(Reading& in, const Entry& entry, Part part, Draft& draft);
/// Reads the value of the field that is the kind of a step. Sets nothing if it has a mistake.
void read_action(Reading& in, const Entry& entry, std::optional<Action>& out);

/// The names of the kinds of steps, as fields of a step.
inline constexpr std::array<std::string_view, 9> kStepKinds{
    "exec", "script", "http", "sleep", "wait", "approval", "flow", "activity", "set"};

// ---- The fields of all objects, for the test that compares them with the schema
// ------------------

struct ObjectFields {
    std::string_view object;  ///< "a step"
    std::vector<std::string_view> fields;
};
[[nodiscard]] std::vector<ObjectFields> all_fields();
[[nodiscard]] std::vector<ObjectFields> flow_fields();
[[nodiscard]] std::vector<ObjectFields> param_fields();
[[nodiscard]] std::vector<ObjectFields> schedule_fields();
[[nodiscard]] std::vector<ObjectFields> step_fields();
[[nodiscard]] std::vector<ObjectFields> action_fields();
[[nodiscard]] std::vector<ObjectFields> retry_fields();

}  // namespace belay::flow
