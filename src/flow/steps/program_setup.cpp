#include "flow/steps/program_setup.hpp"

#include "flow/steps/failures.hpp"

#include <unistd.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <string_view>
#include <system_error>

namespace belay::flow {

namespace {

namespace fs = std::filesystem;

constexpr std::array<const char*, 6> kOfSteps{
    "BELAY_RUN", "BELAY_STEP", "BELAY_ITEM", "BELAY_ATTEMPT", "BELAY_KEY", "BELAY_OUTPUT"};

/// The PATH of a program whose environment has none.
constexpr const char* kUsualPath = "/bin:/usr/bin";

bool is_there(const fs::path& path) {
    std::error_code problem;
    const fs::file_status status = fs::status(path, problem);
    // One that may not be looked at is there, for all that is known. Starting it tells.
    return fs::exists(status) || (problem && status.type() != fs::file_type::not_found);
}

bool is_in_path(const std::string& name, const fs::path& base, std::string_view path) {
    while (true) {
        const std::size_t end = std::min(path.find(':'), path.size());
        if (is_there(base / fs::path(path.substr(0, end)) / name)) return true;
        if (end == path.size()) return false;
        path.remove_prefix(end + 1);
    }
}

}  // namespace

Environment::Environment() {
    for (char** at = environ; at != nullptr && *at != nullptr; ++at) {
        const std::string_view variable(*at);
        const std::size_t end = variable.find('=');
        if (end == std::string_view::npos || end == 0) continue;
        const std::string_view name = variable.substr(0, end);
        if (std::find(kOfSteps.begin(), kOfSteps.end(), name) != kOfSteps.end()) continue;
        values_.emplace(name, variable.substr(end + 1));
    }
}

void Environment::describe(const StepAttempt& attempt, const std::string& output) {
    set("BELAY_RUN", attempt.run.id);
    set("BELAY_STEP", attempt.step);
    if (attempt.item) set("BELAY_ITEM", std::to_string(*attempt.item));
    set("BELAY_ATTEMPT", std::to_string(attempt.attempt));
    set("BELAY_KEY", attempt.key);
    set("BELAY_OUTPUT", output);
}

std::string Environment::get(const std::string& name, const std::string& missing) const {
    const auto at = values_.find(name);
    return at == values_.end() ? missing : at->second;
}

std::string directory_from(const std::string& base, const std::string& path) {
    if (path.empty()) return base;
    return (fs::path(base) / path).string();
}

void require_directory(const std::string& directory) {
    if (directory.empty()) return;
    if (!is_there(directory)) {
        fail(final_failure("directory", "the directory '" + directory + "' does not exist"));
    }
    std::error_code unknown;
    if (!fs::is_directory(directory, unknown) && !unknown) {
        fail(final_failure("directory", "'" + directory + "' is not a directory"));
    }
}

void require_program(const std::string& name,
                     const std::string& directory,
                     const Environment& environment) {
    if (name.empty()) fail(final_failure("program", "the program has no name"));
    if (name.find('/') != std::string::npos) {
        if (is_there(fs::path(directory) / name)) return;
        const std::string where = directory.empty() || name.starts_with('/')
                                      ? std::string()
                                      : " in the directory '" + directory + "'";
        fail(final_failure("program", "there is no program '" + name + "'" + where));
    }
    const std::string path = environment.get("PATH", kUsualPath);
    if (is_in_path(name, directory, path)) return;
    fail(final_failure("program",
                       "there is no program '" + name + "' in the PATH of the step, which is " +
                           path + " on this worker"));
}

}  // namespace belay::flow
