// EXPECT: writing variable 'size_' requires holding mutex 'mutex_' exclusively
// COMPILERS: clang
// FLAGS: -Werror=thread-safety
#include <belay/detail/mutex.hpp>

class Box {
public:
    void grow() {
        const belay::detail::MutexLock lock(mutex_);
        {
            const belay::detail::MutexUnlock open(mutex_);
#ifndef BELAY_CONTROL
            ++size_;
#endif
        }
        ++size_;
    }

private:
    belay::detail::Mutex mutex_;
    int size_ BELAY_GUARDED_BY(mutex_) = 0;
};
