// The choice among the activities in line for one claim: for all stores.
#pragma once

#include "store/rules/admission.hpp"
#include "store/rules/capability.hpp"

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace belay::store {

/// Decides for one activity after the other, in the order of each queue. A taken activity counts
/// for those after it.
class ActivityChooser {
public:
    /// Refers to all of its arguments.
    ActivityChooser(const ClaimActivities& request, Rows& rows, Timestamp now)
        : request_(request),
          names_(request.names),
          admission_(rows, request.first_token.holder, request.sessions, now),
          now_(now) {}

    enum class Verdict : std::uint8_t {
        takes,
        passes,  ///< Skips this one.
        ends,    ///< Nothing more of this queue can be taken.
    };
    [[nodiscard]] Verdict look_at(const std::string& queue, const QueuedActivity& one);

    // Questions about whole lanes of a queue, so that nobody has to look at each activity in a
    // lane.
    [[nodiscard]] bool has_code(std::string_view name) const { return names_.has(name); }
    [[nodiscard]] bool has_room(const std::string& queue, const std::string& key) {
        return admission_.has_room(queue, key);
    }

    /// Activities that were too late to start.
    [[nodiscard]] const std::vector<ActivityRef>& late() const { return late_; }
    struct WithoutCode {
        ActivityRef activity;
        std::uint32_t unregistered = 0;  ///< The value from now on.
    };
    /// Activities whose name nobody seems to have.
    [[nodiscard]] const std::vector<WithoutCode>& without_code() const { return without_code_; }
    /// Returns how long until time alone may change something.
    [[nodiscard]] ReadyIn ready_in() const;

private:
    void pass_over(const std::string& queue, const QueuedActivity& one);
    void wait(Millis time) { ready_in_ = ready_in_ ? std::min(*ready_in_, time) : time; }

    const ClaimActivities& request_;
    NameFilter names_;
    Admission admission_;
    Timestamp now_;
    std::vector<ActivityRef> late_;
    std::vector<WithoutCode> without_code_;
    /// By queue: names whose first activity in line was found.
    std::map<std::string, std::set<std::string, std::less<>>> seen_;
    ReadyIn ready_in_;
};

}  // namespace belay::store
