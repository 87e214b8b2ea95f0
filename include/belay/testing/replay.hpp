// Recorded histories against the code of today.
#pragma once

#include <belay/error.hpp>
#include <belay/limits.hpp>
#include <belay/registry.hpp>

#include <filesystem>
#include <string_view>
#include <vector>

namespace belay::testing {

/// Replays what `Client::export_instance`, `belay export` or World::exported wrote, every execution
/// that is in it, against the code that is registered. Nothing is run but orchestrations, and
/// nothing is written anywhere. One that had not ended when it was exported is replayed as far as
/// it had come.
///
/// `nondeterminism`: this code does something else than the code that was recorded; the message
/// shows both, at the first event at which they differ. Deployed, it would hold such runs.
/// `not_found`: the orchestration is not registered, in the version that was recorded.
/// `invalid_argument`, `limit_exceeded`, `unsupported`: the document cannot be read; the message
/// names the place.
///
/// The limits must be those that the program runs with: see Limits.
[[nodiscard]] Result<void> replay(std::string_view document,
                                  const Registry& registry,
                                  const Limits& limits = Limits());

/// One document of a directory, and whether the code still does what it says.
struct ReplayedFile {
    std::filesystem::path file;
    Result<void> result;
};

/// Replays every `*.json` of a directory, in the order of their names. A file that cannot be read
/// has a result that says so; a directory that is not there, or has none, throws a Problem: a test
/// that replays nothing is not to pass.
[[nodiscard]] std::vector<ReplayedFile> replay_all(const std::filesystem::path& directory,
                                                   const Registry& registry,
                                                   const Limits& limits = Limits());

}  // namespace belay::testing
