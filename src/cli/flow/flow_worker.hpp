// A worker in this process that runs flows.
#pragma once

#include "cli/context.hpp"
#include "cli/flow/output_feed.hpp"
#include <belay/registry.hpp>
#include <belay/worker.hpp>

#include <cstdint>
#include <memory>
#include <optional>
#include <string>

namespace belay::cli {

struct FlowWorkerOptions {
    std::string name{};                      ///< Of the command, for people.
    std::optional<std::uint32_t> workers{};  ///< Steps at once; not set: the worker's default.
    std::string directory{};                 ///< The folder of programs.
    bool programs = true;                    ///< It runs programs.
    bool schedules = false;                  ///< It keeps schedules.
};

/// Works from its construction on. Takes all flows of the store, whatever their names.
class FlowWorker {
public:
    /// Rings the bell for lines of programs, and for warnings.
    FlowWorker(Context& context, const FlowWorkerOptions& options, std::shared_ptr<Bell> bell);

    /// The lines that its programs write, and its warnings.
    [[nodiscard]] OutputFeed& feed() noexcept { return *feed_; }
    void stop() { worker_->stop(); }

private:
    std::shared_ptr<OutputFeed> feed_;
    Registry registry_;
    std::optional<Worker> worker_;
};

}  // namespace belay::cli
