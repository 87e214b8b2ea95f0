// Which instances there are to delete or prune.
#include "store/sqlite/deletion.hpp"
#include "store/sqlite/reader.hpp"
#include "store/sqlite/reads.hpp"

#include <algorithm>
#include <limits>

namespace belay::sqlite {

namespace {

/// Collects what is selected from one state of the file.
class Selection {
public:
    Selection(Connection& connection, const SelectInstances& request, Timestamp now)
        : connection_(connection), request_(request), reader_(connection, now) {}

    void select(const SelectInstances::Named& which) {
        for (const std::string& id : which.ids) {
            if (full()) return;
            const Run* run = reader_.tables.find_run(InstanceName{request_.space, id});
            if (run != nullptr) add(*run);
        }
    }

    void select(const SelectInstances::Ended& which) {
        constexpr Timestamp kNever = Timestamp::max();
        Query query = connection_.use(Sql::run_ended);
        query.bind(request_.space, which.before.value_or(kNever));
        if (which.after) {
            query.bind(which.after->first, which.after->second);
        } else {
            query.bind(Timestamp::min(), std::numeric_limits<std::int64_t>::min());
        }
        query.bind(request_.max);
        std::vector<RunKey> keys;
        while (query.step()) keys.push_back(RunKey{query.number(0)});
        for (const RunKey key : keys) add(reader_.tables.run_of(key));
    }

    void select(const SelectInstances::Chains& which) {
        std::int64_t after =
            which.after ? stored(which.after->value) : std::numeric_limits<std::int64_t>::min();
        while (!full()) {
            Query query = connection_.use(Sql::execution_next_run);
            query.bind(after);
            if (!query.step() || query.null(0)) return;
            after = query.integer(0);
            const Run& run = reader_.tables.run_of(RunKey{query.number(0)});
            if (!run.former && run.name.space == request_.space) add(run);
        }
    }

    [[nodiscard]] SelectInstances::Answer take() { return std::move(answer_); }

private:
    [[nodiscard]] bool full() const { return answer_.size() >= request_.max; }

    [[nodiscard]] bool has_old_executions(const Run& run) {
        if (run.execution == 1) return false;
        Query query = connection_.use(Sql::execution_any);
        query.bind(run.ref.key);
        return query.step();
    }

    void add(const Run& run) {
        InstanceMark mark;
        mark.instance = run.brief();
        mark.root = !run.parent;
        mark.ended_at = run.ended_at;
        mark.chain = has_old_executions(run);
        answer_.push_back(std::move(mark));
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
