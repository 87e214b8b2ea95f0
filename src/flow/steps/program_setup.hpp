// Everything a program of a step gets, made before it starts.
#pragma once

#include "flow/steps/step_options.hpp"

#include <map>
#include <string>

namespace belay::flow {

/// The whole environment of a program. The last setting of a variable counts.
class Environment {
public:
    /// Copies that of this process, without the variables that steps set: a worker may run in a
    /// step.
    Environment();

    void set(const std::string& name, std::string value) { values_[name] = std::move(value); }
    /// Sets BELAY_RUN, BELAY_STEP, BELAY_ITEM, BELAY_ATTEMPT, BELAY_KEY and BELAY_OUTPUT.
    void describe(const StepAttempt& attempt, const std::string& output);

    [[nodiscard]] const std::map<std::string, std::string>& values() const noexcept {
        return values_;
    }
    /// Returns the value; `missing` if it is not set.
    [[nodiscard]] std::string get(const std::string& name, const std::string& missing) const;

private:
    std::map<std::string, std::string> values_;
};

/// Returns a relative path from this base; an empty path is the base.
[[nodiscard]] std::string directory_from(const std::string& base, const std::string& path);

/// Throws OperationFailed, which says what is wrong, if this is no directory. An empty path is that
/// of this process.
void require_directory(const std::string& directory);

/// Throws OperationFailed, which says where it was looked for, if there is no such program. The
/// look-up is that of the system: a name with a slash is a path, from the directory; any other is
/// looked up in PATH.
void require_program(const std::string& name,
                     const std::string& directory,
                     const Environment& environment);

}  // namespace belay::flow
