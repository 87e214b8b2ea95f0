// The lines that the programs of this process write, on their way to the terminal.
#pragma once

#include "flow/steps/output_log.hpp"
#include "flow/steps/step_options.hpp"
#include <belay/detail/mutex.hpp>
#include <belay/ids.hpp>

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace belay::cli {

/// A line of a step's program.
struct FedLine {
    InstanceName run;
    std::string step;
    std::optional<std::uint64_t> item{};
    std::uint32_t attempt = 1;
    flow::OutputLine line;
};

/// Something happened that a view shows. Any thread may ring, one waits.
class Bell {
public:
    void ring() BELAY_EXCLUDES(mutex_);
    /// Waits until it has rung since the last wait, at most this long. Returns true if it has.
    bool wait(Millis longest) BELAY_EXCLUDES(mutex_);

private:
    detail::Mutex mutex_;
    detail::Condition rung_;
    bool has_rung_ BELAY_GUARDED_BY(mutex_) = false;
};

/// Keeps the lines until they are taken. If nobody takes them for long, it drops new ones and
/// counts them: a program never waits for a terminal.
class OutputFeed : public std::enable_shared_from_this<OutputFeed> {
public:
    static constexpr std::size_t kMostLines = 20'000;

    explicit OutputFeed(std::shared_ptr<Bell> bell) : bell_(std::move(bell)) {}

    /// Returns the log of an attempt. Keeps this feed alive.
    [[nodiscard]] std::shared_ptr<flow::OutputLog> log_of(const flow::StepAttempt& attempt);

    /// Returns the lines since the last call.
    [[nodiscard]] std::vector<FedLine> take() BELAY_EXCLUDES(mutex_);
    /// Returns the number of lines that were dropped since the last call.
    [[nodiscard]] std::uint64_t take_dropped() BELAY_EXCLUDES(mutex_);

    void add(FedLine line) BELAY_EXCLUDES(mutex_);

    /// A sentence of the engine about trouble; kept until it is taken.
    void warn(std::string text) BELAY_EXCLUDES(mutex_);
    [[nodiscard]] std::vector<std::string> take_warnings() BELAY_EXCLUDES(mutex_);

private:
    std::shared_ptr<Bell> bell_;  ///< Shared: an abandoned program may write at any time.
    detail::Mutex mutex_;
    std::vector<FedLine> lines_ BELAY_GUARDED_BY(mutex_);
    std::uint64_t dropped_ BELAY_GUARDED_BY(mutex_) = 0;
    std::vector<std::string> warnings_ BELAY_GUARDED_BY(mutex_);
};

}  // namespace belay::cli
