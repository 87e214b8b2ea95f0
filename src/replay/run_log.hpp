// Log lines of the code of one execution.
//
//   journal     effect of write
//   live        the sink gets the line
//   replaying   nothing: the line was written when the code ran first
#pragma once

#include "replay/identity.hpp"
#include "replay/journal.hpp"
#include "replay/turn_clock.hpp"
#include <belay/log.hpp>

#include <string_view>

namespace belay::replay {

class RunLog {
public:
    /// `sink` may be null. It outlives the log, like the other arguments.
    RunLog(const LogSink* sink,
           const Identity& identity,
           const TurnClock& clock,
           const Journal& journal) noexcept
        : sink_(sink), identity_(identity), clock_(clock), journal_(journal) {}

    /// An exception of the sink is dropped: a log is no part of the run.
    void write(LogLevel level, std::string_view message) const noexcept;

private:
    const LogSink* sink_;
    const Identity& identity_;
    const TurnClock& clock_;
    const Journal& journal_;
};

}  // namespace belay::replay
