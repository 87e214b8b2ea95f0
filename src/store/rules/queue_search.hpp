// The activities that a claim finds in the worker queue.
#pragma once

#include "store/rules/activity_chooser.hpp"

namespace belay::store {

/// Looks through queues for one claim.
class QueueSearch {
public:
    QueueSearch(Rows& rows, const ClaimActivities& request)
        : rows_(rows), request_(request), chooser_(request, rows, rows.now()) {}

    void search(const std::string& queue);

    [[nodiscard]] const ActivityChooser& chooser() const { return chooser_; }
    /// Activities that can be taken. One more than wanted for each queue, to know if there are
    /// more.
    std::vector<PlaceInLine> found;

private:
    /// The activities of one queue that have one name and, if its keys are limited, one key.
    struct Lane {
        std::string name;
        std::string key;
        std::vector<QueuedActivity> rows;  ///< The first rows not looked at, the next one last.
    };
    /// Compares lanes that are not empty. True if `one` comes later.
    struct IsLater {
        bool operator()(const Lane& one, const Lane& other) const {
            return one.rows.back().place > other.rows.back().place;
        }
    };

    std::optional<PlaceInLine> look_at_first(const std::string& queue);
    void look_at_rest(const std::string& queue, const PlaceInLine& behind);
    void look_at_lanes(const std::string& queue,
                       const PlaceInLine& behind,
                       std::vector<Lane> lanes);
    std::optional<std::vector<Lane>> lanes_of(const std::string& queue);
    void read(const std::string& queue, const PlaceInLine& behind, Lane& lane, std::uint32_t most);
    [[nodiscard]] bool is_meant(const QueuedActivity& one) const;
    [[nodiscard]] bool wants_more() const { return taken_ <= request_.max; }
    bool look_at(const std::string& queue, const QueuedActivity& one);

    Rows& rows_;
    const ClaimActivities& request_;
    ActivityChooser chooser_;
    std::uint32_t taken_ = 0;  ///< The count for this queue.
};

}  // namespace belay::store
