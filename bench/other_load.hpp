// The load of the rest of the machine during a measurement.
#pragma once

#include "report.hpp"

namespace belay::bench {

/// The processor's time for this process (RUSAGE_SELF) or for those it waited for
/// (RUSAGE_CHILDREN).
[[nodiscard]] double cpu_seconds(int who);

/// From its construction on.
class LoadWatch {
public:
    LoadWatch();

    /// Processes that were started and waited for count as this one.
    [[nodiscard]] OtherLoad so_far() const;

private:
    /// Seconds of all cores together since the machine was started.
    struct Times {
        double all = 0;
        double busy = 0;
        double stolen = 0;
        double own = 0;
    };
    [[nodiscard]] static Times read();

    Times begin_;
};

}  // namespace belay::bench
