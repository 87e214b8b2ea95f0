// The stores that `belay run` keeps in a folder beside its pipelines.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace belay::cli {

/// The folder of the stores of pipelines, beside them.
inline constexpr const char* kStoreFolder = ".belay";

/// Returns the paths of the stores in a folder, sorted.
[[nodiscard]] std::vector<std::filesystem::path> stores_in(const std::filesystem::path& folder);

/// Returns the store of the flow that the words of a command name: `backup.db` for the run
/// `backup-7`, for a child of it, for `backup` and for `backup@3`. Returns none if they name no
/// flow with a store here, or several.
[[nodiscard]] std::optional<std::filesystem::path> store_of_words(
    const std::vector<std::filesystem::path>& stores, const std::vector<std::string>& words);

/// Returns the URL of a file.
[[nodiscard]] std::string sqlite_url(const std::string& path);

}  // namespace belay::cli
