// The stores that `belay run` keeps in a folder beside its pipelines.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace belay::cli {

/// The folder of the stores of pipelines, beside them.
inline constexpr const char* kStoreFolder = ".belay";

/// Returns the paths of the stores in a folder, sorted.
[[nodiscard]] std::vector<std::filesystem::path> stores_in(const std::filesystem::path& folder);

/// Returns the URL of a file.
[[nodiscard]] std::string sqlite_url(const std::string& path);

}  // namespace belay::cli
