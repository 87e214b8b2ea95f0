// Which runs and activities whoever claims has the code of: for all stores.
#pragma once

#include <belay/store/query.hpp>
#include <belay/versions.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace belay::store {

/// Refers to the request that it was made from.
class CodeFilter {
public:
    explicit CodeFilter(const std::optional<std::vector<ClaimInstances::Code>>& code)
        : code_(code) {}

    [[nodiscard]] bool has(std::string_view definition, std::string_view version) const {
        if (!code_) return true;
        const auto found = std::find_if(code_->begin(), code_->end(), [&](const auto& one) {
            return one.definition == definition;
        });
        if (found == code_->end()) return false;
        const std::vector<std::string>& versions = found->versions;
        return versions.empty() || version.empty() ||
               std::any_of(versions.begin(), versions.end(), [&](const std::string& one) {
                   return compare_versions(one, version) == 0;
               });
    }

private:
    const std::optional<std::vector<ClaimInstances::Code>>& code_;
};

/// Refers to the request that it was made from.
class NameFilter {
public:
    explicit NameFilter(const std::optional<std::vector<std::string>>& names) : any_(!names) {
        if (any_) return;
        names_.assign(names->begin(), names->end());
        // Those of a registry are.
        if (!std::is_sorted(names_.begin(), names_.end())) std::sort(names_.begin(), names_.end());
    }

    [[nodiscard]] bool has(std::string_view name) const {
        return any_ || std::binary_search(names_.begin(), names_.end(), name);
    }

private:
    bool any_;
    std::vector<std::string_view> names_;
};

/// A definition, and a version of it.
using CodeKey = std::pair<std::string, std::string>;

/// How many runs or activities one claim puts off at most, for want of their code, and how many
/// runs it brings back because it has theirs: it keeps all others waiting.
inline constexpr std::size_t kMostPutOff = 100;
/// How long others are let through before the next so many.
inline constexpr Millis kPutOffPause{100};

/// How long something is put off that was so often, because nobody had its code.
template <class Claim>
[[nodiscard]] Millis backoff_of(const Claim& request, std::uint32_t times) {
    Millis delay = request.backoff;
    for (std::uint32_t i = 0; i < times && delay < request.backoff_max; ++i) delay *= 2;
    return std::min(delay, request.backoff_max);
}

/// The activities that one claim passes over because of their names.
class PassedOver {
public:
    PassedOver(const ClaimActivities& request, Timestamp now)
        : patience_(request.patience), now_(now) {}

    /// `since`: when it became claimable, which is not after now.
    void add(const ActivityRef& activity, Timestamp since) {
        const Millis left = patience_ - (now_ - since);
        if (left <= Millis(0) && put_off_.size() < kMostPutOff) {
            put_off_.push_back(activity);
            return;
        }
        const Millis wait = left > Millis(0) ? left : kPutOffPause;
        ready_in_ = ready_in_ ? std::min(*ready_in_, wait) : wait;
    }

    /// Nobody has taken these for so long that nobody has their names.
    [[nodiscard]] const std::vector<ActivityRef>& put_off() const { return put_off_; }
    /// When the next of the others is to be looked at.
    [[nodiscard]] ReadyIn ready_in() const { return ready_in_; }

private:
    Millis patience_;
    Timestamp now_;
    std::vector<ActivityRef> put_off_;
    ReadyIn ready_in_;
};

}  // namespace belay::store
