#include "store/sqlite/watcher.hpp"

#include <poll.h>
#include <sys/eventfd.h>
#include <sys/inotify.h>
#include <unistd.h>

#include <array>

namespace belay::sqlite {

std::unique_ptr<Watcher> Watcher::start(NoticeFile news,
                                        const std::string& path,
                                        store::Listeners& listeners) {
    const int inotify = ::inotify_init1(IN_CLOEXEC | IN_NONBLOCK);
    const int wake = ::eventfd(0, EFD_CLOEXEC);
    if (inotify >= 0 && wake >= 0 && ::inotify_add_watch(inotify, path.c_str(), IN_MODIFY) >= 0) {
        return std::unique_ptr<Watcher>(new Watcher(std::move(news), inotify, wake, listeners));
    }
    if (inotify >= 0) ::close(inotify);
    if (wake >= 0) ::close(wake);
    return nullptr;
}

Watcher::Watcher(NoticeFile news, int inotify, int wake, store::Listeners& listeners)
    : news_(std::move(news)),
      position_(news_.position()),
      inotify_(inotify),
      wake_(wake),
      listeners_(listeners),
      thread_([this] { run(); }) {}

Watcher::~Watcher() {
    const std::uint64_t one = 1;
    [[maybe_unused]] const ssize_t written = ::write(wake_, &one, sizeof(one));
    thread_.join();
    ::close(inotify_);
    ::close(wake_);
}

void Watcher::run() {
    std::array<pollfd, 2> files{pollfd{inotify_, POLLIN, 0}, pollfd{wake_, POLLIN, 0}};
    while (true) {
        if (::poll(files.data(), files.size(), -1) < 0) continue;
        if (files[1].revents != 0) return;
        // The number of writes does not matter, only the contents of the file now.
        std::array<char, 4096> events;
        while (::read(inotify_, events.data(), events.size()) > 0) {
        }
        listeners_.tell(news_.read(position_));
    }
}

}  // namespace belay::sqlite
