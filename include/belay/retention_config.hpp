// Retention policies from a configuration file. In a library of its own, belay::config, so that
// programs that do not read one need no parser.
#pragma once

#include <belay/error.hpp>
#include <belay/limits.hpp>
#include <belay/retention/rules.hpp>

#include <string>
#include <string_view>

namespace belay {

/// Reads the policies of a TOML text from its table `retention`; ignores the rest of the text.
///
///     [[retention.instances]]        # ended instances
///     max_age = "90d"                # of every orchestration, however they ended
///
///     [[retention.instances]]
///     definition = "order"
///     outcome = "failed"             # completed, failed or canceled
///     max_age = "2y"
///     max_count = 10_000
///
///     [[retention.executions]]       # old executions of continue-as-new chains
///     namespace = "eu"               # default: "default"
///     definition = "meter"
///     max_count = 10
///
/// Ages are a whole number and a unit: ms, s, m, h, d, w (7 days) or y (365 days); or several in a
/// row, "1h30m". At most a hundred years. Errors: `invalid_argument` for a text that is no TOML, an
/// unknown key in the table, a value of another type, or an invalid age; the message names the
/// line. Otherwise as check_retention.
[[nodiscard]] Result<RetentionPolicies> parse_retention(std::string_view text,
                                                        const Limits& limits = Limits());

/// Reads the policies of a TOML file. Errors as parse_retention, and `unavailable` for a file that
/// cannot be read or is no regular one, `limit_exceeded` for one of more than
/// Limits::payload_bytes; the message names the file.
[[nodiscard]] Result<RetentionPolicies> read_retention_file(const std::string& path,
                                                            const Limits& limits = Limits());

/// Makes a source of a file: `RuntimeOptions().retention_source(retention_file("belay.toml"))`. The
/// worker reads the file again each round. Replace it by renaming another one over it: a file that
/// is written in place may be read half written.
[[nodiscard]] RetentionSource retention_file(std::string path, const Limits& limits = Limits());

}  // namespace belay
