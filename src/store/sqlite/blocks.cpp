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
    connection_.use(Sql::run_block_delete)
        .bind(entry.space, entry.kind, entry.value, entry.at, entry.block)
        .bind(first_of(entry.block), last_of(entry.block))
        .run();
}

void Blocks::leave_version(const std::string& space, const std::string& version, RunKey run) {
    known_.clear();
    leave(Named{space, BlockKind::version, version, 0, block_of(stored(run.value))});
}

bool Blocks::has_alike(const store::Run& run,
                       const store::RunCode& code,
                       const std::string& owner) {
    const std::int64_t block = block_of(stored(run.ref.key.value));
    std::optional<std::int64_t> ended;
    if (run.ended_at) ended = moment_of(*run.ended_at);
    Query query = connection_.use(Sql::run_block_alike);
    query.bind(first_of(block), last_of(block), run.name.space, code.definition, code.version);
    query.bind(owner, moment_of(run.created_at), run.status, ended);
    return query.step();
}

void Blocks::leave(const store::Run& run, const store::RunCode& code, const std::string& owner) {
    // Of a block that is deleted, run by run, the last one is alone.
    if (has_alike(run, code, owner)) return;
    known_.clear();
    const std::string& space = run.name.space;
    const std::int64_t block = block_of(stored(run.ref.key.value));
    leave(Named{space, BlockKind::definition, code.definition, 0, block});
    leave(Named{space, BlockKind::version, code.version, 0, block});
    leave(Named{space, BlockKind::owner, owner, 0, block});
    leave(Named{space, BlockKind::created, kNoValue, moment_of(run.created_at), block});
    if (!run.ended_at) return;
    leave(Named{space, ended_as(run.status), kNoValue, moment_of(*run.ended_at), block});
}

}  // namespace belay::sqlite
