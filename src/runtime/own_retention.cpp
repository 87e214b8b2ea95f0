#include "runtime/own_retention.hpp"

#include "model/thrown.hpp"

#include <stdexcept>
#include <string>
#include <utility>

namespace belay::runtime {

namespace {

Result<void> check_all(const RetentionPolicies& policies, const Limits& limits) {
    for (const auto& [space, policy] : policies) {
        if (Result<void> fine = check_retention(policy, limits); !fine) return fine;
    }
    return {};
}

void must_be_fine(const Result<void>& result) {
    if (!result) throw std::invalid_argument("retention: " + result.error().message());
}

}  // namespace

OwnRetention::OwnRetention(RetentionPolicies in_code, RetentionSource source, const Limits& limits)
    : in_code_(std::move(in_code)),
      source_(std::move(source)),
      limits_(limits),
      policies_(in_code_) {
    must_be_fine(check_all(in_code_, limits_));
    must_be_fine(refresh());
}

Result<void> OwnRetention::refresh() {
    if (!source_) return {};
    const Result<RetentionPolicies> read = ask();
    if (!read) return read.error();
    if (Result<void> fine = check_all(*read, limits_); !fine) return fine;
    policies_ = in_code_;
    for (const auto& [space, policy] : *read) policies_.insert_or_assign(space, policy);
    source_says_ = !read->empty();
    return {};
}

/// It is somebody else's code, and must not end the worker.
Result<RetentionPolicies> OwnRetention::ask() const {
    try {
        return source_();
    } catch (...) {
        return Error(Errc::unavailable,
                     "the source of the policy has failed: " +
                         model::failure_of_current_exception().message);
    }
}

}  // namespace belay::runtime
