// The runs and activities for which a claimer has the code: for all stores.
#pragma once

#include "store/rules/records.hpp"
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

/// Refers to the request from which it was made.
class CodeFilter {
public:
    explicit CodeFilter(const ClaimInstances& request)
        : code_(request.code), interprets_(request.interprets) {}

    [[nodiscard]] bool has(const RunCode& code) const {
        return has(code.definition, code.version, code.interpreted);
    }
    [[nodiscard]] bool has(const CodeKey& key) const {
        return has(key.first, key.second, is_interpreted(key));
    }
    [[nodiscard]] bool has(std::string_view definition,
                           std::string_view version,
                           bool interpreted) const {
        if (!code_) return true;
        if (interpreted) return interprets_;
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
    bool interprets_;
};

/// Refers to the names from which it was made.
class NameFilter {
public:
    explicit NameFilter(const std::optional<std::vector<std::string>>& names)
        : NameFilter(names ? &*names : nullptr) {}
    /// Null: any name.
    explicit NameFilter(const std::vector<std::string>* names) : any_(names == nullptr) {
        if (any_) return;
        names_.assign(names->begin(), names->end());
        // The names of a registry are sorted.
        if (!std::is_sorted(names_.begin(), names_.end())) std::sort(names_.begin(), names_.end());
    }

    [[nodiscard]] bool has(std::string_view name) const {
        return any_ || std::binary_search(names_.begin(), names_.end(), name);
    }

private:
    bool any_;
    std::vector<std::string_view> names_;
};

/// The most runs that one claim puts off because their code is missing, and the most that one
/// brings back because it has their code. All other requests wait meanwhile.
inline constexpr std::size_t kMostPutOff = 100;
/// The pause for others before the next such batch.
inline constexpr Millis kPutOffPause{100};

/// Returns how long a run is put off that was put off `times` times because nobody had its code.
[[nodiscard]] inline Millis backoff_of(const ClaimInstances& request, std::uint32_t times) {
    Millis delay = request.backoff;
    for (std::uint32_t i = 0; i < times && delay < request.backoff_max; ++i) delay *= 2;
    return std::min(delay, request.backoff_max);
}

}  // namespace belay::store
