// Files that are read whole.
#pragma once

#include <belay/error.hpp>

#include <cstddef>
#include <string>

namespace belay::flow {

/// Returns the content of a regular file. Returns `not_found` if there is none, `limit_exceeded` if
/// it has more than `most` bytes, and `invalid_argument` if it is something else than a regular
/// file or cannot be read. Never waits for a writer. Follows symbolic links.
[[nodiscard]] Result<std::string> read_small_file(const std::string& path, std::size_t most);

}  // namespace belay::flow
