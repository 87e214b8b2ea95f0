// Limits of queues with the uses that count for them, and rates of starts.
#include "store/sqlite/tables.hpp"

namespace belay::sqlite {

namespace {

using LimitPut = parameters::queue_limit_put;

void set_rate(Query<NoColumns, LimitPut>& query,
              LimitPut count,
              LimitPut per,
              const std::optional<StartRate>& rate) {
    if (rate) {
        query.set(count, rate->count).set(per, rate->per);
    } else {
        query.set_null(count, per);
    }
}

}  // namespace

const LimitsByQueue& Tables::limits() {
    if (limits_ == nullptr) limits_ = queue_limits_.get(connection_);
    return *limits_;
}

const QueueLimits* Tables::limits_of(const std::string& queue) {
    const auto found = limits().find(queue);
    return found == limits().end() ? nullptr : &found->second;
}

void Tables::each_running(const std::string& queue,
                          const std::function<void(const std::string&, Timestamp)>& visit) {
    Query query = connection_.use(Sql::queue_use_running);
    query.bind(queue, now());
    using Row = columns::queue_use_running;
    while (query.step()) visit(query.text(Row::key), query.time(Row::until));
}

std::optional<store::BegunAttempts> Tables::begun_after(const std::string& queue,
                                                        const std::string* key,
                                                        Timestamp after,
                                                        std::uint32_t most) {
    Query query =
        connection_.use(key == nullptr ? Sql::queue_use_started : Sql::queue_use_started_of);
    query.bind(queue);
    if (key != nullptr) query.bind(*key);
    query.bind(after, most);
    using Row = columns::queue_use_started;
    if (!query.step() || query.null(Row::earliest)) return std::nullopt;
    return store::BegunAttempts{query.number(Row::count), query.time(Row::earliest)};
}

void Tables::put_use(LeaseToken token, const store::QueueUse& use) {
    connection_.use(Sql::queue_use_put)
        .bind(token.holder, token.serial, use.queue, use.key, use.begun_at, use.until)
        .run();
}

void Tables::renew_use(const Activity& activity) {
    const ActivityRef& ref = activity.ref;
    connection_.use(Sql::queue_use_renew).bind(ref.run.key, ref.execution, ref.command).run();
}

bool Tables::set_use_until(LeaseToken token, Timestamp until) {
    return connection_.use(Sql::queue_use_until).bind(token.holder, token.serial, until).run() > 0;
}

bool Tables::erase_use(LeaseToken token) {
    return connection_.use(Sql::queue_use_delete).bind(token.holder, token.serial).run() > 0;
}

void Tables::erase_uses_past(const std::string& queue, Timestamp begun) {
    if (!uses_cleaned_.insert(queue).second) return;
    connection_.use(Sql::queue_use_delete_past).bind(queue, now(), begun).run();
}

void Tables::erase_uses(const std::string& queue) {
    connection_.use(Sql::queue_use_clear).bind(queue).run();
}

void Tables::fill_uses(const std::string& queue) {
    connection_.use(Sql::queue_use_fill).bind(queue, now()).run();
}

void Tables::put_limits(const SetQueueLimits& part) {
    if (part.limits) {
        const QueueLimits& limits = *part.limits;
        Query query = connection_.use(Sql::queue_limit_put);
        query.set(LimitPut::queue, part.queue)
            .set(LimitPut::set_at, now())
            .set(LimitPut::set_by, part.by)
            .set(LimitPut::running, limits.running)
            .set(LimitPut::running_per_key, limits.running_per_key);
        set_rate(query, LimitPut::started, LimitPut::started_per, limits.started);
        set_rate(query,
                 LimitPut::started_per_key,
                 LimitPut::started_per_key_per,
                 limits.started_per_key);
        query.run();
    } else {
        connection_.use(Sql::queue_limit_delete).bind(part.queue).run();
    }
    queue_limits_.forget();
    limits_ = read_limits(connection_);
}

const PausedNames& Tables::pauses() {
    if (pauses_ == nullptr) pauses_ = queue_limits_.pauses(connection_);
    return *pauses_;
}

void Tables::put_pause(const SetPause& part) {
    if (part.on) {
        connection_.use(Sql::pause_put)
            .bind(part.kind, part.paused, now(), part.by, part.reason)
            .run();
    } else {
        connection_.use(Sql::pause_delete).bind(part.kind, part.paused).run();
    }
    queue_limits_.forget();
    pauses_ = read_pauses(connection_);
}

// ---- Rates of starts ---------------------------------------------------------------------------

std::optional<store::RatePlace> Tables::last_rate_place(const store::RateId& id) {
    Query query = connection_.use(Sql::rate_place_last);
    query.bind(id.first, id.second);
    using Row = columns::rate_place_last;
    if (!query.step()) return std::nullopt;
    return store::RatePlace{
        query.number(Row::number), query.time(Row::at), query.time(Row::counts_until)};
}

std::optional<store::RatePlace> Tables::find_rate_place(const store::RateId& id,
                                                        std::uint64_t number) {
    Query query = connection_.use(Sql::rate_place_find);
    query.bind(id.first, id.second, number);
    using Row = columns::rate_place_find;
    if (!query.step()) return std::nullopt;
    return store::RatePlace{
        query.number(Row::number), query.time(Row::at), query.time(Row::counts_until)};
}

void Tables::insert_rate_place(const store::RateId& id, const store::RatePlace& place) {
    connection_.use(Sql::rate_place_insert)
        .bind(id.first, id.second, place.number, place.at, place.counts_until)
        .run();
}

void Tables::erase_rate_places(const store::RateId& id, std::uint64_t up_to) {
    connection_.use(Sql::rate_place_delete).bind(id.first, id.second, up_to).run();
}

std::uint64_t Tables::erase_rate_places_past(std::uint32_t max) {
    std::vector<std::pair<store::RateId, std::uint64_t>> past;
    {
        Query query = connection_.use(Sql::rate_place_past);
        query.bind(now(), max);
        using Row = columns::rate_place_past;
        while (query.step()) {
            past.emplace_back(store::RateId(query.text(Row::space), query.text(Row::definition)),
                              query.number(Row::number));
        }
    }
    for (const auto& [id, number] : past) {
        connection_.use(Sql::rate_place_delete_one).bind(id.first, id.second, number).run();
    }
    return past.size();
}

}  // namespace belay::sqlite
