#include "simulation/store/notices.hpp"

#include <utility>

namespace belay::sim {

void send_with_faults(
    Transport& transport, Notice notice, Rng& rng, FaultCounts& faults, Millis latest) {
    const std::size_t kind = rng.below(100);
    if (kind < 10) {
        faults.add(Fault::dropped_notice);
        return;
    }
    if (kind < 16) {
        faults.add(Fault::doubled_notice);
        transport.send(notice);
    } else if (kind < 26) {
        faults.add(Fault::late_notice);
        notice.deliver_at += Millis(rng.between(1, latest.count()));
    }
    transport.send(std::move(notice));
}

}  // namespace belay::sim
