// The limit of retries of a client.
#pragma once

namespace belay::client {

/// Counts failed attempts since the last success. A client has no thread that could wait: it asks
/// again at once. A busy store has waited before it says so.
class RetryBudget {
public:
    /// Counts a failure. True if a retry is allowed.
    [[nodiscard]] bool allows_another() noexcept { return ++failed_ <= kMost; }
    void reset() noexcept { failed_ = 0; }

private:
    static constexpr int kMost = 10;
    int failed_ = 0;
};

}  // namespace belay::client
