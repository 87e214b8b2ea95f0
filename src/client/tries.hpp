// How often something is asked for again.
#pragma once

namespace belay::client {

/// Counts tries that led to nothing since the last one that did. A client has no thread that could
/// wait: it asks again at once, and a store that is busy has waited before it says so.
class Tries {
public:
    /// Whether to try once more.
    [[nodiscard]] bool again() noexcept { return ++failed_ <= kMost; }
    void went_well() noexcept { failed_ = 0; }

private:
    static constexpr int kMost = 10;
    int failed_ = 0;
};

}  // namespace belay::client
