#include <belay/random.hpp>

#include <mutex>
#include <random>

namespace belay {

namespace {

class SystemRandom final : public Random {
public:
    std::uint64_t next() override {
        const std::lock_guard lock(mutex_);
        const std::uint64_t high = device_();
        return (high << 32) | device_();
    }

private:
    std::mutex mutex_;
    std::random_device device_;
};

}  // namespace

Random& system_random() noexcept {
    static SystemRandom random;
    return random;
}

}  // namespace belay
