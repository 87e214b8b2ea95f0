// EXPECT: calling function 'wait' requires holding mutex 'mutex_' exclusively
// COMPILERS: clang
// FLAGS: -Werror=thread-safety
#include <belay/detail/mutex.hpp>

class Box {
public:
    void wait() {
#ifdef BELAY_CONTROL
        const belay::detail::MutexLock lock(mutex_);
        while (size_ == 0) grown_.wait(mutex_);
#else
        grown_.wait(mutex_);
#endif
    }

private:
    belay::detail::Mutex mutex_;
    belay::detail::Condition grown_;
    int size_ BELAY_GUARDED_BY(mutex_) = 0;
};
