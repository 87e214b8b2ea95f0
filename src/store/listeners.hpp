// Those who want to hear of a store's changes, and what they are told.
#pragma once

#include <belay/store/store.hpp>

#include <condition_variable>
#include <memory>
#include <mutex>
#include <vector>

namespace belay::store {

/// What listeners will be told once a change is committed and no lock is held.
struct Notices {
    bool instances_ready = false;
    bool activities_ready = false;
    std::vector<LeaseToken> stopped;
    std::vector<RunRef> ended;
    std::vector<RunRef> custom_status;

    [[nodiscard]] bool empty() const noexcept {
        return !instances_ready && !activities_ready && stopped.empty() && ended.empty() &&
               custom_status.empty();
    }
};

/// Thread-safe. Listeners are called with no lock held.
class Listeners {
public:
    void add(StoreListener& listener);
    /// Waits until calls to `listener` that are under way have returned; there are none afterwards.
    /// So a listener cannot remove itself from inside a call.
    void remove(StoreListener& listener);
    void tell(const Notices& notices);

private:
    struct Entry {
        StoreListener* listener = nullptr;
        int calls = 0;
        bool removed = false;
    };

    bool enter(Entry& entry);
    void leave(Entry& entry);

    std::mutex mutex_;
    std::condition_variable returned_;
    std::vector<std::shared_ptr<Entry>> entries_;
};

}  // namespace belay::store
