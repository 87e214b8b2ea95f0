// What a process keeps unless a policy was set at run time.
#pragma once

#include <belay/limits.hpp>
#include <belay/retention.hpp>

namespace belay::runtime {

/// What its code says, and in the place of that, by namespace, what its source says.
class OwnRetention {
public:
    /// Reads the source, if there is one. Throws std::invalid_argument for policies that make no
    /// sense and for a source that cannot be read.
    OwnRetention(RetentionPolicies in_code, RetentionSource source, const Limits& limits);

    /// Reads the source again. After an error all is as it was: what was kept a moment ago is not
    /// to go because a file was being written.
    [[nodiscard]] Result<void> refresh();

    /// Whether the source said anything when it was read last.
    [[nodiscard]] bool source_says() const noexcept { return source_says_; }

    [[nodiscard]] const RetentionPolicies& policies() const noexcept { return policies_; }

private:
    [[nodiscard]] Result<RetentionPolicies> ask() const;

    const RetentionPolicies in_code_;
    const RetentionSource source_;
    const Limits limits_;
    RetentionPolicies policies_;
    bool source_says_ = false;
};

}  // namespace belay::runtime
