// Listens to the news of other processes and tells this one's listeners.
#pragma once

#include "store/listeners.hpp"
#include "store/sqlite/notice_file.hpp"

#include <atomic>
#include <thread>

namespace belay::sqlite {

/// A thread that sleeps until the news file is written to. Stops when it is destroyed.
class Watcher {
public:
    /// Returns null if the kernel has no watch left. Listeners then hear of their own process only,
    /// and polls find the rest.
    [[nodiscard]] static std::unique_ptr<Watcher> start(NoticeFile news,
                                                        const std::string& path,
                                                        store::Listeners& listeners);
    ~Watcher();
    Watcher(const Watcher&) = delete;
    Watcher& operator=(const Watcher&) = delete;

private:
    Watcher(NoticeFile news, int inotify, int wake, store::Listeners& listeners);
    void run();

    NoticeFile news_;
    std::uint64_t position_ = 0;
    const int inotify_;
    const int wake_;
    store::Listeners& listeners_;
    std::thread thread_;
};

}  // namespace belay::sqlite
