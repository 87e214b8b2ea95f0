// The progress of a running activity.
#pragma once

#include <belay/detail/mutex.hpp>
#include <belay/limits.hpp>
#include <belay/payload.hpp>
#include <belay/time.hpp>

#include <cstddef>
#include <functional>
#include <optional>
#include <utility>

namespace belay::detail {

/// Connects the handler, which reports progress on any of its threads, and the dispatcher, which
/// takes the latest value when it can be written. Any thread.
class Heartbeats {
public:
    /// `last`: the last progress of an earlier attempt.
    explicit Heartbeats(std::optional<Payload> last) : last_(std::move(last)) {}
    Heartbeats(const Heartbeats&) = delete;
    Heartbeats& operator=(const Heartbeats&) = delete;
    ~Heartbeats() = default;

    [[nodiscard]] const std::optional<Payload>& last() const noexcept { return last_; }

    /// `on_value` is called when there is a value to be taken, once until it is taken, on the
    /// thread that reported it. It must not call back.
    void listen(Clock& clock, std::size_t most_bytes, std::function<void()> on_value);
    /// Sets a function that is called after each call of `on_value`.
    void then(std::function<void()> after);
    /// Ends listening: neither the clock nor the callbacks are used after this.
    void close();

    void beat();
    /// Throws LimitExceeded.
    void beat(Payload value);

    /// Returns the latest value that was not taken before.
    [[nodiscard]] std::optional<Payload> take();
    /// Returns the time of the last report on the monotonic clock; none before the first.
    [[nodiscard]] std::optional<Millis> last_beat();

private:
    const std::optional<Payload> last_;
    Mutex mutex_;
    // None: nobody listens.
    Clock* clock_ BELAY_GUARDED_BY(mutex_) BELAY_PT_GUARDED_BY(mutex_) = nullptr;
    std::size_t most_bytes_ BELAY_GUARDED_BY(mutex_) = Limits().heartbeat_bytes;
    std::function<void()> on_value_ BELAY_GUARDED_BY(mutex_);
    std::function<void()> after_ BELAY_GUARDED_BY(mutex_);
    std::optional<Millis> beat_at_ BELAY_GUARDED_BY(mutex_);
    std::optional<Payload> value_ BELAY_GUARDED_BY(mutex_);
};

}  // namespace belay::detail
