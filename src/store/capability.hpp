// Which runs whoever claims has the code of: for all stores.
#pragma once

#include <belay/store/query.hpp>
#include <belay/versions.hpp>

#include <algorithm>
#include <map>
#include <optional>
#include <string_view>
#include <vector>

namespace belay::store {

/// Refers to the request that it was made from.
class CodeFilter {
public:
    explicit CodeFilter(const std::optional<std::vector<ClaimInstances::Code>>& code)
        : any_(!code) {
        if (!code) return;
        for (const ClaimInstances::Code& one : *code) of_.emplace(one.definition, &one);
    }

    [[nodiscard]] bool has(std::string_view definition, std::string_view version) const {
        if (any_) return true;
        const auto found = of_.find(definition);
        if (found == of_.end()) return false;
        const std::vector<std::string>& versions = found->second->versions;
        return versions.empty() || version.empty() ||
               std::any_of(versions.begin(), versions.end(), [&](const std::string& one) {
                   return compare_versions(one, version) == 0;
               });
    }

private:
    bool any_;
    std::map<std::string_view, const ClaimInstances::Code*> of_;
};

/// How long a run is put off that was so often, because nobody had its code.
[[nodiscard]] inline Millis backoff_of(const ClaimInstances& request, std::uint32_t times) {
    Millis delay = request.backoff;
    for (std::uint32_t i = 0; i < times && delay < request.backoff_max; ++i) delay *= 2;
    return std::min(delay, request.backoff_max);
}

}  // namespace belay::store
