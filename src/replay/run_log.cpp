#include "replay/run_log.hpp"

namespace belay::replay {

void RunLog::write(LogLevel level, std::string_view message) const noexcept {
    if (journal_.replaying() || sink_ == nullptr || !*sink_) return;
    try {
        (*sink_)(LogRecord{level,
                           message,
                           identity_.name,
                           identity_.execution,
                           identity_.definition,
                           identity_.version,
                           clock_.now()});
    } catch (...) {  // NOLINT(bugprone-empty-catch): a log is no part of the run.
    }
}

}  // namespace belay::replay
