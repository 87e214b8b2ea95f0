// The instances that a filter may mean, page by page.
#pragma once

#include <belay/management.hpp>
#include <belay/store/query.hpp>

#include <algorithm>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace belay::client {

/// Asks for each instance once, also when pages come and go meanwhile. The store narrows it down as
/// far as an index does; `matches` looks at all of the filter.
class Selection {
public:
    /// What ended by `now`: what ends later is not chased.
    [[nodiscard]] static Selection of_ended(const InstanceFilter& filter, Timestamp now) {
        SelectInstances::Ended ended;
        const Timestamp by_now = now + Millis(1);
        ended.before = std::min(filter.completed_before().value_or(by_now), by_now);
        ended.definition = filter.definition();
        ended.statuses = filter.statuses();
        Selection selection(filter, ended);
        selection.before_ = ended.before;
        return selection;
    }
    [[nodiscard]] static Selection of_chains(const InstanceFilter& filter) {
        return Selection(filter, SelectInstances::Chains());
    }

    [[nodiscard]] bool at_end() const noexcept { return at_end_; }

    /// Whether the filter chooses this one.
    [[nodiscard]] bool matches(const InstanceMark& one) const {
        if (filter_.definition() && one.definition != *filter_.definition()) return false;
        if (filter_.owner() && one.owner != *filter_.owner()) return false;
        if (const auto& statuses = filter_.statuses()) {
            const auto found = std::find(statuses->begin(), statuses->end(), one.instance.status);
            if (found == statuses->end()) return false;
        }
        return !before_ || (one.ended_at && *one.ended_at < *before_);
    }

    /// The same page again until it was seen.
    [[nodiscard]] SelectInstances next_page(std::uint32_t max) {
        asked_ = max;
        next_.max = max;
        if (ids_) {
            const std::size_t count = std::min<std::size_t>(max, ids_->size() - next_id_);
            const auto from = ids_->begin() + static_cast<std::ptrdiff_t>(next_id_);
            SelectInstances::Named named;
            named.ids.assign(from, from + static_cast<std::ptrdiff_t>(count));
            next_.which = std::move(named);
        }
        return next_;
    }

    /// The page that was asked for.
    void saw(const SelectInstances::Answer& page) {
        if (ids_) {
            next_id_ += std::min<std::size_t>(asked_, ids_->size() - next_id_);
            at_end_ = next_id_ == ids_->size();
            return;
        }
        at_end_ = page.size() < asked_;
        if (page.empty()) return;
        const InstanceMark& last = page.back();
        if (auto* ended = std::get_if<SelectInstances::Ended>(&next_.which)) {
            BELAY_ASSERT(last.ended_at.has_value());
            ended->after = std::pair(*last.ended_at, last.instance.run.key);
        } else {
            std::get<SelectInstances::Chains>(next_.which).after = last.instance.run.key;
        }
    }

private:
    template <class Which>
    Selection(const InstanceFilter& filter, Which which)
        : filter_(filter), before_(filter.completed_before()) {
        next_.space = filter.space();
        next_.which = std::move(which);
        if (!filter.ids()) return;
        ids_.emplace();
        std::set<std::string> seen;
        for (const std::string& id : *filter.ids()) {
            if (seen.insert(id).second) ids_->push_back(id);
        }
        at_end_ = ids_->empty();
    }

    InstanceFilter filter_;
    std::optional<Timestamp> before_;  ///< When it must have ended.
    SelectInstances next_;
    std::optional<std::vector<std::string>> ids_;  ///< Each once.
    std::size_t next_id_ = 0;
    std::uint32_t asked_ = 0;
    bool at_end_ = false;
};

}  // namespace belay::client
