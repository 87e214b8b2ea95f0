// Payloads, as people and scripts see them and as they are written on a command line.
#pragma once

#include "cli/json.hpp"
#include <belay/payload.hpp>

#include <functional>
#include <string>
#include <vector>

namespace belay::cli {

[[nodiscard]] std::string codec_name(PayloadCodec codec);

/// On one line: text as it is, JSON without line breaks, numbers, arguments in parentheses,
/// everything else in base64 with its codec. Not yet safe for a terminal.
[[nodiscard]] std::string payload_line(const Payload& payload);

/// Writes {"codec": "text", "value": ...}. Bytes that cannot be shown as a value are written as
/// "base64", with "flags" if there are any, and "encrypted_with", the key, as far as it is known.
/// Writes null for none.
void write_payload(JsonWriter& out, const Payload& payload);

/// Describes values on the command line, for help.
inline constexpr const char* kValueHelp =
    "a number, true, false, JSON in {} or [], else text. text:, integer:, real:, boolean:, json: "
    "or bytes: (base64) in front says which it is; @PATH is the content of a file, @- of the "
    "standard input";

/// Reads a file, or for "-" the standard input. Throws a Problem.
using ReadContent = std::function<std::string(const std::string&)>;

/// Reads one value of a command line. Throws a Problem if it does not fit its prefix.
[[nodiscard]] Payload parse_value(const std::string& word, const ReadContent& read);

/// As the library encodes arguments: none, one, or several joined.
[[nodiscard]] Payload parse_values(const std::vector<std::string>& words, const ReadContent& read);

}  // namespace belay::cli
