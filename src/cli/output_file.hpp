// Files that a command writes.
#pragma once

#include <string>

namespace belay::cli {

/// True if writing there replaces what a file holds, so that somebody should be asked.
[[nodiscard]] bool replaces_file(const std::string& path);

/// Writes all of it or nothing. A regular file has its old content until the new one is on disk,
/// and keeps its mode. A new one is for its owner only, since an export may be secret. A link is
/// followed. A pipe or a device is written to as it is. Throws a Problem.
void write_file(const std::string& path, const std::string& content);

}  // namespace belay::cli
