#include "retention/overdue.hpp"

#include <algorithm>
#include <utility>

namespace belay::retention {

namespace {

bool bounds_anything(const auto& rules) {
    return std::any_of(
        rules.begin(), rules.end(), [](const auto& rule) { return !rule.bounds().keeps_all(); });
}

/// A page is several commits' worth: each page has to find anew where the last ones begin.
std::uint32_t page_of(const Policy& terms) {
    constexpr std::uint32_t kCommits = 16;
    constexpr std::uint32_t kMost = 10'000;
    return std::clamp(terms.bulk_batch, 1U, kMost) * kCommits;
}

/// Moves behind the page, if there is more.
template <class Which>
void turn_page(std::optional<Which>& which, const SelectInstances::Answer& page, bool last) {
    if (last) {
        which.reset();
    } else {
        which->after = page.back().instance.run.key;
    }
}

}  // namespace

OverdueScan::OverdueScan(std::string space,
                         RetentionPolicy policy,
                         Timestamp now,
                         const Policy& terms)
    : space_(std::move(space)), policy_(std::move(policy)), now_(now), page_(page_of(terms)) {
    if (bounds_anything(policy_.instances())) {
        listing_ = ListOutcomes{space_, std::nullopt, page_};
        formers_.emplace();
    }
    if (bounds_anything(policy_.executions())) chains_.emplace();
}

SelectInstances OverdueScan::select() const {
    SelectInstances request;
    request.space = space_;
    request.max = page_;
    if (!groups_.empty()) {
        request.which = groups_.front();
    } else if (formers_) {
        request.which = *formers_;
    } else {
        request.which = *chains_;
    }
    return request;
}

auto OverdueScan::next() const -> std::optional<Read> {
    if (listing_) return Read(*listing_);
    if (groups_.empty() && !formers_ && !chains_) return std::nullopt;
    return Read(select());
}

/// Before the beginning of time nothing ended.
std::optional<Timestamp> OverdueScan::oldest_kept(const RetentionBounds& bounds) const {
    if (!bounds.max_age) return std::nullopt;
    if (*bounds.max_age > now_.time_since_epoch()) return Timestamp::min();
    return now_ - *bounds.max_age;
}

void OverdueScan::take(const ListOutcomes::Answer& page) {
    for (const ListOutcomes::One& one : page) {
        const RetentionBounds bounds = policy_.instances_of(one.definition, one.outcome);
        if (bounds.keeps_all()) continue;
        groups_.push_back(SelectInstances::Past{one.definition,
                                                one.outcome,
                                                oldest_kept(bounds),
                                                bounds.max_count,
                                                std::nullopt,
                                                now_});
    }
    if (page.size() < page_) {
        listing_.reset();
    } else {
        listing_->after = page.back();
    }
}

std::deque<Prune> OverdueScan::prunes_of(const InstanceMark& mark) const {
    std::deque<Prune> prunes;
    const RetentionBounds bounds = policy_.executions_of(mark.definition);
    Prune part;
    part.name = mark.instance.name;
    part.run = mark.instance.run;
    if (bounds.max_count && mark.old_executions >= std::max(*bounds.max_count, 1U)) {
        prunes.push_back(part);
        prunes.back().keep_last = bounds.max_count;
        if (now_ < Timestamp::max()) prunes.back().ended_before = now_ + Millis(1);
    }
    const std::optional<Timestamp> oldest = oldest_kept(bounds);
    if (oldest && mark.oldest_ended_at && *mark.oldest_ended_at < *oldest) {
        prunes.push_back(part);
        prunes.back().ended_before = oldest;
    }
    return prunes;
}

/// It does not count among the last ones: those are found by their names, and it lost its own.
bool OverdueScan::is_overdue_former(const InstanceMark& mark) const {
    if (*mark.ended_at > now_) return false;
    const RetentionBounds bounds = policy_.instances_of(mark.definition, mark.instance.status);
    if (const std::optional<Timestamp> time = oldest_kept(bounds)) return *mark.ended_at < *time;
    return bounds.max_count.has_value();
}

std::vector<Overdue> OverdueScan::take(SelectInstances::Answer page) {
    std::vector<Overdue> overdue;
    const bool last = page.size() < page_;
    if (!groups_.empty()) {
        if (last) {
            groups_.pop_front();
        } else {
            groups_.front().after =
                std::pair(page.back().ended_at.value(), page.back().instance.run.key);
        }
        for (InstanceMark& mark : page) overdue.push_back(Overdue{std::move(mark), true, {}});
    } else if (formers_) {
        turn_page(formers_, page, last);
        for (InstanceMark& mark : page) {
            if (is_overdue_former(mark)) overdue.push_back(Overdue{std::move(mark), true, {}});
        }
    } else {
        turn_page(chains_, page, last);
        for (InstanceMark& mark : page) {
            std::deque<Prune> prunes = prunes_of(mark);
            if (!prunes.empty())
                overdue.push_back(Overdue{std::move(mark), false, std::move(prunes)});
        }
    }
    return overdue;
}

}  // namespace belay::retention
