// Faults of the machine and its disk, when the true store is in a file.
#include "simulation/world/world.hpp"

#include <utility>

namespace belay::sim {

using support::Disk;

void World::trouble_disk() {
    Disk& disk = true_store_.file()->disk();
    if (room_at_ && *room_at_ <= time_.now()) {
        room_at_.reset();
        disk.set_full(false);
    }
    if (!rng_.per_mille(setup_.fault_per_mille)) return;
    const std::size_t kind = rng_.below(100);
    const int after = static_cast<int>(rng_.below(40));
    const int count = rng_.percent(80) ? 1 : static_cast<int>(1 + rng_.below(6));
    if (kind < 30) {
        disk.power_off_after(after);
    } else if (kind < 40) {
        faults_.add(Fault::users_crash);
        lose_machine();
    } else if (kind < 55) {
        disk.fail(Disk::Operation::write,
                  rng_.percent(70) ? SQLITE_IOERR_WRITE : SQLITE_FULL,
                  count,
                  after,
                  Disk::Files::all);
    } else if (kind < 75) {
        disk.fail(Disk::Operation::sync, SQLITE_IOERR_FSYNC, count, after, Disk::Files::all);
    } else if (kind < 85) {
        disk.fail(Disk::Operation::read, SQLITE_IOERR_READ, count, after, Disk::Files::all);
    } else if (!room_at_) {
        faults_.add(Fault::disk_full);
        disk.set_full(true);
        room_at_ = time_.now() + Millis(rng_.between(1, 2 * setup_.policy.turn_lease.count()));
    }
    watch_machine();
}

void World::watch_machine() {
    if (!true_store_.powerless()) return;
    faults_.add(Fault::power_loss);
    lose_machine();
}

/// All processes were on it. Their calls go with them; operators are elsewhere.
void World::lose_machine() {
    for (const auto& process : processes_) {
        if (process->alive()) end(*process);
        transport_.cut_off(process->number(), [](const StoreCall&) { return false; });
        restart_at_[process->number()] =
            time_.now() + Millis(rng_.between(0, setup_.policy.turn_lease.count()));
    }
    room_at_.reset();
    true_store_.restart(!quiet_);
}

void World::mend_disk() {
    if (true_store_.file() == nullptr) return;
    room_at_.reset();
    true_store_.file()->disk().heal();
}

void World::count_disk_faults() {
    if (true_store_.file() == nullptr) return;
    const Disk& disk = true_store_.file()->disk();
    faults_.add(Fault::read_error, disk.failures(Disk::Operation::read));
    faults_.add(Fault::write_error, disk.failures(Disk::Operation::write));
    faults_.add(Fault::sync_error, disk.failures(Disk::Operation::sync));
}

}  // namespace belay::sim
