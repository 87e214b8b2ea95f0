#include "holding.hpp"

namespace belay::bench {

Registry Holding::code() {
    Registry registry = orchestrations();
    registry.add(Step, [this](ActivityContext& context, std::int64_t input) {
        return hold(context, input);
    });
    return registry;
}

std::int64_t Holding::hold(ActivityContext& context, std::int64_t input) {
    std::mutex own;
    std::condition_variable_any told;
    {
        const std::lock_guard lock(mutex_);
        ++running_;
        changed_.notify_all();
    }
    {
        std::unique_lock lock(own);
        told.wait(lock, context.stop_token(), [] { return false; });
    }
    const Instant at = SteadyClock::now();
    const std::lock_guard lock(mutex_);
    --running_;
    stops_.push_back(Stop{input, at});
    changed_.notify_all();
    return input;
}

void Holding::wait_until_running(std::uint32_t count) {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [&] { return running_ >= count; });
}

Holding::Stop Holding::next_stop() {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [&] { return !stops_.empty(); });
    const Stop stop = stops_.front();
    stops_.pop_front();
    return stop;
}

}  // namespace belay::bench
