// The runs of a schedule in the store that its instance is in.
#pragma once

#include "schedule/runner/runs.hpp"
#include <belay/client.hpp>

#include <string>

namespace belay::schedule {

class ClientRuns final : public Runs {
public:
    /// `owner` is the run key of the instance that keeps the schedule: a schedule that was removed
    /// and created again starts new runs for the same ticks.
    ClientRuns(Client& client, std::string name, RunKey owner)
        : client_(client), name_(std::move(name)), owner_(owner) {}

    [[nodiscard]] BegunRun start(const ScheduleSpec& spec, const RunRequest& request) override;
    [[nodiscard]] std::vector<std::optional<SeenRun>> look(
        const std::vector<const StartedRun*>& runs) override;
    void cancel(const StartedRun& run) override;
    [[nodiscard]] Timestamp now() override;

private:
    Client& client_;
    std::string name_;
    RunKey owner_;
};

/// Throws an error that the retries of an activity repeat.
[[noreturn]] void throw_unanswered(const Error& error);

}  // namespace belay::schedule
