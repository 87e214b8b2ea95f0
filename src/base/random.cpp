#include <belay/detail/assert.hpp>
#include <belay/random.hpp>

#include <pthread.h>
#include <sys/random.h>

#include <array>
#include <atomic>
#include <cerrno>
#include <cstddef>

namespace belay {

namespace {

/// The number of forks by which this process came to be. A child must not draw the numbers that its
/// parent draws.
std::atomic<std::uint64_t> forks{0};

/// Numbers drawn ahead. A system call for each, or the processor's own generator, takes longer than
/// all other work for an id.
class Drawn {
public:
    std::uint64_t next() noexcept {
        const std::uint64_t now = forks.load(std::memory_order_relaxed);
        if (left_ == 0 || forks_ != now) {
            forks_ = now;
            fill();
        }
        return numbers_[--left_];
    }

private:
    void fill() noexcept {
        // A request of this size is answered as a whole or not at all.
        static_assert(sizeof(numbers_) <= 256);
        ssize_t got = -1;
        do {
            got = ::getrandom(numbers_.data(), sizeof(numbers_), 0);
        } while (got < 0 && errno == EINTR);
        BELAY_ASSERT(got == sizeof(numbers_));
        left_ = numbers_.size();
    }

    std::array<std::uint64_t, 32> numbers_{};
    std::size_t left_ = 0;
    std::uint64_t forks_ = 0;
};

class SystemRandom final : public Random {
public:
    SystemRandom() {
        ::pthread_atfork(nullptr, nullptr, [] { ++forks; });
    }

    std::uint64_t next() override {
        thread_local Drawn drawn;
        return drawn.next();
    }
};

}  // namespace

Random& system_random() noexcept {
    static SystemRandom random;
    return random;
}

}  // namespace belay
