// EXPECT: writing variable 'size_' requires holding mutex 'mutex_' exclusively
// COMPILERS: clang
// FLAGS: -Werror=thread-safety
#include <belay/detail/mutex.hpp>

class Box {
public:
    void grow() {
#ifdef BELAY_CONTROL
        const belay::detail::MutexLock lock(mutex_);
#endif
        ++size_;
    }

private:
    belay::detail::Mutex mutex_;
    int size_ BELAY_GUARDED_BY(mutex_) = 0;
};
