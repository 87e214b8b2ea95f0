#include "store/rules/queue_search.hpp"

#include <algorithm>
#include <set>
#include <utility>

namespace belay::store {

namespace {

/// The number of activities of a queue that a claim passes over one by one. After that it goes by
/// lanes, which is shorter because it skips names without code.
constexpr std::uint32_t kMostPassed = 256;
/// The number of activities read at once from a lane.
constexpr std::uint32_t kReadOfLane = 16;
/// The most lanes that are looked at. If a queue has more, a claim that has passed over kMostPassed
/// goes on one by one: an activity that it can take is mostly near.
constexpr std::uint32_t kMostLanes = 1'000;

}  // namespace

void QueueSearch::search(const std::string& queue) {
    taken_ = 0;
    const std::optional<PlaceInLine> last = look_at_first(queue);
    if (!last) return;
    if (auto lanes = lanes_of(queue)) {
        look_at_lanes(queue, *last, std::move(*lanes));
    } else {
        look_at_rest(queue, *last);
    }
}

/// Looks in order until too many were passed over. Returns the last place then, behind which to go
/// on.
std::optional<PlaceInLine> QueueSearch::look_at_first(const std::string& queue) {
    std::optional<PlaceInLine> last;
    std::uint32_t seen = 0;
    rows_.each_in_line(queue, request_.shards, nullptr, [&](const QueuedActivity& one) {
        if (!is_meant(one)) return true;
        if (!look_at(queue, one)) return false;
        if (++seen - taken_ == kMostPassed) {
            last = one.place;
            return false;
        }
        return wants_more();
    });
    return last;
}

/// Looks at all others in order.
void QueueSearch::look_at_rest(const std::string& queue, const PlaceInLine& behind) {
    rows_.each_in_line(queue, request_.shards, &behind, [&](const QueuedActivity& one) {
        if (!is_meant(one) || !chooser_.has_code(one.name)) return true;
        return look_at(queue, one) && wants_more();
    });
}

/// Looks in the same order: the next one is always the first of all lanes.
void QueueSearch::look_at_lanes(const std::string& queue,
                                const PlaceInLine& behind,
                                std::vector<Lane> lanes) {
    for (Lane& lane : lanes) read(queue, behind, lane, 1);
    std::erase_if(lanes, [](const Lane& lane) { return lane.rows.empty(); });
    std::make_heap(lanes.begin(), lanes.end(), IsLater());
    while (wants_more() && !lanes.empty()) {
        std::pop_heap(lanes.begin(), lanes.end(), IsLater());
        Lane& lane = lanes.back();
        const QueuedActivity one = std::move(lane.rows.back());
        lane.rows.pop_back();
        if (is_meant(one) && !look_at(queue, one)) return;
        const bool goes_on = chooser_.has_room(queue, lane.key);
        if (goes_on && lane.rows.empty()) read(queue, one.place, lane, kReadOfLane);
        if (goes_on && !lane.rows.empty()) {
            std::push_heap(lanes.begin(), lanes.end(), IsLater());
        } else {
            lanes.pop_back();
        }
    }
}

/// Returns the lanes from which something may be taken. Returns none if there are too many. If the
/// claim has code only for some names, other names in line do not matter.
std::optional<std::vector<QueueSearch::Lane>> QueueSearch::lanes_of(const std::string& queue) {
    std::vector<Lane> lanes;
    std::uint32_t seen = 0;
    const auto add = [&](const std::string& name) {
        for (auto key = rows_.lane_in_line(queue, name, std::nullopt); key;
             key = rows_.lane_in_line(queue, name, key)) {
            if (++seen > kMostLanes) return false;
            if (chooser_.has_room(queue, *key)) lanes.push_back(Lane{name, *key, {}});
        }
        return true;
    };
    if (request_.names) {
        const std::set<std::string> names(request_.names->begin(), request_.names->end());
        const bool all = std::all_of(names.begin(), names.end(), add);
        return all ? std::optional(std::move(lanes)) : std::nullopt;
    }
    for (auto name = rows_.name_in_line(queue, ""); name; name = rows_.name_in_line(queue, *name)) {
        if (!add(*name)) return std::nullopt;
    }
    return lanes;
}

/// Reads the next `most` activities.
void QueueSearch::read(const std::string& queue,
                       const PlaceInLine& behind,
                       Lane& lane,
                       std::uint32_t most) {
    lane.rows = rows_.lane_rows(queue, lane.name, lane.key, behind, most);
    std::reverse(lane.rows.begin(), lane.rows.end());
}

bool QueueSearch::is_meant(const QueuedActivity& one) const {
    return in_shards(request_.shards, one.place.activity.run.shard);
}

/// Returns false if nothing more of this queue can be taken.
bool QueueSearch::look_at(const std::string& queue, const QueuedActivity& one) {
    switch (chooser_.look_at(queue, one)) {
        case ActivityChooser::Verdict::ends: return false;
        case ActivityChooser::Verdict::passes: return true;
        case ActivityChooser::Verdict::takes: break;
    }
    found.push_back(one.place);
    ++taken_;
    return true;
}

}  // namespace belay::store
