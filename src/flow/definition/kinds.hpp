// The kinds of steps, and the fields that only some kinds have.
#pragma once

#include "flow/definition/draft.hpp"

#include <array>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

namespace belay::flow {

/// The kinds of what runs when a step is canceled.
inline constexpr std::array<std::string_view, 4> kCleanupKinds{
    "exec", "script", "http", "activity"};

/// Returns the only kind of an object. Reports it if there are none or several.
[[nodiscard]] std::optional<std::string_view> find_kind(Reading& in,
                                                        const yaml::Value& object,
                                                        std::string_view what,
                                                        std::span<const std::string_view> kinds);

/// True if a step of this kind may have the field.
[[nodiscard]] bool takes(std::string_view field, std::string_view kind);

/// Reports the fields that a step of this kind does not have.
void refuse_misplaced(Reading& in, const yaml::Value& object, std::string_view kind);

/// Reads `with`. `arguments` receives the values with their places; null: nobody asks for them.
[[nodiscard]] FormFields read_with(Reading& in,
                                   const Entry& entry,
                                   std::vector<Argument>* arguments);

/// Reads `args`, and `arg_types`, which comes after it.
void read_args(Reading& in, const Entry& entry, std::optional<CodeArguments>& out);
void read_arg_types(Reading& in, const Entry& entry, std::optional<CodeArguments>& out);
/// Reads a type like `list<integer>`. Reports any other text.
[[nodiscard]] std::optional<CodeType> read_code_type(Reading& in, const Entry& entry);
/// Returns nothing if it has a mistake.
[[nodiscard]] std::optional<int> read_stop_signal(Reading& in, const Entry& entry);
/// Reports an object that has `with` and `args`.
void refuse_two_inputs(Reading& in, const yaml::Value& object);

/// Returns the retries of a step. `rest`: for fields that are not in `own`.
[[nodiscard]] Retry merged_retry(const RetryDraft& own,
                                 const RetryDraft& rest,
                                 std::string_view kind);

}  // namespace belay::flow
