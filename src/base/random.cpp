#include <belay/detail/mutex.hpp>
#include <belay/random.hpp>

#include <random>

namespace belay {

namespace {

class SystemRandom final : public Random {
public:
    std::uint64_t next() override {
        const detail::MutexLock lock(mutex_);
        const std::uint64_t high = device_();
        return (high << 32) | device_();
    }

private:
    detail::Mutex mutex_;
    std::random_device device_ BELAY_GUARDED_BY(mutex_);
};

}  // namespace

Random& system_random() noexcept {
    static SystemRandom random;
    return random;
}

}  // namespace belay
