// Which runs and activities whoever claims has the code of: for all stores.
#pragma once

#include <belay/store/claim.hpp>
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

/// Refers to the names that it was made from.
class NameFilter {
public:
    explicit NameFilter(const std::optional<std::vector<std::string>>& names)
        : NameFilter(names ? &*names : nullptr) {}
    /// Null: any.
    explicit NameFilter(const std::vector<std::string>* names) : any_(names == nullptr) {
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

/// How many runs one claim puts off at most, for want of their code, and how many it brings back
/// because it has theirs: it keeps all others waiting.
inline constexpr std::size_t kMostPutOff = 100;
/// How long others are let through before the next so many.
inline constexpr Millis kPutOffPause{100};

/// How long a run is put off that was so often, because nobody had its code.
[[nodiscard]] inline Millis backoff_of(const ClaimInstances& request, std::uint32_t times) {
    Millis delay = request.backoff;
    for (std::uint32_t i = 0; i < times && delay < request.backoff_max; ++i) delay *= 2;
    return std::min(delay, request.backoff_max);
}

}  // namespace belay::store
