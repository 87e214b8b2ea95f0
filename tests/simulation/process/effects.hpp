// The real effects of handlers.
#pragma once

#include <belay/executor.hpp>
#include <belay/ids.hpp>

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <vector>

namespace belay::sim {

/// The world outside of the engine: which handlers began, and how they ended. Results carry a
/// serial number, so a result in history can be traced to the one handler that gave it.
class Effects {
public:
    void begun(const ActivityRef& activity) { ++of_[activity].begun; }
    void ended(const ActivityRef& activity, const ActivityResult& result) {
        of_[activity].results.push_back(result);
    }

    /// A handler said that of its progress.
    void said(const ActivityRef& activity, const std::string& progress) {
        of_[activity].said.insert(progress);
    }
    [[nodiscard]] bool has_said(const ActivityRef& activity, const std::string& progress) const {
        const auto found = of_.find(activity);
        return found != of_.end() && found->second.said.contains(progress);
    }
    /// A handler was told this progress of an earlier one. True if one of the same activity had
    /// said it.
    [[nodiscard]] bool heard(const ActivityRef& activity, const std::string& progress) {
        ++heard_;
        return of_[activity].said.contains(progress);
    }
    [[nodiscard]] std::uint64_t times_heard() const noexcept { return heard_; }

    /// A handler wrote one more line of output. Returns its number.
    std::uint64_t wrote(const std::string& handler) { return ++lines_[handler]; }
    [[nodiscard]] std::uint64_t lines_of(const std::string& handler) const {
        const auto found = lines_.find(handler);
        return found == lines_.end() ? 0 : found->second;
    }

    [[nodiscard]] std::size_t times_begun(const ActivityRef& activity) const {
        const auto found = of_.find(activity);
        return found == of_.end() ? 0 : found->second.begun;
    }
    [[nodiscard]] bool gave(const ActivityRef& activity, const Payload& result) const {
        return any(activity, [&](const ActivityResult& one) {
            const auto* payload = std::get_if<Payload>(&one);
            return payload != nullptr && *payload == result;
        });
    }
    [[nodiscard]] bool gave_more_than(const ActivityRef& activity, std::size_t bytes) const {
        return any(activity, [&](const ActivityResult& one) {
            const auto* payload = std::get_if<Payload>(&one);
            return payload != nullptr && payload->bytes.size() > bytes;
        });
    }
    [[nodiscard]] bool failed_with(const ActivityRef& activity, const Failure& failure) const {
        return any(activity, [&](const ActivityResult& one) {
            const auto* given = std::get_if<Failure>(&one);
            return given != nullptr && *given == failure;
        });
    }

private:
    struct Of {
        std::size_t begun = 0;
        std::vector<ActivityResult> results;
        std::set<std::string> said;
    };

    template <class Test>
    [[nodiscard]] bool any(const ActivityRef& activity, Test test) const {
        const auto found = of_.find(activity);
        if (found == of_.end()) return false;
        for (const ActivityResult& result : found->second.results) {
            if (test(result)) return true;
        }
        return false;
    }

    std::map<ActivityRef, Of> of_;
    std::uint64_t heard_ = 0;
    std::map<std::string, std::uint64_t> lines_;
};

}  // namespace belay::sim
