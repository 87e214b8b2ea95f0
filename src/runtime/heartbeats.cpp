#include "model/payload_check.hpp"
#include <belay/detail/heartbeats.hpp>
#include <belay/exceptions.hpp>

#include <stdexcept>
#include <string>

namespace belay::detail {

void Heartbeats::listen(Clock& clock, std::size_t most_bytes, std::function<void()> on_value) {
    const MutexLock lock(mutex_);
    clock_ = &clock;
    most_bytes_ = most_bytes;
    on_value_ = std::move(on_value);
}

void Heartbeats::then(std::function<void()> after) {
    const MutexLock lock(mutex_);
    after_ = std::move(after);
}

void Heartbeats::close() {
    const MutexLock lock(mutex_);
    clock_ = nullptr;
    on_value_ = nullptr;
    after_ = nullptr;
}

void Heartbeats::beat() {
    const MutexLock lock(mutex_);
    if (clock_ != nullptr) beat_at_ = clock_->monotonic();
}

void Heartbeats::beat(Payload value) {
    const MutexLock lock(mutex_);
    if (clock_ != nullptr) beat_at_ = clock_->monotonic();
    if (value.bytes.size() > most_bytes_) {
        throw LimitExceeded("a heartbeat of " + std::to_string(value.bytes.size()) +
                            " bytes; at most " + std::to_string(most_bytes_) + " are allowed");
    }
    if (const Result<void> plain = model::check_plain("a heartbeat", value); !plain) {
        throw std::invalid_argument(plain.error().message());
    }
    const bool first = !value_;
    value_ = std::move(value);
    if (!first) return;
    if (on_value_) on_value_();
    if (after_) after_();
}

std::optional<Payload> Heartbeats::take() {
    const MutexLock lock(mutex_);
    return std::exchange(value_, std::nullopt);
}

std::optional<Millis> Heartbeats::last_beat() {
    const MutexLock lock(mutex_);
    return beat_at_;
}

}  // namespace belay::detail
