#include "store/sqlite/unshared_descriptor.hpp"

#include <belay/detail/assert.hpp>
#include <belay/detail/mutex.hpp>

#include <fcntl.h>
#include <pthread.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <vector>

namespace belay::sqlite {

/// All of them. A fork waits until none is being opened or closed. So a child knows every copy that
/// it has, and closes no descriptor that now belongs to another file.
struct UnsharedDescriptor::Registry {
    detail::Mutex mutex;
    std::vector<UnsharedDescriptor*> all BELAY_GUARDED_BY(mutex);
    bool lost_some BELAY_GUARDED_BY(mutex) = false;

    static void before_fork() BELAY_ACQUIRE(registry().mutex) { registry().mutex.lock(); }
    static void after_fork_in_parent() BELAY_RELEASE(registry().mutex) {
        registry().mutex.unlock();
    }
    static void after_fork_in_child() BELAY_RELEASE(registry().mutex) {
        for (UnsharedDescriptor* const one : registry().all) {
            if (one->number_ >= 0) ::close(one->number_);
            one->number_ = -1;
            registry().lost_some = true;
        }
        registry().mutex.unlock();
    }
};

UnsharedDescriptor::Registry& UnsharedDescriptor::registry() {
    // Never destroyed: a process may fork while it ends.
    static auto* const kOnly = [] {
        const int code = ::pthread_atfork(
            Registry::before_fork, Registry::after_fork_in_parent, Registry::after_fork_in_child);
        BELAY_ASSERT(code == 0);
        return new Registry();
    }();
    return *kOnly;
}

UnsharedDescriptor::UnsharedDescriptor(const std::string& path, int flags, mode_t mode) {
    Registry& known = registry();
    const detail::MutexLock lock(known.mutex);
    known.all.push_back(this);
    number_ = ::open(path.c_str(), flags | O_CLOEXEC, mode);
}

bool UnsharedDescriptor::lost_some_in_fork() {
    Registry& known = registry();
    const detail::MutexLock lock(known.mutex);
    return known.lost_some;
}

UnsharedDescriptor::~UnsharedDescriptor() {
    Registry& known = registry();
    const detail::MutexLock lock(known.mutex);
    known.all.erase(std::find(known.all.begin(), known.all.end(), this));
    if (number_ >= 0) ::close(number_);
}

}  // namespace belay::sqlite
