// Selections of instances for a change of many.
#include "store/rules/deletion.hpp"
#include "store/sqlite/listing_rows.hpp"
#include "store/sqlite/reads.hpp"

#include <algorithm>
#include <iterator>
#include <limits>
#include <set>

namespace belay::sqlite {

namespace {

/// The limit up to which trees are counted. Larger trees are only known to be large.
constexpr int kSizeLimit = 10'000;
constexpr std::int64_t kLeast = std::numeric_limits<std::int64_t>::min();
constexpr std::int64_t kMost = std::numeric_limits<std::int64_t>::max();

/// A place in the order of ends, as in the file: the time and the run.
using Place = std::pair<std::int64_t, std::int64_t>;

Place place_of(const SelectInstances::After& after) {
    if (!after) return {kLeast, kLeast};
    return {to_unix_ms(after->first), stored(after->second.value)};
}

Place read_place(const Query<columns::selected_instance>& query) {
    using Row = columns::selected_instance;
    return {query.integer(Row::ended_at), query.integer(Row::key)};
}

/// Returns the last place of runs that ended before that time.
Place last_before(const std::optional<Timestamp>& before) {
    if (!before) return {kMost, kMost};
    const std::int64_t at = to_unix_ms(*before);
    return {at == kLeast ? kLeast : at - 1, kMost};
}

/// Collects the selected rows from one state of the file.
class Selection {
public:
    Selection(Connection& connection, const SelectInstances& request, Timestamp now)
        : connection_(connection), request_(request), now_(now), reader_(connection, now) {}

    void select(const SelectInstances::Any&) { select_matching(); }
    void select(const SelectInstances::Ended&) { select_matching(); }
    void select(const SelectInstances::Chains&) { select_matching(); }

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

    void select(const SelectInstances::Formers& which) {
        Query query = connection_.use(Sql::run_formers);
        query.bind(request_.space, which.after ? stored(which.after->value) : kLeast, request_.max);
        for (const RunKey key : read_keys(query)) add(key);
    }

    [[nodiscard]] SelectInstances::Answer take() { return std::move(answer_); }

private:
    /// Selects the instances that match the filter, with as many statements as it takes. Each
    /// statement has its rows in order, and is left at the first row that is beyond the page: to
    /// fill a page with rare rows alone, it would go over all the others.
    void select_matching() {
        const bool by_end = std::holds_alternative<SelectInstances::Ended>(request_.which);
        std::set<Place> page;
        const auto parent = parent_key_of(connection_, request_, now_);
        each_row(connection_, selection_sql(request_, parent), [&](const auto& query) {
            const Place read = read_place(query);
            const Place place(by_end ? read.first : 0, read.second);
            if (page.size() >= request_.max && place > *page.rbegin()) return false;
            page.insert(place);
            if (page.size() > request_.max) page.erase(std::prev(page.end()));
            return true;
        });
        add_first(std::vector<Place>(page.begin(), page.end()));
    }

    /// Finds a page of runs of one definition that ended in one way.
    void find(const std::string& definition,
              Status outcome,
              const Place& last,
              const Place& after,
              std::vector<Place>& found) {
        Query query = connection_.use(Sql::run_root_ended);
        query.bind(request_.space, definition, outcome);
        query.bind(last.first, last.second, after.first, after.second, request_.max);
        while (query.step()) found.push_back(read_place(query));
    }

    /// Returns the last run that is not among the last `not_last`, unless it is past its time
    /// anyway.
    [[nodiscard]] std::optional<Place> find_behind(const SelectInstances::Past& which) {
        Query query = connection_.use(Sql::run_root_ended_behind);
        query.bind(request_.space, which.definition, which.outcome, *which.not_last);
        query.bind(which.before.value_or(Timestamp::min()), which.by.value_or(Timestamp::max()));
        if (!query.step()) return std::nullopt;
        return read_place(query);
    }

    /// Adds the first page of the places that several ways to end have.
    void add_first(std::vector<Place> found) {
        std::sort(found.begin(), found.end());
        if (found.size() > request_.max) found.resize(request_.max);
        for (const Place& one : found) add(RunKey{static_cast<std::uint64_t>(one.second)});
    }

    void add(RunKey key) {
        Query query = connection_.use(Sql::run_mark);
        query.bind(key);
        if (!query.step()) throw SqliteFailure(SQLITE_CORRUPT, "an index has a run that is not");
        using Row = columns::run_mark;
        InstanceMark mark;
        mark.instance.run = RunRef{query.shard(Row::shard), key};
        mark.instance.name = InstanceName{query.text(Row::space), query.text(Row::id)};
        mark.instance.status = query.as<Status>(Row::status);
        mark.definition = query.text(Row::definition);
        mark.owner = query.text(Row::owner);
        mark.root = query.flag(Row::is_root);
        mark.ended_at = query.maybe_time(Row::ended_at);
        mark.settled = query.flag(Row::settled);
        mark.old_executions = query.number(Row::old_executions);
        mark.oldest_ended_at = query.maybe_time(Row::oldest_ended_at);
        mark.size = 1 + query.number(Row::event_count) + mark.old_executions;
        // The numbers of children begin with 1.
        if (query.number(Row::next_child) > 1) mark.size += size_below(key);
        mark.formers_settled = formers_settled(key, mark.instance.name.space);
        answer_.push_back(std::move(mark));
    }

    /// True if all runs have settled that are deleted with it because it took their name.
    [[nodiscard]] bool formers_settled(RunKey key, const std::string& space) {
        Tables& tables = reader_.tables;
        if (!tables.has_former_roots(space)) return true;
        const std::vector<RunKey> formers = store::former_roots_of(tables, tables.run_of(key));
        return std::all_of(formers.begin(), formers.end(), [&](RunKey former) {
            return tables.run_of(former).settled;
        });
    }

    [[nodiscard]] std::uint64_t size_below(RunKey key) {
        Query query = connection_.use(Sql::run_below);
        query.bind(key, kSizeLimit);
        using Row = columns::run_below;
        return query.step() ? query.number(Row::runs) + query.number(Row::events) : 0;
    }

    Connection& connection_;
    const SelectInstances& request_;
    const Timestamp now_;
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
        using Row = columns::run_next_outcome;
        answer.push_back(
            ListOutcomes::One{query.text(Row::definition), query.as<Status>(Row::status)});
        last = answer.back();
    }
    return answer;
}

ListTree::Answer read(Connection& connection, const ListTree& request, Timestamp now) {
    ListTree::Answer answer;
    Reader reader(connection, now);
    const Run* root = reader.tables.find_run(request.name);
    if (root == nullptr) return answer;
    for (const RunKey key : store::tree_of(reader.tables, *root)) {
        const Run& run = reader.tables.run_of(key);
        if (!run.former) answer.push_back(run.brief());
    }
    std::reverse(answer.begin(), answer.end());
    return answer;
}

}  // namespace belay::sqlite
