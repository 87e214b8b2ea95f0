#include "client/started_runs.hpp"

namespace belay::client {

namespace {

/// Under load, as many runs may end while one start is committed.
constexpr std::size_t kEnds = 4'096;

/// Runs that nobody waits for stay until they end.
constexpr std::size_t kMostRuns = 32'768;

}  // namespace

void StartedRuns::add(RunKey run, Position sent) {
    if (may_have_ended(run, sent)) return;
    if (runs_.size() >= kMostRuns) runs_.clear();
    runs_.insert(run);
}

void StartedRuns::hear_end(RunKey run) {
    if (ends_.size() < kEnds) {
        ends_.push_back(run);
    } else {
        ends_[heard_ % kEnds] = run;
    }
    ++heard_;
    runs_.erase(run);
}

bool StartedRuns::may_have_ended(RunKey run, Position since) const {
    if (heard_ - since > ends_.size()) return true;
    for (Position end = since; end < heard_; ++end) {
        if (ends_[end % kEnds] == run) return true;
    }
    return false;
}

}  // namespace belay::client
