// Retention policies from a configuration file. In a library of its own, belay::config, so that
// programs that do not read one need no parser.
#pragma once

#include <belay/error.hpp>
#include <belay/limits.hpp>
#include <belay/retention/rules.hpp>

#include <string>
#include <string_view>

namespace belay {

/// The policies of a TOML text, from its table `retention`; what else is in the text is left alone.
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
///     namespace = "eu"               # "default" if not said
///     definition = "meter"
///     max_count = 10
///
/// Ages are a whole number and a unit: ms, s, m, h, d, w (7 days) or y (365 days); or several in a
/// row, "1h30m". At most a hundred years.
/// `invalid_argument` for a text that is no TOML, an unknown key in the table, a value of another
/// type, an age that is none; the message says in which line. Otherwise as check_retention.
[[nodiscard]] Result<RetentionPolicies> parse_retention(std::string_view text,
                                                        const Limits& limits = Limits());

/// The policies of a TOML file. As parse_retention, and `unavailable` for a file that cannot be
/// read or is no regular one, `limit_exceeded` for one of more than Limits::payload_bytes; the
/// message names the file.
[[nodiscard]] Result<RetentionPolicies> read_retention_file(const std::string& path,
                                                            const Limits& limits = Limits());

/// A file that a worker follows: `RuntimeOptions().retention_source(retention_file("belay.toml"))`.
/// What is changed in it counts from the next round on. Replace it by renaming another one over it:
/// of one that is written in place, a half may be read.
[[nodiscard]] RetentionSource retention_file(std::string path, const Limits& limits = Limits());

}  // namespace belay
