// The instances that a filter means, page by page.
#pragma once

#include <belay/store/listing.hpp>
#include <belay/store/query.hpp>

#include <algorithm>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace belay::client {

/// Asks for each instance once, also when pages come and go meanwhile.
class Selection {
public:
    /// Roots that ended by `now`: those that end later are not chased.
    [[nodiscard]] static Selection of_ended(InstanceMatch match, Timestamp now) {
        const Timestamp by_now = now + Millis(1);
        match.ended.before = std::min(match.ended.before.value_or(by_now), by_now);
        return Selection(std::move(match), SelectInstances::Ended());
    }
    /// Instances that are there when it begins: those that start later are not chased. It ends at
    /// the newest run, which is asked for first, and not at a time: clocks are set back.
    [[nodiscard]] static Selection of_any(InstanceMatch match) {
        Selection made(std::move(match), SelectInstances::Any());
        made.needs_last_ = !made.ids_;
        return made;
    }
    [[nodiscard]] static Selection of_chains(InstanceMatch match) {
        return Selection(std::move(match), SelectInstances::Chains());
    }

    [[nodiscard]] bool at_end() const noexcept { return at_end_; }
    /// True, before the first page, if `ask_for_last` is to be answered with `saw_last`.
    [[nodiscard]] bool needs_last() const noexcept { return needs_last_; }
    [[nodiscard]] ListInstances ask_for_last() const {
        ListInstances list;
        static_cast<InstanceMatch&>(list) = next_;
        list.order = InstanceOrder::started;
        list.descending = true;
        list.max = 1;
        return list;
    }
    void saw_last(const ListInstances::Answer& newest) {
        needs_last_ = false;
        at_end_ = newest.empty();
        if (!newest.empty()) last_ = newest.front().instance.run.key;
    }
    /// The number of ids that were asked for and were not there, or not as the filter says.
    [[nodiscard]] std::uint64_t missing() const noexcept { return missing_; }

    /// The same page again until it was seen.
    [[nodiscard]] SelectInstances next_page(std::uint32_t max) {
        asked_ = max;
        next_.max = max;
        if (ids_) {
            const auto from = ids_->begin() + static_cast<std::ptrdiff_t>(next_id_);
            next_.ids.emplace(from, from + static_cast<std::ptrdiff_t>(ids_asked()));
        }
        return next_;
    }

    /// The page that was asked for. Rows behind the end are taken out of it.
    void move_past(SelectInstances::Answer& page) {
        if (ids_) {
            missing_ += ids_asked() - page.size();
            next_id_ += ids_asked();
            at_end_ = next_id_ == ids_->size();
            return;
        }
        at_end_ = page.size() < asked_;
        if (page.empty()) return;
        std::visit([&](auto& which) { go_behind(page.back(), which); }, next_.which);
        if (!last_ || page.back().instance.run.key < *last_) return;
        at_end_ = true;
        std::erase_if(page, [&](const InstanceMark& one) { return one.instance.run.key > *last_; });
    }

private:
    Selection(InstanceMatch match, decltype(SelectInstances::which) which) {
        if (match.ids) {
            ids_.emplace();
            std::set<std::string> seen;
            for (std::string& id : *match.ids) {
                if (seen.insert(id).second) ids_->push_back(std::move(id));
            }
            at_end_ = ids_->empty();
        }
        static_cast<InstanceMatch&>(next_) = std::move(match);
        next_.which = std::move(which);
    }

    [[nodiscard]] std::size_t ids_asked() const {
        return std::min({std::size_t{asked_}, InstanceMatch::kMostIds, ids_->size() - next_id_});
    }

    static void go_behind(const InstanceMark& last, SelectInstances::Ended& which) {
        BELAY_ASSERT(last.ended_at.has_value());
        which.after = std::pair(*last.ended_at, last.instance.run.key);
    }
    static void go_behind(const InstanceMark& last, auto& which) {
        if constexpr (requires { which.after = last.instance.run.key; }) {
            which.after = last.instance.run.key;
        }
    }

    SelectInstances next_;
    std::optional<std::vector<std::string>> ids_;  ///< Each once.
    std::size_t next_id_ = 0;
    std::uint32_t asked_ = 0;
    std::uint64_t missing_ = 0;
    bool at_end_ = false;
    bool needs_last_ = false;
    std::optional<RunKey> last_;  ///< The newest run that is meant.
};

}  // namespace belay::client
