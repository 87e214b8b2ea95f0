// The worker queue.
#include "store/sqlite/tables.hpp"
#include <belay/store/operations.hpp>

#include <chrono>
#include <set>

namespace belay::sqlite {

namespace {

std::optional<LeaseToken> read_token(const Query& query, int column) {
    if (query.null(column)) return std::nullopt;
    return LeaseToken{query.number(column), query.number(column + 1)};
}

/// The columns of activity_find.
Activity read_activity(const Query& query, const ActivityRef& ref) {
    Activity activity;
    activity.ref = ref;
    activity.waits_until = query.maybe_time(1);
    activity.visible_at = query.time(2);
    activity.token = read_token(query, 3);
    activity.leased_until = query.time(5);
    activity.worker = query.text(6);
    activity.attempt = query.small(7);
    activity.unregistered = query.small(8);
    activity.shielded = query.flag(9);
    activity.queue = query.text(10);
    activity.large = query.flag(11);
    activity.claimed_at = query.maybe_time(12);
    activity.schedule_to_start = query.maybe_time(13);
    activity.progress_at = query.maybe_time(14);
    if (!query.null(15)) activity.session = query.text(15);
    return activity;
}

/// Where an activity stands: in line, or waiting.
std::optional<Timestamp> waits_until(const Activity& activity, Timestamp now) {
    const Timestamp at = activity.claimable_at();
    if (at <= now) return std::nullopt;
    return at;
}

void bind_token(Query& query, const std::optional<LeaseToken>& token) {
    if (token) {
        query.bind(token->holder, token->serial);
    } else {
        query.bind(nullptr, nullptr);
    }
}

std::optional<Millis::rep> count_of(const std::optional<Millis>& duration) {
    return duration ? std::optional(duration->count()) : std::nullopt;
}

std::optional<Millis> duration_at(const Query& query, int column) {
    return query.null(column) ? std::nullopt : std::optional(Millis(query.integer(column)));
}

}  // namespace

std::uint64_t Sequence::next() {
    const auto now = std::chrono::duration_cast<std::chrono::microseconds>(
        std::chrono::system_clock::now().time_since_epoch());
    last_ = std::max(last_ + 1, static_cast<std::uint64_t>(now.count()));
    return last_;
}

const Activity* Tables::find_activity(const ActivityRef& ref) {
    const auto [entry, fresh] = activities_.try_emplace(ref);
    std::optional<Activity>& kept = entry->second;
    if (fresh) {
        Query query = connection_.use(Sql::activity_find);
        query.bind(ref.run.key, ref.execution, ref.command);
        if (query.step() && query.shard(0) == ref.run.shard) kept = read_activity(query, ref);
    }
    return kept ? &*kept : nullptr;
}

void Tables::read_activities(const ActivityRef& first, CommandNo last) {
    Query query = connection_.use(Sql::activity_range);
    query.bind(first.run.key, first.execution, first.command, last);
    while (query.step()) {
        if (query.shard(0) != first.run.shard) continue;
        const ActivityRef ref{first.run, first.execution, query.small(16)};
        activities_.insert_or_assign(ref, read_activity(query, ref));
    }
}

void Tables::add_activity(Run& run, const Activity& activity, const NewActivity& about) {
    const ActivityRef& ref = activity.ref;
    const std::optional<std::string> headers = encode(about.headers);
    const std::optional<Blob> bytes = inline_bytes(about.input.bytes);
    const std::optional<Timestamp> waits = waits_until(activity, now_);
    Query query = connection_.use(Sql::activity_insert);
    query.bind(ref.run.key, ref.execution, ref.command, ref.run.shard, waits, activity.visible_at);
    bind_token(query, activity.token);
    query.bind(activity.leased_until,
               activity.worker,
               activity.attempt,
               about.shielded,
               -static_cast<std::int64_t>(about.priority),
               sequence_.next(),
               about.queue,
               about.name,
               about.fairness_key,
               about.schedule_to_start);
    query.bind(count_of(about.start_to_close), count_of(about.heartbeat_timeout));
    if (about.session.empty()) {
        query.bind(nullptr);
    } else {
        query.bind(about.session);
    }
    query.bind(headers ? std::optional(Blob{*headers}) : std::nullopt);
    query.bind(about.input.codec, about.input.flags, bytes, activity.claimed_at);
    const QueueLimits* const limits = limits_of(about.queue);
    const bool has_lane = limits != nullptr && store::limits_keys(*limits);
    query.bind(has_lane ? std::string_view(about.fairness_key) : std::string_view());
    query.run();
    if (!bytes) {
        put_large(LargePlace{ref.run.key, LargePart::activity, ref.execution, ref.command},
                  about.input.bytes);
    }
    if (!waits) empty_queues_.erase(about.queue);
    if (!activity.token) notices.activities_ready = true;
    activities_.erase(ref);
    ++run.activities;
    run.last_activity = std::max(run.last_activity, ref.command);
    touch(run);
    if (activity.must_start()) refresh_start_timer(activity, true);
}

void Tables::refresh_start_timer(const Activity& activity, bool must_start) {
    if (!activity.schedule_to_start) return;
    const ActivityRef& ref = activity.ref;
    Run& run = run_of(ref.run.key);
    const std::optional<MessageNo> timer = find_timer(run, ref.execution, ref.command);
    if (must_start == timer.has_value()) return;
    if (!must_start) {
        remove_waiting(run, *timer);
        return;
    }
    std::string name;
    {
        Query query = connection_.use(Sql::activity_name);
        query.bind(ref.run.key, ref.execution, ref.command);
        if (query.step()) name = query.text(0);
    }
    const Timestamp until = *activity.schedule_to_start;
    add_timed(run, until, op::activity_not_started(ref, name, until), ref.command);
}

void Tables::forget_start_time(Activity& activity) {
    if (!activity.schedule_to_start) return;
    activity.schedule_to_start.reset();
    const ActivityRef& ref = activity.ref;
    connection_.use(Sql::activity_begun).bind(ref.run.key, ref.execution, ref.command).run();
}

void Tables::set_progress(const Activity& activity, const Payload& progress) {
    const ActivityRef& ref = activity.ref;
    connection_.use(Sql::progress_put)
        .bind(ref.run.key, ref.execution, ref.command, progress)
        .run();
    connection_.use(Sql::progress_time).bind(ref.run.key, ref.execution, ref.command, now_).run();
    activities_.erase(ref);
}

void Tables::update_activity(const Activity& activity) {
    const ActivityRef ref = activity.ref;
    const std::optional<Timestamp> waits = waits_until(activity, now_);
    Query query = connection_.use(Sql::activity_update);
    query.bind(ref.run.key, ref.execution, ref.command, waits, activity.visible_at);
    bind_token(query, activity.token);
    query.bind(activity.leased_until,
               activity.worker,
               activity.attempt,
               activity.unregistered,
               activity.claimed_at);
    query.run();
    empty_queues_.erase(activity.queue);
    if (!activity.token) notices.activities_ready = true;
    refresh_start_timer(activity, activity.must_start());
    activities_.erase(ref);
}

void Tables::remove_activity(Run& run, const Activity& activity) {
    const ActivityRef ref = activity.ref;
    connection_.use(Sql::activity_delete).bind(ref.run.key, ref.execution, ref.command).run();
    if (activity.large) {
        delete_large(connection_,
                     LargePlace{ref.run.key, LargePart::activity, ref.execution, ref.command});
    }
    if (activity.progress_at) {
        connection_.use(Sql::progress_delete).bind(ref.run.key, ref.execution, ref.command).run();
    }
    refresh_start_timer(activity, false);
    if (!activity.waits_until) empty_queues_.erase(activity.queue);
    count_down(run.activities, "activities");
    touch(run);
    activities_.erase(ref);
}

std::vector<ActivityRef> Tables::activities_of(const Run& run) {
    std::vector<ActivityRef> found;
    if (run.activities == 0) return found;
    Query query = connection_.use(Sql::activity_of_run);
    query.bind(run.ref.key);
    while (query.step()) found.push_back(ActivityRef{run.ref, query.small(0), query.small(1)});
    return found;
}

void Tables::promote_activities() {
    if (promoted_) return;
    promoted_ = true;
    {
        Query query = connection_.use(Sql::activity_waiting);
        query.bind(now_);
        if (!query.step()) return;
    }
    connection_.use(Sql::activity_promote).bind(now_).run();
    activities_.clear();
    empty_queues_.clear();
}

bool Tables::queue_is_empty(const std::string& queue) {
    promote_activities();
    const auto [known, fresh] = empty_queues_.try_emplace(queue, false);
    if (fresh) {
        Query query = connection_.use(Sql::activity_in_line);
        query.bind(queue);
        known->second = !query.step();
    }
    return known->second;
}

std::set<std::string> Tables::queues_of(const ClaimActivities& request) {
    if (!request.any_queue) return {request.queues.begin(), request.queues.end()};
    std::set<std::string> queues;
    std::string after;
    if (!queue_is_empty(after)) queues.insert(after);
    while (true) {
        Query query = connection_.use(Sql::activity_queues);
        query.bind(after);
        if (!query.step()) return queues;
        after = query.text(0);
        queues.insert(after);
    }
}

std::optional<Timestamp> Tables::first_waiting() {
    Query query = connection_.use(Sql::activity_first_waiting);
    const std::optional<Timestamp> first = query.step() ? query.maybe_time(0) : std::nullopt;
    return first == Timestamp::max() ? std::nullopt : first;
}

void Tables::read_claimable(const ActivityRef& ref, Activity& activity, ClaimedActivity& item) {
    activity.ref = ref;
    item.activity = ref;
    Query query = connection_.use(Sql::activity_claim);
    query.bind(ref.run.key, ref.execution, ref.command);
    if (!query.step()) throw SqliteFailure(SQLITE_CORRUPT, "an activity is missing");
    activity = read_activity(query, ref);
    item.queue = activity.queue;
    item.schedule_to_start = activity.schedule_to_start;
    item.session = activity.session;
    item.name = query.text(16);
    item.start_to_close = duration_at(query, 17);
    item.heartbeat_timeout = duration_at(query, 18);
    item.headers = decode_headers(query.view(19));
    item.input = query.payload(20);
    item.fairness_key = query.text(23);
    if (activity.large) {
        item.input.bytes = read_large(
            connection_, LargePlace{ref.run.key, LargePart::activity, ref.execution, ref.command});
    }
    if (activity.progress_at) {
        Query progress = connection_.use(Sql::progress_find);
        progress.bind(ref.run.key, ref.execution, ref.command);
        if (progress.step()) item.progress = progress.payload(0);
    }
    Run& run = run_of(ref.run.key);
    const RunCode& code = code_of(run);
    item.instance = run.name;
    item.definition = code.definition;
    item.version = code.version;
}

}  // namespace belay::sqlite
