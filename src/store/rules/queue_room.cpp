#include "store/rules/queue_room.hpp"

#include <algorithm>

namespace belay {

Result<void> check_queue_limits(const QueueLimits& limits) {
    if (limits.empty()) {
        return Error(Errc::invalid_argument,
                     "limits of a queue that limit nothing; to remove them, clear them");
    }
    for (const auto& rate : {limits.started, limits.started_per_key}) {
        if (!rate || rate->per > Millis(0)) continue;
        return Error(Errc::invalid_argument, "a rate needs a time of at least 1 ms");
    }
    return {};
}

namespace store {

namespace {

bool is_reached(std::uint64_t count, const std::optional<std::uint32_t>& most) {
    return most && count >= *most;
}

bool is_reached(std::uint64_t count, const std::optional<StartRate>& most) {
    return most && count >= most->count;
}

}  // namespace

void QueueRoom::add(const std::string& key, Timestamp begun_at, Timestamp until) {
    if (until > now_) add_running(key, until);
    if (is_recent(begun_at, limits_.started)) add_started(1, begun_at);
    if (!key.empty() && is_recent(begun_at, limits_.started_per_key)) {
        add_started_of(key, 1, begun_at);
    }
}

void QueueRoom::add_running(const std::string& key, Timestamp until) {
    ++all_.running;
    if (!key.empty()) ++keys_[key].running;
    wake_at(until);
}

void QueueRoom::add_started(std::uint64_t count, Timestamp first) {
    all_.started += count;
    wake_at(later(first, limits_.started->per));
}

void QueueRoom::add_started_of(const std::string& key, std::uint64_t count, Timestamp first) {
    keys_[key].started += count;
    wake_at(later(first, limits_.started_per_key->per));
}

bool QueueRoom::is_recent(Timestamp begun_at, const std::optional<StartRate>& rate) const {
    return rate && begun_at > not_counted_from(*rate, now_);
}

void QueueRoom::wake_at(Timestamp at) {
    const Millis wait = at - now_;
    ready_in_ = ready_in_ ? std::min(*ready_in_, wait) : wait;
}

bool QueueRoom::full() const {
    return is_reached(all_.running, limits_.running) || is_reached(all_.started, limits_.started);
}

bool QueueRoom::has(const std::string& key) const {
    if (full()) return false;
    if (key.empty()) return true;
    const auto found = keys_.find(key);
    const Counts counts = found == keys_.end() ? Counts() : found->second;
    return !is_reached(counts.running, limits_.running_per_key) &&
           !is_reached(counts.started, limits_.started_per_key);
}

Timestamp not_counted_from(const StartRate& rate, Timestamp now) {
    return rate.per > now - Timestamp() ? Timestamp::min() : now - rate.per;
}

Timestamp not_counted_from(const QueueLimits& limits, Timestamp now) {
    Timestamp at = Timestamp::max();
    for (const auto& rate : {limits.started, limits.started_per_key}) {
        if (rate) at = std::min(at, not_counted_from(*rate, now));
    }
    return at;
}

}  // namespace store

}  // namespace belay
