// Which instances there are to delete or prune.
#include "store/sqlite/deletion.hpp"
#include "store/sqlite/reader.hpp"
#include "store/sqlite/reads.hpp"

#include <algorithm>
#include <limits>

namespace belay::sqlite {

namespace {

/// Trees beyond this are large, however large.
constexpr int kSizeLimit = 10'000;
constexpr std::int64_t kLeast = std::numeric_limits<std::int64_t>::min();
constexpr std::int64_t kMost = std::numeric_limits<std::int64_t>::max();

/// A place in the order of ends, as the file has it: when, and the run.
using Place = std::pair<std::int64_t, std::int64_t>;

Place place_of(const SelectInstances::After& after) {
    if (!after) return {kLeast, kLeast};
    return {to_unix_ms(after->first), stored(after->second.value)};
}

/// The last place of what ended before that time.
Place last_before(const std::optional<Timestamp>& before) {
    if (!before) return {kMost, kMost};
    const std::int64_t at = to_unix_ms(*before);
    return {at == kLeast ? kLeast : at - 1, kMost};
}

std::vector<Status> wanted_of(const std::optional<std::vector<Status>>& statuses) {
    std::vector<Status> wanted;
    for (const Status one :
         {Status::completed, Status::failed, Status::canceled, Status::skipped}) {
        if (!statuses || std::find(statuses->begin(), statuses->end(), one) != statuses->end()) {
            wanted.push_back(one);
        }
    }
    return wanted;
}

/// Collects what is selected from one state of the file.
class Selection {
public:
    Selection(Connection& connection, const SelectInstances& request, Timestamp now)
        : connection_(connection), request_(request), reader_(connection, now) {}

    void select(const SelectInstances::Named& which) {
        for (const std::string& id : which.ids) {
            if (answer_.size() >= request_.max) return;
            const auto holders = reader_.tables.holders_of(InstanceName{request_.space, id});
            if (holders.current) add(*holders.current);
        }
    }

    void select(const SelectInstances::Ended& which) {
        const Place last = last_before(which.before);
        const Place after = place_of(which.after);
        std::vector<Place> found;
        for (const Status outcome : wanted_of(which.statuses)) {
            if (which.definition) {
                find(*which.definition, outcome, last, after, found);
                continue;
            }
            Query query = connection_.use(Sql::run_ended);
            query.bind(request_.space, outcome);
            add_places(query, last, after, found);
        }
        add_first(std::move(found));
    }

    void select(const SelectInstances::Past& which) {
        std::optional<Place> last;
        if (which.before) last = last_before(which.before);
        if (which.not_last) {
            const std::optional<Place> behind = find_behind(which);
            if (behind && (!last || *behind > *last)) last = behind;
        }
        if (!last) return;
        if (which.by) last = std::min(*last, Place(to_unix_ms(*which.by), kMost));
        std::vector<Place> found;
        find(which.definition, which.outcome, *last, place_of(which.after), found);
        add_first(std::move(found));
    }

    void select(const SelectInstances::Chains& which) {
        Query query = connection_.use(Sql::run_chains);
        query.bind(request_.space, which.after ? stored(which.after->value) : kLeast, request_.max);
        add_all(query);
    }

    void select(const SelectInstances::Formers& which) {
        Query query = connection_.use(Sql::run_formers);
        query.bind(request_.space, which.after ? stored(which.after->value) : kLeast, request_.max);
        add_all(query);
    }

    [[nodiscard]] SelectInstances::Answer take() { return std::move(answer_); }

private:
    /// Of one definition and one way to end, a page.
    void find(const std::string& definition,
              Status outcome,
              const Place& last,
              const Place& after,
              std::vector<Place>& found) {
        Query query = connection_.use(Sql::run_root_ended);
        query.bind(request_.space, definition, outcome);
        add_places(query, last, after, found);
    }

    void add_places(Query& query,
                    const Place& last,
                    const Place& after,
                    std::vector<Place>& found) {
        query.bind(last.first, last.second, after.first, after.second, request_.max);
        while (query.step()) found.emplace_back(query.integer(0), query.integer(1));
    }

    /// The last one that is not among the last so many, unless it is past its time anyway.
    [[nodiscard]] std::optional<Place> find_behind(const SelectInstances::Past& which) {
        Query query = connection_.use(Sql::run_root_ended_behind);
        query.bind(request_.space, which.definition, which.outcome, *which.not_last);
        query.bind(which.before.value_or(Timestamp::min()), which.by.value_or(Timestamp::max()));
        if (!query.step()) return std::nullopt;
        return Place(query.integer(0), query.integer(1));
    }

    /// The first page of what several ways to end have.
    void add_first(std::vector<Place> found) {
        std::sort(found.begin(), found.end());
        if (found.size() > request_.max) found.resize(request_.max);
        for (const Place& one : found) add(RunKey{static_cast<std::uint64_t>(one.second)});
    }

    void add_all(Query& query) {
        std::vector<RunKey> keys;
        while (query.step()) keys.push_back(RunKey{query.number(0)});
        for (const RunKey key : keys) add(key);
    }

    void add(RunKey key) {
        Query query = connection_.use(Sql::run_mark);
        query.bind(key);
        if (!query.step()) throw SqliteFailure(SQLITE_CORRUPT, "an index has a run that is not");
        InstanceMark mark;
        mark.instance.run = RunRef{Shard{static_cast<std::uint16_t>(query.integer(0))}, key};
        mark.instance.name = InstanceName{query.text(1), query.text(2)};
        mark.instance.status = query.as<Status>(3);
        mark.definition = query.text(4);
        mark.owner = query.text(5);
        mark.root = query.flag(6);
        mark.ended_at = query.maybe_time(7);
        mark.settled = query.flag(8);
        mark.old_executions = query.number(11);
        mark.oldest_ended_at = query.maybe_time(12);
        mark.size = 1 + query.number(9) + mark.old_executions;
        // Numbers of children begin with 1.
        if (query.number(10) > 1) mark.size += size_below(key);
        mark.formers_settled = formers_settled(key, mark.instance.name.space);
        answer_.push_back(std::move(mark));
    }

    /// Whether all runs that go with it because it took their name have settled.
    [[nodiscard]] bool formers_settled(RunKey key, const std::string& space) {
        Tables& tables = reader_.tables;
        if (!tables.has_former_roots(space)) return true;
        const std::vector<RunKey> formers = tables.former_roots_of(tables.run_of(key));
        return std::all_of(formers.begin(), formers.end(), [&](RunKey former) {
            return tables.run_of(former).settled;
        });
    }

    [[nodiscard]] std::uint64_t size_below(RunKey key) {
        Query query = connection_.use(Sql::run_below);
        query.bind(key, kSizeLimit);
        return query.step() ? query.number(0) + query.number(1) : 0;
    }

    Connection& connection_;
    const SelectInstances& request_;
    Reader reader_;
    SelectInstances::Answer answer_;
};

}  // namespace

SelectInstances::Answer read(Connection& connection,
                             const SelectInstances& request,
                             Timestamp now) {
    Selection selection(connection, request, now);
    std::visit([&](const auto& which) { selection.select(which); }, request.which);
    return selection.take();
}

ListOutcomes::Answer read(Connection& connection, const ListOutcomes& request, Timestamp) {
    ListOutcomes::Answer answer;
    ListOutcomes::One last = request.after.value_or(ListOutcomes::One{{}, Status{}});
    while (answer.size() < request.max) {
        Query query = connection.use(Sql::run_next_outcome);
        query.bind(request.space, last.definition, last.outcome);
        if (!query.step()) break;
        answer.push_back(ListOutcomes::One{query.text(0), query.as<Status>(1)});
        last = answer.back();
    }
    return answer;
}

ListTree::Answer read(Connection& connection, const ListTree& request, Timestamp now) {
    ListTree::Answer answer;
    Reader reader(connection, now);
    const Run* root = reader.tables.find_run(request.name);
    if (root == nullptr) return answer;
    for (const RunKey key : tree_of(reader.tables, *root)) {
        const Run& run = reader.tables.run_of(key);
        if (!run.former) answer.push_back(run.brief());
    }
    std::reverse(answer.begin(), answer.end());
    return answer;
}

}  // namespace belay::sqlite
