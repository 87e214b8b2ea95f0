// Options that several commands share, and functions that read them.
#pragma once

#include "cli/context.hpp"
#include "cli/payload_view.hpp"
#include <belay/limits.hpp>

#include <cstddef>
#include <string>
#include <utility>
#include <vector>

namespace belay::cli {

[[nodiscard]] Operand id_operand();
/// Any number of ids, for commands that take a filter too.
[[nodiscard]] Operand ids_operand();
[[nodiscard]] Option request_id_option();

/// Reads a file, or the standard input for "-". Throws a Problem if it is larger than `most`: a
/// device has no end.
[[nodiscard]] std::string read_content(Context& context,
                                       const std::string& path,
                                       std::size_t most = Limits().document_bytes);
/// The values among the operands, from `first` on.
[[nodiscard]] Payload values_from(Context& context, const Arguments& arguments, std::size_t first);

/// "name=value". Throws a Problem that names the option.
[[nodiscard]] std::pair<std::string, std::string> name_and_value(const char* option,
                                                                 const std::string& text);
/// A label's value: a number or a boolean where it looks like one, else text; "text:7" is text.
[[nodiscard]] LabelValue label_value(const std::string& text);

/// "1 instance", "5 instances".
[[nodiscard]] std::string counted(std::uint64_t count, const std::string& thing);

}  // namespace belay::cli
