// Recorded histories against the code of today.
#pragma once

#include <belay/error.hpp>
#include <belay/limits.hpp>
#include <belay/registry.hpp>

#include <filesystem>
#include <string_view>
#include <vector>

namespace belay::testing {

/// Replays a document of `Client::export_instance`, `belay export` or World::exported, with every
/// execution in it, against the registered code. Runs nothing but orchestrations, and writes
/// nothing anywhere. An execution that had not ended when it was exported is replayed as far as it
/// had come.
///
/// Errors: `nondeterminism` if this code does something else than the recorded code. The message
/// shows both, at the first event at which they differ. Deployed, this code would hold such runs.
/// `not_found` if the orchestration is not registered, in the version that was recorded.
/// `invalid_argument`, `limit_exceeded`, `unsupported` if the document cannot be read; the message
/// names the place.
///
/// The limits must be those that the program runs with: see Limits.
[[nodiscard]] Result<void> replay(std::string_view document,
                                  const Registry& registry,
                                  const Limits& limits = Limits());

/// One document of a directory, and the result of its replay.
struct ReplayedFile {
    std::filesystem::path file;
    Result<void> result;
};

/// Replays every `*.json` of a directory, in the order of their names. A file that cannot be read
/// has a result that reports it. Throws a Problem if the directory does not exist, or has no such
/// file: a test that replays nothing must not pass.
[[nodiscard]] std::vector<ReplayedFile> replay_all(const std::filesystem::path& directory,
                                                   const Registry& registry,
                                                   const Limits& limits = Limits());

}  // namespace belay::testing
