// EXPECT: cannot call function 'grow' while mutex 'mutex_' is held
// COMPILERS: clang
// FLAGS: -Werror=thread-safety
#include <belay/detail/mutex.hpp>

class Box {
public:
    void grow() BELAY_EXCLUDES(mutex_) {
        const belay::detail::MutexLock lock(mutex_);
        ++size_;
    }
    void grow_twice() {
        grow();
#ifndef BELAY_CONTROL
        const belay::detail::MutexLock lock(mutex_);
#endif
        grow();
    }

private:
    belay::detail::Mutex mutex_;
    int size_ BELAY_GUARDED_BY(mutex_) = 0;
};
