#include <belay/time.hpp>

namespace belay {

namespace {

class SystemClock final : public Clock {
public:
    Timestamp wall() override {
        return std::chrono::floor<Millis>(std::chrono::system_clock::now());
    }
    Millis monotonic() override {
        return std::chrono::floor<Millis>(std::chrono::steady_clock::now().time_since_epoch());
    }
};

}  // namespace

Clock& system_clock() noexcept {
    static SystemClock clock;
    return clock;
}

}  // namespace belay
