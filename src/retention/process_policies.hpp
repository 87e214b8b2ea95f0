// The policies that a process brings along. One that was set in the store goes before them.
#pragma once

#include <belay/limits.hpp>
#include <belay/retention/rules.hpp>

namespace belay::retention {

/// The policies in code. Where the source has a policy for a namespace, that one counts instead.
class ProcessPolicies {
public:
    /// Reads the source, if there is one. Throws std::invalid_argument for policies that
    /// check_retention refuses, and for a source that cannot be read.
    ProcessPolicies(RetentionPolicies in_code, RetentionSource source, const Limits& limits);

    /// Reads the source again. An error changes nothing: instances that were kept a moment ago must
    /// not go because a file was being written.
    [[nodiscard]] Result<void> refresh();

    /// Returns true if the source had any policy when it was read last.
    [[nodiscard]] bool source_has_policies() const noexcept { return source_has_policies_; }

    [[nodiscard]] const RetentionPolicies& policies() const noexcept { return policies_; }

private:
    [[nodiscard]] Result<RetentionPolicies> read_source() const;

    const RetentionPolicies in_code_;
    const RetentionSource source_;
    const Limits limits_;
    RetentionPolicies policies_;
    bool source_has_policies_ = false;
};

}  // namespace belay::retention
