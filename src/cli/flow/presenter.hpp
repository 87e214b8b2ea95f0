// The ways in which `belay run` shows a run.
#pragma once

#include "cli/flow/output_feed.hpp"
#include "cli/flow/run_view.hpp"
#include "cli/terminal.hpp"
#include <belay/status.hpp>

#include <memory>
#include <string>
#include <vector>

namespace belay::cli {

/// The end of a run, as it is told.
struct RunEnd {
    Outcome outcome;
    Millis took{0};
    std::string more{};  ///< The command that shows the output of the failed step; empty: none.
};

class Presenter {
public:
    Presenter() = default;
    Presenter(const Presenter&) = delete;
    Presenter& operator=(const Presenter&) = delete;
    virtual ~Presenter() = default;

    /// Tells of something that happened: the run was started, joined, or is being canceled.
    virtual void note(const std::string& event, const std::string& text, Timestamp now) = 0;
    /// Shows a new view, and the lines that were written since the last one.
    virtual void show(const RunView& view, const std::vector<FedLine>& lines, Timestamp now) = 0;
    /// Time has passed, and nothing else.
    virtual void tick(Timestamp /*now*/) {}
    /// Lets go of the terminal. The last view stays on it.
    virtual void leave() {}
    virtual void end(const RunView& view, const RunEnd& end, Timestamp now) = 0;
};

enum class Style : std::uint8_t { live, lines, json, quiet };

/// `run` is the id of the run.
[[nodiscard]] std::unique_ptr<Presenter> make_presenter(Style style,
                                                        Terminal& terminal,
                                                        const std::string& run);

/// Returns the lines that tell the end to people.
[[nodiscard]] std::vector<std::string> end_lines(const RunView& view, const RunEnd& end);

}  // namespace belay::cli
