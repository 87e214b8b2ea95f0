// Listeners to a store's changes, and their notices.
#pragma once

#include <belay/detail/mutex.hpp>
#include <belay/store/store.hpp>

#include <memory>
#include <vector>

namespace belay::store {

/// A change of a run.
struct RunNotice {
    RunRef run;
    RunChange change = RunChange::started;
};

/// The notices for listeners, who are told once a change is committed and no lock is held.
struct Notices {
    bool instances_ready = false;
    bool activities_ready = false;
    std::vector<LeaseToken> stopped;
    std::vector<RunRef> ended;
    std::vector<RunRef> settled;  ///< Settled after their end, not with it.
    std::vector<RunRef> custom_status;
    std::vector<RunRef> key_values;
    std::vector<RunNotice> runs;  ///< For listeners that follow runs.

    void changed(RunRef run, RunChange change) { runs.push_back(RunNotice{run, change}); }
    [[nodiscard]] bool empty() const noexcept {
        return !instances_ready && !activities_ready && stopped.empty() && ended.empty() &&
               settled.empty() && custom_status.empty() && key_values.empty() && runs.empty();
    }
};

/// Thread-safe. Listeners are called with no lock held.
class Listeners {
public:
    void add(StoreListener& listener);
    /// Returns when calls to `listener` that are under way have returned. No call follows. So a
    /// listener cannot remove itself from inside a call.
    void remove(StoreListener& listener);
    void tell(const Notices& notices);
    /// True if anyone follows runs.
    [[nodiscard]] bool anyone_follows();

private:
    struct Entry {
        StoreListener* listener = nullptr;
        bool follows_runs = false;
        int calls = 0;
        bool removed = false;
    };

    bool enter(Entry& entry) BELAY_EXCLUDES(mutex_);
    void leave(Entry& entry) BELAY_EXCLUDES(mutex_);

    detail::Mutex mutex_;
    detail::Condition returned_;
    std::vector<std::shared_ptr<Entry>> entries_ BELAY_GUARDED_BY(mutex_);
};

}  // namespace belay::store
