// Fresh identities: run keys, commit ids, lease tokens.
#pragma once

#include <belay/detail/mutex.hpp>
#include <belay/ids.hpp>
#include <belay/random.hpp>
#include <belay/time.hpp>

#include <cstdint>
#include <utility>

namespace belay {

/// Thread-safe. One per process (or simulated process).
class IdSource {
public:
    IdSource(Clock& clock, Random& random);

    /// Returns a key with the milliseconds since 2020 in the upper 42 bits, so that keys ascend,
    /// and random bits below, so that processes do not collide. Ascends strictly within this
    /// source. Is greater than `parent`, even if another machine whose clock is ahead drew that
    /// one.
    [[nodiscard]] RunKey run_key(RunKey parent = RunKey());
    [[nodiscard]] CommitId commit_id();
    /// Returns 128 random bits.
    [[nodiscard]] std::pair<std::uint64_t, std::uint64_t> seed();
    /// Returns the first of `count` consecutive tokens.
    [[nodiscard]] LeaseToken tokens(std::uint32_t count);

private:
    Clock& clock_;
    Random& random_;
    detail::Mutex mutex_;
    std::uint64_t last_run_key_ BELAY_GUARDED_BY(mutex_) = 0;
    const std::uint64_t holder_;
    std::uint64_t next_serial_ BELAY_GUARDED_BY(mutex_) = 1;
};

}  // namespace belay
