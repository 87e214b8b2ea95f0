#include "store/sqlite/blocks.hpp"

#include "store/sqlite/query.hpp"

#include <functional>
#include <string_view>

namespace belay::sqlite {

namespace {

const std::string kNoValue;

std::int64_t first_of(std::int64_t block) { return block << kBlockBits; }
std::int64_t last_of(std::int64_t block) {
    return first_of(block) + ((std::int64_t{1} << kBlockBits) - 1);
}

}  // namespace

std::size_t Blocks::Hash::operator()(const auto& entry) const noexcept {
    const auto mixed = static_cast<std::size_t>(entry.block) * 0x9E3779B97F4A7C15U +
                       static_cast<std::size_t>(entry.at) * 31U +
                       static_cast<std::size_t>(entry.kind);
    return mixed ^ std::hash<std::string_view>()(entry.value);
}

void Blocks::enter(const Named& entry) {
    if (known_.contains(entry)) return;
    connection_.use(Sql::run_block_insert)
        .bind(entry.space, entry.kind, entry.value, entry.at, entry.block)
        .run();
    known_.insert(Entry{entry.space, entry.kind, entry.value, entry.at, entry.block});
}

void Blocks::enter(const std::string& space, BlockKind kind, const std::string& value, RunKey run) {
    enter(Named{space, kind, value, 0, block_of(stored(run.value))});
}

void Blocks::enter(const std::string& space, BlockKind kind, Timestamp at, RunKey run) {
    enter(Named{space, kind, kNoValue, moment_of(at), block_of(stored(run.value))});
}

void Blocks::leave(const Named& entry) {
    left_[entry.block].insert(Entry{entry.space, entry.kind, entry.value, entry.at, entry.block});
}

void Blocks::leave_version(const std::string& space, const std::string& version, RunKey run) {
    leave(Named{space, BlockKind::version, version, 0, block_of(stored(run.value))});
}

void Blocks::leave(const store::Run& run, const store::RunCode& code, const std::string& owner) {
    const std::string& space = run.name.space;
    const std::int64_t block = block_of(stored(run.ref.key.value));
    leave(Named{space, BlockKind::definition, code.definition, 0, block});
    leave(Named{space, BlockKind::version, code.version, 0, block});
    leave(Named{space, BlockKind::owner, owner, 0, block});
    leave(Named{space, BlockKind::created, kNoValue, moment_of(run.created_at), block});
    if (!run.ended_at) return;
    leave(Named{space, ended_as(run.status), kNoValue, moment_of(*run.ended_at), block});
}

void Blocks::spare(std::int64_t block, Entries& left) {
    using Row = columns::run_block_values;
    Query query = connection_.use(Sql::run_block_values);
    query.bind(first_of(block), last_of(block));
    while (!left.empty() && query.step()) {
        const std::string space = query.text(Row::space);
        const auto has = [&](BlockKind kind, const std::string& value, std::int64_t at) {
            const auto found = left.find(Named{space, kind, value, at, block});
            if (found != left.end()) left.erase(found);
        };
        has(BlockKind::definition, query.text(Row::definition), 0);
        has(BlockKind::version, query.text(Row::version), 0);
        has(BlockKind::owner, query.text(Row::owner), 0);
        has(BlockKind::created, kNoValue, moment_of(query.time(Row::created_at)));
        if (query.null(Row::ended_at)) continue;
        has(ended_as(query.as<Status>(Row::status)),
            kNoValue,
            moment_of(query.time(Row::ended_at)));
    }
}

void Blocks::finish() {
    for (auto& [block, left] : left_) {
        spare(block, left);
        for (const Entry& entry : left) {
            connection_.use(Sql::run_block_delete)
                .bind(entry.space, entry.kind, entry.value, entry.at, entry.block)
                .run();
        }
    }
    left_.clear();
    known_.clear();
}

}  // namespace belay::sqlite
