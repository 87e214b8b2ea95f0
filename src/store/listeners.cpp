#include "store/listeners.hpp"

#include <algorithm>

namespace belay::store {

namespace {

void tell_one(StoreListener& listener, const Notices& notices) {
    if (!notices.stopped.empty()) listener.leases_stopped(notices.stopped);
    if (notices.activities_ready) listener.activities_ready();
    if (notices.instances_ready) listener.instances_ready();
    for (const RunRef run : notices.ended) listener.instance_ended(run);
    for (const RunRef run : notices.settled) listener.instance_settled(run);
    for (const RunRef run : notices.custom_status) listener.custom_status_changed(run);
    for (const RunRef run : notices.key_values) listener.key_values_changed(run);
}

void tell_of_runs(StoreListener& listener, const Notices& notices) {
    for (const RunNotice& one : notices.runs) listener.run_changed(one.run, one.change);
}

}  // namespace

void Listeners::add(StoreListener& listener) {
    auto entry = std::make_shared<Entry>();
    entry->listener = &listener;
    entry->follows_runs = listener.follows_runs();
    const detail::MutexLock lock(mutex_);
    entries_.push_back(std::move(entry));
}

void Listeners::remove(StoreListener& listener) {
    const detail::MutexLock lock(mutex_);
    const auto found = std::find_if(entries_.begin(), entries_.end(), [&](const auto& entry) {
        return entry->listener == &listener;
    });
    if (found == entries_.end()) return;
    const std::shared_ptr<Entry> entry = std::move(*found);
    entries_.erase(found);
    entry->removed = true;
    while (entry->calls != 0) returned_.wait(mutex_);
}

void Listeners::tell(const Notices& notices) {
    if (notices.empty()) return;
    std::vector<std::shared_ptr<Entry>> entries;
    {
        const detail::MutexLock lock(mutex_);
        entries = entries_;
    }
    for (const auto& entry : entries) {
        if (!enter(*entry)) continue;
        tell_one(*entry->listener, notices);
        if (entry->follows_runs) tell_of_runs(*entry->listener, notices);
        leave(*entry);
    }
}

bool Listeners::anyone_follows() {
    const detail::MutexLock lock(mutex_);
    return std::any_of(
        entries_.begin(), entries_.end(), [](const auto& entry) { return entry->follows_runs; });
}

bool Listeners::enter(Entry& entry) {
    const detail::MutexLock lock(mutex_);
    if (entry.removed) return false;
    ++entry.calls;
    return true;
}

void Listeners::leave(Entry& entry) {
    const detail::MutexLock lock(mutex_);
    --entry.calls;
    // Called under the lock: once it is released the store may be gone.
    returned_.notify_all();
}

}  // namespace belay::store
