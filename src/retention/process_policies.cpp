#include "retention/process_policies.hpp"

#include "model/thrown.hpp"

#include <stdexcept>
#include <string>
#include <utility>

namespace belay::retention {

namespace {

Result<void> check_all(const RetentionPolicies& policies, const Limits& limits) {
    for (const auto& [space, policy] : policies) {
        if (Result<void> fine = check_retention(policy, limits); !fine) return fine;
    }
    return {};
}

void require_valid(const Result<void>& result) {
    if (!result) throw std::invalid_argument("retention: " + result.error().message());
}

}  // namespace

ProcessPolicies::ProcessPolicies(RetentionPolicies in_code,
                                 RetentionSource source,
                                 const Limits& limits)
    : in_code_(std::move(in_code)),
      source_(std::move(source)),
      limits_(limits),
      policies_(in_code_) {
    require_valid(check_all(in_code_, limits_));
    require_valid(refresh());
}

Result<void> ProcessPolicies::refresh() {
    if (!source_) return {};
    const Result<RetentionPolicies> read = read_source();
    if (!read) return read.error();
    if (Result<void> fine = check_all(*read, limits_); !fine) return fine;
    policies_ = in_code_;
    for (const auto& [space, policy] : *read) policies_.insert_or_assign(space, policy);
    source_has_policies_ = !read->empty();
    return {};
}

/// The source is a user's code: an exception of it must not end the worker.
Result<RetentionPolicies> ProcessPolicies::read_source() const {
    try {
        return source_();
    } catch (...) {
        return Error(Errc::unavailable,
                     "the source of the policy has failed: " +
                         model::failure_of_current_exception().message);
    }
}

}  // namespace belay::retention
