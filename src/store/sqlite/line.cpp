// What claims find in the worker queue.
#include "store/choice.hpp"
#include "store/sqlite/tables.hpp"

#include <algorithm>
#include <set>

namespace belay::sqlite {

namespace {

/// How many of a lane are read at once.
constexpr std::uint32_t kReadOfLane = 16;
/// How many lanes are looked at. A claim that has passed over kMostPassed goes on by lanes, unless
/// there are more of them: then one that it can take is mostly near.
constexpr std::uint32_t kMostLanes = 1'000;
/// How many names and lanes a turn asks that would hand activities over.
constexpr std::uint32_t kMostAsked = 64;

/// Shared by all queues: priority, then oldest first.
struct PlaceInLine {
    std::int64_t rank = 0;
    Timestamp visible_at{};
    std::uint64_t sequence = 0;
    ActivityRef activity;
    auto operator<=>(const PlaceInLine&) const = default;
};

PlaceInLine place_at(const Query& query) {
    const RunRef run{query.shard(3), RunKey{query.number(4)}};
    return PlaceInLine{query.integer(0),
                       query.time(1),
                       query.number(2),
                       ActivityRef{run, query.small(5), query.small(6)}};
}

/// A row of activity_next, activity_next_behind or lane_rows.
struct RowInLine {
    PlaceInLine place;
    std::string name;
    std::string key;
    store::SessionKey session;
    Timestamp since{};
    Timestamp free_since{};
    bool is_leased = false;
    bool is_late = false;
    std::uint32_t unregistered = 0;

    RowInLine(const Query& query, Timestamp now)
        : place(place_at(query)),
          name(query.view(13)),
          key(query.view(11)),
          session(query.view(15), query.view(12)),
          since(query.null(7) ? query.time(1) : query.time(8)),
          free_since(std::max(query.time(1), query.time(8))),
          is_leased(!query.null(7)),
          is_late(query.null(7) && query.small(9) == 0 && !query.null(10) && query.time(10) <= now),
          unregistered(query.small(14)) {}
};

/// The activities of one queue that have one name and, if its keys are limited, one key.
struct Lane {
    std::string name;
    std::string key;
    std::vector<RowInLine> rows;  ///< The first of those not looked at, the next one last.
};

/// Of lanes that are not empty: which is later.
struct IsLater {
    bool operator()(const Lane& one, const Lane& other) const {
        return one.rows.back().place > other.rows.back().place;
    }
};

/// Looks through queues for one claim.
class Line {
public:
    Line(Connection& connection, Tables& tables, const ClaimActivities& request)
        : connection_(connection),
          tables_(tables),
          request_(request),
          rows_(tables),
          choice_(request, rows_, tables.now()) {}

    void look_through(const std::string& queue) {
        taken_ = 0;
        const std::optional<PlaceInLine> last = look_at_first(queue);
        if (!last) return;
        if (auto lanes = lanes_of(queue)) {
            look_at_lanes(queue, *last, std::move(*lanes));
        } else {
            look_at_rest(queue, *last);
        }
    }

    [[nodiscard]] const store::Choice& choice() const { return choice_; }
    /// What can be taken, of each queue one more than is wanted, to know whether there is more.
    std::vector<PlaceInLine> found;

private:
    /// In order, until too many were passed over: then the last place, behind which to go on.
    std::optional<PlaceInLine> look_at_first(const std::string& queue) {
        Query query = connection_.use(Sql::activity_next);
        query.bind(queue);
        std::uint32_t seen = 0;
        while (wants_more() && query.step()) {
            const RowInLine one(query, tables_.now());
            if (!look_at(queue, one)) return std::nullopt;
            if (++seen - taken_ == store::kMostPassed) return one.place;
        }
        return std::nullopt;
    }

    /// In order, whatever it takes.
    void look_at_rest(const std::string& queue, const PlaceInLine& behind) {
        Query query = connection_.use(Sql::activity_next_behind);
        query.bind(queue, behind.rank, behind.visible_at, behind.sequence);
        while (wants_more() && query.step()) {
            const RowInLine one(query, tables_.now());
            if (choice_.has_code(one.name) && !look_at(queue, one)) return;
        }
    }

    /// In the same order: always the first of all lanes is next.
    void look_at_lanes(const std::string& queue,
                       const PlaceInLine& behind,
                       std::vector<Lane> lanes) {
        for (Lane& lane : lanes) read(queue, behind, lane, 1);
        std::erase_if(lanes, [](const Lane& lane) { return lane.rows.empty(); });
        std::make_heap(lanes.begin(), lanes.end(), IsLater());
        while (wants_more() && !lanes.empty()) {
            std::pop_heap(lanes.begin(), lanes.end(), IsLater());
            Lane& lane = lanes.back();
            const RowInLine one = std::move(lane.rows.back());
            lane.rows.pop_back();
            if (!look_at(queue, one)) return;
            const bool goes_on = choice_.has_room(queue, lane.key);
            if (goes_on && lane.rows.empty()) read(queue, one.place, lane, kReadOfLane);
            if (goes_on && !lane.rows.empty()) {
                std::push_heap(lanes.begin(), lanes.end(), IsLater());
            } else {
                lanes.pop_back();
            }
        }
    }

    /// Those of which something may be taken; none if there are too many. What other names are in
    /// line does not matter, if there is code for some only.
    std::optional<std::vector<Lane>> lanes_of(const std::string& queue) {
        std::vector<Lane> lanes;
        std::uint32_t seen = 0;
        const auto add = [&](const std::string& name) {
            for (auto key = tables_.lane_in_line(queue, name, std::nullopt); key;
                 key = tables_.lane_in_line(queue, name, key)) {
                if (++seen > kMostLanes) return false;
                if (choice_.has_room(queue, *key)) lanes.push_back(Lane{name, *key, {}});
            }
            return true;
        };
        if (request_.names) {
            const std::set<std::string> names(request_.names->begin(), request_.names->end());
            const bool all = std::all_of(names.begin(), names.end(), add);
            return all ? std::optional(std::move(lanes)) : std::nullopt;
        }
        for (auto name = tables_.name_in_line(queue, ""); name;
             name = tables_.name_in_line(queue, *name)) {
            if (!add(*name)) return std::nullopt;
        }
        return lanes;
    }

    /// The next ones, `most` of them.
    void read(const std::string& queue, const PlaceInLine& behind, Lane& lane, std::uint32_t most) {
        Query query = connection_.use(Sql::lane_rows);
        query.bind(
            queue, lane.name, lane.key, behind.rank, behind.visible_at, behind.sequence, most);
        while (query.step()) lane.rows.emplace_back(query, tables_.now());
        std::reverse(lane.rows.begin(), lane.rows.end());
    }

    [[nodiscard]] bool wants_more() const { return taken_ <= request_.max; }

    /// False: nothing more of this queue can be taken.
    bool look_at(const std::string& queue, const RowInLine& one) {
        if (!in_shards(request_.shards, one.place.activity.run.shard)) return true;
        const store::InLine row{.activity = one.place.activity,
                                .name = one.name,
                                .key = one.key,
                                .session = one.session,
                                .since = one.since,
                                .free_since = one.free_since,
                                .is_leased = one.is_leased,
                                .is_late = one.is_late,
                                .unregistered = one.unregistered};
        switch (choice_.look_at(queue, row)) {
            case store::Choice::Verdict::ends: return false;
            case store::Choice::Verdict::passes: return true;
            case store::Choice::Verdict::takes: break;
        }
        found.push_back(one.place);
        ++taken_;
        return true;
    }

    Connection& connection_;
    Tables& tables_;
    const ClaimActivities& request_;
    AdmissionRows rows_;
    store::Choice choice_;
    std::uint32_t taken_ = 0;  ///< Of this queue.
};

}  // namespace

std::optional<std::string> Tables::name_in_line(const std::string& queue,
                                                const std::string& after) {
    Query query = connection_.use(Sql::lane_name);
    query.bind(queue, after);
    return query.step() ? std::optional(query.text(0)) : std::nullopt;
}

std::optional<std::string> Tables::lane_in_line(const std::string& queue,
                                                const std::string& name,
                                                const std::optional<std::string>& after) {
    Query query = connection_.use(after ? Sql::lane_after : Sql::lane_first);
    query.bind(queue, name);
    if (after) query.bind(*after);
    return query.step() ? std::optional(query.text(0)) : std::nullopt;
}

bool Tables::has_in_line(const std::string& queue,
                         const std::vector<std::string>* names,
                         store::Admission& admission) {
    if (queue_is_empty(queue)) return false;
    if (names == nullptr) return true;
    const store::NameFilter filter(names);
    // Who lacks a name must not take the room that others wait for, either.
    const bool limited = limits_of(queue) != nullptr;
    std::uint32_t seen = 0;
    for (auto name = name_in_line(queue, ""); name; name = name_in_line(queue, *name)) {
        if (++seen > kMostAsked) return true;
        if (!limited && !filter.has(*name)) continue;
        for (auto key = lane_in_line(queue, *name, std::nullopt); key;
             key = lane_in_line(queue, *name, key)) {
            if (++seen > kMostAsked || admission.has_room(queue, *key)) return true;
        }
    }
    return false;
}

Tables::NextActivities Tables::next_activities(const ClaimActivities& request) {
    promote_activities();
    Line line(connection_, *this, request);
    for (const std::string& queue : queues_of(request)) line.look_through(queue);
    const store::Choice& choice = line.choice();
    for (const ActivityRef& ref : choice.late()) {
        // Out of everyone's way until the turn that hears of it.
        Activity activity = *find_activity(ref);
        activity.visible_at = Timestamp::max();
        update_activity(activity);
    }
    for (const store::Choice::Mark& mark : choice.marks()) {
        Activity activity = *find_activity(mark.activity);
        activity.unregistered = mark.unregistered;
        update_activity(activity);
    }
    NextActivities next;
    next.marked = choice.marks().size();
    next.ready_in = choice.ready_in();
    std::sort(line.found.begin(), line.found.end());
    if (line.found.size() > request.max) {
        line.found.resize(request.max);
        next.ready_in = Millis(0);
    }
    next.found.reserve(line.found.size());
    for (const PlaceInLine& place : line.found) next.found.push_back(place.activity);
    return next;
}

}  // namespace belay::sqlite
