// All that a store holds, as text, so that two stores can be compared.
#pragma once

#include "store/memory/tables.hpp"

#include <sqlite3.h>

#include <optional>
#include <string>
#include <vector>

namespace belay::sim {

/// One line for each row, in order. Left out are values that follow from the rest, and details that
/// are each store's own business (the place of an activity in its queue).
using Dump = std::vector<std::string>;

[[nodiscard]] Dump dump(const memory::Tables& tables);
/// Dumps a file of the SQLite store. Returns none if it cannot be read.
[[nodiscard]] std::optional<Dump> dump(sqlite3* db);

/// The first few lines that only one of them has; empty when they are the same.
[[nodiscard]] std::string difference(const Dump& left, const Dump& right);

/// Puts a dot for each byte that is not text, which would spoil a report.
[[nodiscard]] std::string readable(std::string text);

}  // namespace belay::sim
