// The policies of a process. A policy that was set in the store takes precedence.
#pragma once

#include <belay/limits.hpp>
#include <belay/retention/rules.hpp>

namespace belay::retention {

/// The policies in code. A policy of the source for the same namespace replaces them.
class ProcessPolicies {
public:
    /// Reads the source, if there is one. Throws std::invalid_argument for policies that
    /// check_retention refuses, and for a source that cannot be read.
    ProcessPolicies(RetentionPolicies in_code, RetentionSource source, const Limits& limits);

    /// Reads the source again. An error changes nothing: instances must not be removed because a
    /// file was being written.
    [[nodiscard]] Result<void> refresh();

    /// True if the source had any policy when it was last read.
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
