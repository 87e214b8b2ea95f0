// The worker queue, and handlers that were told to stop.
#include "store/memory/table_rows.hpp"

#include <algorithm>
#include <utility>

namespace belay::memory {

namespace {

store::QueuedActivity in_line(const Tables& tables, const ClaimKey& place) {
    const Activity& activity = *find_activity(tables, place.activity);
    store::QueuedActivity one;
    one.place = place;
    one.name = activity.about.name;
    one.key = activity.about.fairness_key;
    one.session = session_of(tables, activity);
    one.leased_until = activity.leased_until;
    one.is_leased = activity.token.has_value();
    one.attempt = activity.attempt;
    one.unregistered = activity.unregistered;
    one.schedule_to_start = activity.schedule_to_start;
    return one;
}

/// A queue as it stands, shard by shard. The head of each shard is the next one to be looked at.
class LineHeads {
public:
    LineHeads(const std::vector<const std::set<ClaimKey>*>& sets, const ClaimKey* behind) {
        for (const std::set<ClaimKey>* one : sets) {
            heads_.emplace_back(behind == nullptr ? one->begin() : one->upper_bound(*behind),
                                one->end());
        }
    }
    /// Returns the next in line over all shards. Returns null if there is none.
    const ClaimKey* next() {
        Head* best = nullptr;
        for (Head& head : heads_) {
            if (head.first == head.second) continue;
            if (best == nullptr || *head.first < *best->first) best = &head;
        }
        return best == nullptr ? nullptr : &*best->first++;
    }

private:
    using Iterator = std::set<ClaimKey>::const_iterator;
    using Head = std::pair<Iterator, Iterator>;  ///< The next one, and the end.

    std::vector<Head> heads_;
};

/// Returns null if nothing of that name is in line.
const std::map<std::string, std::set<ClaimKey>>* lanes_of(const Tables& tables,
                                                          const std::string& queue,
                                                          const std::string& name) {
    const auto names = tables.lanes.find(queue);
    if (names == tables.lanes.end()) return nullptr;
    const auto lanes = names->second.find(name);
    return lanes == names->second.end() ? nullptr : &lanes->second;
}

}  // namespace

// ---- Rows --------------------------------------------------------------------------------------

const store::Activity* TableRows::find_activity(const ActivityRef& activity) {
    return memory::find_activity(tables_, activity);
}

void TableRows::insert_activity(const store::Activity& activity,
                                const NewActivity& about,
                                const std::string& lane) {
    const auto [entry, inserted] = tables_.activities.try_emplace(activity.ref);
    BELAY_ASSERT(inserted);
    Activity& row = entry->second;
    static_cast<store::Activity&>(row) = activity;
    row.about = about;
    row.sequence = tables_.next_activity++;
    row.lane = lane;
    index(tables_, row);
}

void TableRows::write_activity(const store::Activity& activity) {
    Activity& row = tables_.activities.at(activity.ref);
    unindex(tables_, row);
    static_cast<store::Activity&>(row) = activity;
    index(tables_, row);
}

void TableRows::erase_activity(const store::Activity& activity) {
    remove_activity(tables_, ActivityRef(activity.ref));
}

void TableRows::forget_start_time(const ActivityRef& activity) {
    Activity& row = tables_.activities.at(activity);
    row.schedule_to_start.reset();
    row.about.schedule_to_start.reset();
}

std::string TableRows::name_of(const ActivityRef& activity) {
    return tables_.activities.at(activity).about.name;
}

void TableRows::put_progress(const ActivityRef& activity, const Payload& progress) {
    Activity& row = tables_.activities.at(activity);
    row.progress = progress;
    row.progress_at = now();
}

std::vector<ActivityRef> TableRows::activities_of(const store::Run& run) {
    std::vector<ActivityRef> found;
    auto row = tables_.activities.lower_bound(ActivityRef{run.ref, 0, 0});
    for (; row != tables_.activities.end() && row->first.run == run.ref; ++row) {
        found.push_back(row->first);
    }
    return found;
}

std::vector<ActivityRef> TableRows::leased_by(std::uint64_t holder, std::uint32_t max) {
    std::vector<ActivityRef> found;
    for (const auto& [ref, row] : tables_.activities) {
        if (found.size() == max) break;
        if (!row.token || row.token->holder != holder || row.leased_until <= now()) continue;
        found.push_back(ref);
    }
    return found;
}

void TableRows::read_claimable(const ActivityRef& ref,
                               store::Activity& activity,
                               ClaimedActivity& item) {
    const Activity& row = tables_.activities.at(ref);
    activity = row;
    const Run& run = memory::run_of(tables_, ref.run);
    item.activity = ref;
    item.instance = run.name;
    item.definition = run.about.definition;
    item.version = run.about.version;
    item.name = row.about.name;
    item.queue = row.queue;
    item.input = row.about.input;
    item.headers = row.about.headers;
    item.schedule_to_start = row.schedule_to_start;
    item.start_to_close = row.about.start_to_close;
    item.heartbeat_timeout = row.about.heartbeat_timeout;
    item.progress = row.progress;
    item.fairness_key = row.about.fairness_key;
    item.session = row.session;
}

// ---- Activities in line ------------------------------------------------------------------------

void TableRows::promote_activities() {
    while (!tables_.waiting.empty() && tables_.waiting.begin()->first <= now()) {
        const auto row = tables_.activities.find(tables_.waiting.begin()->second);
        BELAY_ASSERT(row != tables_.activities.end());
        unindex(tables_, row->second);
        row->second.waits_until.reset();
        index(tables_, row->second);
    }
}

std::optional<Timestamp> TableRows::first_waiting() {
    if (tables_.waiting.empty()) return std::nullopt;
    const Timestamp first = tables_.waiting.begin()->first;
    return first == Timestamp::max() ? std::nullopt : std::optional(first);
}

bool TableRows::is_queue_empty(const std::string& queue) {
    return !tables_.claimable.contains(queue);
}

std::vector<std::string> TableRows::queues_in_line() {
    std::vector<std::string> queues;
    queues.reserve(tables_.claimable.size());
    for (const auto& [name, queue] : tables_.claimable) queues.push_back(name);
    return queues;
}

void TableRows::each_in_line(const std::string& queue,
                             const std::vector<Shard>& shards,
                             const store::PlaceInLine* behind,
                             const store::Visit<store::QueuedActivity>& visit) {
    const auto rows = tables_.claimable.find(queue);
    if (rows == tables_.claimable.end()) return;
    LineHeads heads(rows->second.of(shards), behind);
    while (const ClaimKey* const place = heads.next()) {
        if (!visit(in_line(tables_, *place))) return;
    }
}

std::optional<std::string> TableRows::name_in_line(const std::string& queue,
                                                   const std::string& after) {
    const auto names = tables_.lanes.find(queue);
    if (names == tables_.lanes.end()) return std::nullopt;
    const auto next = names->second.upper_bound(after);
    return next == names->second.end() ? std::nullopt : std::optional(next->first);
}

std::optional<std::string> TableRows::lane_in_line(const std::string& queue,
                                                   const std::string& name,
                                                   const std::optional<std::string>& after) {
    const auto* const lanes = lanes_of(tables_, queue, name);
    if (lanes == nullptr) return std::nullopt;
    const auto next = after ? lanes->upper_bound(*after) : lanes->begin();
    return next == lanes->end() ? std::nullopt : std::optional(next->first);
}

std::vector<store::QueuedActivity> TableRows::lane_rows(const std::string& queue,
                                                        const std::string& name,
                                                        const std::string& lane,
                                                        const store::PlaceInLine& behind,
                                                        std::uint32_t most) {
    std::vector<store::QueuedActivity> found;
    const auto* const lanes = lanes_of(tables_, queue, name);
    if (lanes == nullptr) return found;
    const auto rows = lanes->find(lane);
    if (rows == lanes->end()) return found;
    auto place = rows->second.upper_bound(behind);
    for (; place != rows->second.end() && found.size() < most; ++place) {
        found.push_back(in_line(tables_, *place));
    }
    return found;
}

void TableRows::set_lanes(const std::string& queue, bool by_key) {
    for (auto& [ref, row] : tables_.activities) {
        if (row.queue != queue) continue;
        unindex(tables_, row);
        row.lane = by_key ? row.about.fairness_key : std::string();
        index(tables_, row);
    }
}

// ---- Handlers that were told to stop -----------------------------------------------------------

bool TableRows::has_stopping(const StoppingKey& key) { return tables_.stopping.contains(key); }

bool TableRows::insert_stopping(const StoppingKey& key,
                                const std::string& worker,
                                Timestamp until) {
    const NewActivity& about = tables_.activities.at(key.first).about;
    Stopping record{worker, until, now(), about.queue, about.fairness_key};
    if (!tables_.stopping.emplace(key, std::move(record)).second) return false;
    tables_.stopping_until.insert({until, key});
    return true;
}

void TableRows::erase_stopping(const StoppingKey& key) { remove_stopping(tables_, key); }

std::vector<StoppingKey> TableRows::stopping_past(std::uint32_t max) {
    std::vector<StoppingKey> found;
    for (const auto& [until, key] : tables_.stopping_until) {
        if (until > now() || found.size() == max) break;
        found.push_back(key);
    }
    return found;
}

std::vector<StoppingKey> TableRows::stopping_by(std::uint64_t holder, std::uint32_t max) {
    std::vector<StoppingKey> found;
    for (const auto& [key, record] : tables_.stopping) {
        if (found.size() == max) break;
        if (key.second.holder == holder) found.push_back(key);
    }
    return found;
}

std::vector<std::pair<LeaseToken, Timestamp>> TableRows::stopping_of(const store::Run& run) {
    std::vector<std::pair<LeaseToken, Timestamp>> found;
    auto row = tables_.stopping.lower_bound(StoppingKey{ActivityRef{run.ref, 0, 0}, LeaseToken()});
    for (; row != tables_.stopping.end() && row->first.first.run == run.ref; ++row) {
        found.emplace_back(row->first.second, row->second.until);
    }
    return found;
}

}  // namespace belay::memory
