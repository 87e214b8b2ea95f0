#include "base/id_source.hpp"

#include <algorithm>

namespace belay {

namespace {

constexpr std::int64_t kEpochMs = 1'577'836'800'000;  // 2020-01-01
constexpr unsigned kRandomBits = 22;

}  // namespace

IdSource::IdSource(Clock& clock, Random& random)
    : clock_(clock), random_(random), holder_(random.next()) {}

RunKey IdSource::run_key(RunKey parent) {
    const std::int64_t ms = std::max<std::int64_t>(to_unix_ms(clock_.wall()) - kEpochMs, 1);
    // The top bit stays clear: stores keep keys in signed integers.
    const std::uint64_t time = (static_cast<std::uint64_t>(ms) << kRandomBits) & (~0ULL >> 1);
    const std::uint64_t below = random_.next() & ((1ULL << kRandomBits) - 1);
    const detail::MutexLock lock(mutex_);
    last_run_key_ = std::max({last_run_key_ + 1, time | below, parent.value + 1 + below});
    return RunKey{last_run_key_};
}

CommitId IdSource::commit_id() {
    const std::uint64_t high = random_.next();
    return CommitId{high, random_.next()};
}

std::pair<std::uint64_t, std::uint64_t> IdSource::seed() {
    const std::uint64_t high = random_.next();
    return {high, random_.next()};
}

LeaseToken IdSource::tokens(std::uint32_t count) {
    const detail::MutexLock lock(mutex_);
    const LeaseToken first{holder_, next_serial_};
    next_serial_ += count;
    return first;
}

}  // namespace belay
