// The worker queue.
#include "store/sqlite/tables.hpp"

#include <algorithm>
#include <chrono>

namespace belay::sqlite {

namespace {

/// Reads the columns of activity_find.
template <class Row>
Activity read_activity(const Query<Row>& query, const ActivityRef& ref) {
    Activity activity;
    activity.ref = ref;
    activity.waits_until = query.maybe_time(Row::waits_until);
    activity.visible_at = query.time(Row::visible_at);
    if (!query.null(Row::holder)) activity.token = read_token(query);
    activity.leased_until = query.time(Row::leased_until);
    activity.worker = query.text(Row::worker);
    activity.attempt = query.small(Row::attempt);
    activity.unregistered = query.small(Row::unregistered);
    activity.shielded = query.flag(Row::shielded);
    activity.queue = query.text(Row::queue);
    activity.large = query.flag(Row::is_large);
    activity.claimed_at = query.maybe_time(Row::claimed_at);
    activity.schedule_to_start = query.maybe_time(Row::schedule_to_start);
    activity.progress_at = query.maybe_time(Row::progress_at);
    activity.session = query.text(Row::session);
    return activity;
}

/// Binds the common part of activity_insert and activity_update.
template <class To>
void set_lease(Query<NoColumns, To>& query, const Activity& activity) {
    query.set(To::run, activity.ref.run.key)
        .set(To::execution, activity.ref.execution)
        .set(To::command, activity.ref.command)
        .set(To::waits_until, activity.waits_until)
        .set(To::visible_at, activity.visible_at)
        .set(To::leased_until, activity.leased_until)
        .set(To::worker, activity.worker)
        .set(To::attempt, activity.attempt)
        .set(To::claimed_at, activity.claimed_at);
    if (activity.token) {
        query.set(To::holder, activity.token->holder).set(To::serial, activity.token->serial);
    } else {
        query.set_null(To::holder, To::serial);
    }
}

/// From this number on, one query for all is less work than one for each.
constexpr std::size_t kMany = 3;

/// True if the transition may name so many rows of a kind that they are read at once. With fewer
/// parts that gains nothing, and most transitions have one or two.
bool is_long(const Transition& transition) { return transition.parts.size() > 2; }

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
        if (query.step() && query.shard(columns::activity_find::shard) == ref.run.shard) {
            kept = read_activity(query, ref);
        }
    }
    return kept ? &*kept : nullptr;
}

void Tables::prefetch(std::span<const Transition> batch) {
    if (std::none_of(batch.begin(), batch.end(), is_long)) return;
    const std::vector<ActivityRef> named = store::rows_named_by(batch).activities;
    for (auto first = named.begin(); first != named.end();) {
        const auto is_other = [&](const ActivityRef& one) {
            return one.run != first->run || one.execution != first->execution;
        };
        const auto end = std::find_if(first, named.end(), is_other);
        const auto count = static_cast<std::size_t>(end - first);
        const CommandNo last = std::prev(end)->command;
        // One query is more work if it reads too many other activities among them.
        if (count >= kMany && last - first->command < 2 * count) read_activities(*first, last);
        first = end;
    }
}

void Tables::read_activities(const ActivityRef& first, CommandNo last) {
    Query query = connection_.use(Sql::activity_range);
    query.bind(first.run.key, first.execution, first.command, last);
    using Row = columns::activity_range;
    while (query.step()) {
        if (query.shard(Row::shard) != first.run.shard) continue;
        const ActivityRef ref{first.run, first.execution, query.small(Row::command)};
        activities_.insert_or_assign(ref, read_activity(query, ref));
    }
}

void Tables::insert_activity(const Activity& activity,
                             const NewActivity& about,
                             const std::string& lane) {
    const ActivityRef& ref = activity.ref;
    const std::optional<std::string> headers = encode(about.headers);
    const std::optional<Blob> bytes = inline_bytes(about.input.bytes);
    const std::int64_t rank = -static_cast<std::int64_t>(about.priority);
    const auto session =
        about.session.empty() ? std::nullopt : std::optional<std::string_view>(about.session);
    Query query = connection_.use(Sql::activity_insert);
    set_lease(query, activity);
    using To = parameters::activity_insert;
    query.set(To::shard, ref.run.shard)
        .set(To::shielded, about.shielded)
        .set(To::rank, rank)
        .set(To::sequence, sequence_.next())
        .set(To::queue, about.queue)
        .set(To::name, about.name)
        .set(To::fairness_key, about.fairness_key)
        .set(To::schedule_to_start, about.schedule_to_start)
        .set(To::start_to_close, about.start_to_close)
        .set(To::heartbeat_timeout, about.heartbeat_timeout)
        .set(To::session, session)
        .set(To::headers, headers ? std::optional(Blob{*headers}) : std::nullopt)
        .set(To::codec, about.input.codec)
        .set(To::flags, about.input.flags)
        .set(To::bytes, bytes)
        .set(To::lane, lane)
        .run();
    if (!bytes) {
        put_large(LargePlace{ref.run.key, LargePart::activity, ref.execution, ref.command},
                  about.input.bytes);
    }
    if (!activity.waits_until) empty_queues_.erase(about.queue);
    activities_.erase(ref);
}

std::string Tables::name_of(const ActivityRef& ref) {
    Query query = connection_.use(Sql::activity_name);
    query.bind(ref.run.key, ref.execution, ref.command);
    return query.step() ? query.text(columns::activity_name::name) : std::string();
}

void Tables::forget_start_time(const ActivityRef& ref) {
    connection_.use(Sql::activity_begun).bind(ref.run.key, ref.execution, ref.command).run();
}

void Tables::put_progress(const ActivityRef& ref, const Payload& progress) {
    connection_.use(Sql::progress_put)
        .bind(ref.run.key, ref.execution, ref.command, progress)
        .run();
    connection_.use(Sql::progress_time).bind(ref.run.key, ref.execution, ref.command, now()).run();
    activities_.erase(ref);
}

void Tables::write_activity(const Activity& activity) {
    const ActivityRef ref = activity.ref;
    Query query = connection_.use(Sql::activity_update);
    set_lease(query, activity);
    query.set(parameters::activity_update::unregistered, activity.unregistered).run();
    empty_queues_.erase(activity.queue);
    activities_.erase(ref);
}

void Tables::erase_activity(const Activity& activity) {
    const ActivityRef ref = activity.ref;
    connection_.use(Sql::activity_delete).bind(ref.run.key, ref.execution, ref.command).run();
    if (activity.large) {
        delete_large(connection_,
                     LargePlace{ref.run.key, LargePart::activity, ref.execution, ref.command});
    }
    if (activity.progress_at) {
        connection_.use(Sql::progress_delete).bind(ref.run.key, ref.execution, ref.command).run();
    }
    if (!activity.waits_until) empty_queues_.erase(activity.queue);
    activities_.erase(ref);
}

std::vector<ActivityRef> Tables::activities_of(const Run& run) {
    std::vector<ActivityRef> found;
    Query query = connection_.use(Sql::activity_of_run);
    query.bind(run.ref.key);
    using Row = columns::activity_of_run;
    while (query.step()) {
        found.push_back(
            ActivityRef{run.ref, query.small(Row::execution), query.small(Row::command)});
    }
    return found;
}

void Tables::promote_activities() {
    if (promoted_) return;
    promoted_ = true;
    {
        Query query = connection_.use(Sql::activity_waiting);
        query.bind(now());
        if (!query.step()) return;
    }
    connection_.use(Sql::activity_promote).bind(now()).run();
    activities_.clear();
    empty_queues_.clear();
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
    using Row = columns::activity_claim;
    item.name = query.text(Row::name);
    item.start_to_close = query.maybe_duration(Row::start_to_close);
    item.heartbeat_timeout = query.maybe_duration(Row::heartbeat_timeout);
    item.headers = decode_headers(query.view(Row::headers));
    item.input = query.payload(Row::codec, Row::flags, Row::bytes);
    item.fairness_key = query.text(Row::fairness_key);
    if (activity.large) {
        item.input.bytes = read_large(
            connection_, LargePlace{ref.run.key, LargePart::activity, ref.execution, ref.command});
    }
    if (activity.progress_at) {
        Query progress = connection_.use(Sql::progress_find);
        progress.bind(ref.run.key, ref.execution, ref.command);
        using Made = columns::progress_find;
        if (progress.step()) {
            item.progress = progress.payload(Made::codec, Made::flags, Made::bytes);
        }
    }
    Run& run = run_of(ref.run.key);
    const store::RunCode& code = code_of(run);
    item.instance = run.name;
    item.definition = code.definition;
    item.version = code.version;
}

}  // namespace belay::sqlite
