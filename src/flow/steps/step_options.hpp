// Options of the activities that run steps.
#pragma once

#include "flow/steps/output_log.hpp"
#include <belay/activity.hpp>
#include <belay/limits.hpp>
#include <belay/time.hpp>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace belay::flow {

/// One attempt at a step or at an item of a map.
struct StepAttempt {
    InstanceName run;
    ExecutionNo execution = 1;
    std::string step;
    std::optional<std::uint64_t> item{};
    std::uint32_t attempt = 1;
    std::string key{};  ///< The same for all attempts: ActivityContext::idempotency_key.
};

/// Options of `add_step_activities`. Chained setters.
class StepOptions {
public:
    /// Makes the log for the output of an attempt. May return null. Must not block or throw.
    using MakeLog = std::function<std::shared_ptr<OutputLog>(const StepAttempt&)>;

    StepOptions() = default;

    /// Runs programs. Default: yes. Without, `belay.exec` is not registered here, so other workers
    /// run those steps.
    StepOptions& programs(bool allowed) { return set(programs_, allowed); }
    /// The directory of programs, and the base of a step's relative directory. Default: that of
    /// this process.
    StepOptions& directory(std::string path) { return set(directory_, std::move(path)); }
    /// Sets a variable of the environment of all programs. A step may set it otherwise.
    StepOptions& environment(std::string name, std::string value) {
        environment_.emplace_back(std::move(name), std::move(value));
        return *this;
    }
    /// Masks a text in everything that leaves a step, as the secrets of flows are.
    StepOptions& mask(std::string text) {
        masked_.push_back(std::move(text));
        return *this;
    }
    /// The directory for the files $BELAY_OUTPUT. Default: $TMPDIR, or /tmp.
    StepOptions& temporary_directory(std::string path) {
        return set(temporary_directory_, std::move(path));
    }
    /// The bytes of a program's standard output, and of the file $BELAY_OUTPUT. Longer ones fail
    /// their step (kind limit). Default: Limits::program_output_bytes.
    StepOptions& output_limit(std::size_t bytes) { return set(output_limit_, bytes); }
    /// The bytes of the body of an HTTP response. A longer one fails its step (kind limit).
    /// Default: 1 MiB.
    StepOptions& response_limit(std::size_t bytes) { return set(response_limit_, bytes); }
    /// Receives the lines that programs write. Default: nobody does.
    StepOptions& output_log(MakeLog make) { return set(make_log_, std::move(make)); }
    /// The clock for the times of lines; it must outlive all activities. Default: the system's.
    StepOptions& clock(Clock& clock) { return set(clock_, &clock); }

    // For the activities.
    [[nodiscard]] bool programs() const noexcept { return programs_; }
    [[nodiscard]] const std::string& directory() const noexcept { return directory_; }
    [[nodiscard]] const std::vector<std::pair<std::string, std::string>>& environment()
        const noexcept {
        return environment_;
    }
    [[nodiscard]] const std::vector<std::string>& masked() const noexcept { return masked_; }
    [[nodiscard]] const std::string& temporary_directory() const noexcept {
        return temporary_directory_;
    }
    [[nodiscard]] std::size_t output_limit() const noexcept { return output_limit_; }
    [[nodiscard]] std::size_t response_limit() const noexcept { return response_limit_; }
    [[nodiscard]] std::shared_ptr<OutputLog> make_log(const StepAttempt& attempt) const {
        return make_log_ ? make_log_(attempt) : nullptr;
    }
    [[nodiscard]] Clock& clock() const noexcept { return *clock_; }

private:
    template <class T, class U>
    StepOptions& set(T& member, U&& value) {
        member = std::forward<U>(value);
        return *this;
    }

    bool programs_ = true;
    std::string directory_;
    std::vector<std::pair<std::string, std::string>> environment_;
    std::vector<std::string> masked_;
    std::string temporary_directory_;
    std::size_t output_limit_ = Limits().program_output_bytes;
    std::size_t response_limit_ = 1024 * 1024;
    MakeLog make_log_;
    Clock* clock_ = &system_clock();
};

}  // namespace belay::flow
