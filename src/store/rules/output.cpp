#include "store/rules/output.hpp"

#include <algorithm>
#include <utility>

namespace belay::store {

namespace {

std::uint64_t size_of(const AttemptRow& row) {
    return row.first_bytes + row.last_bytes + OutputBounds::kAttempt;
}

/// The output of one attempt while it is appended to.
class Writer {
public:
    Writer(Rows& rows, const Run& run, const AppendOutput& part, RunOutput& all, AttemptRow& row)
        : rows_(rows),
          run_(run),
          key_(attempt_key(part)),
          bounds_(part.bounds),
          all_(all),
          row_(row) {}

    void add(const OutputChunk& chunk) {
        if (chunk.lost_bytes > 0 || chunk.lost_lines > 0) leave_gap(chunk);
        const std::uint64_t number = all_.next++;
        const std::uint64_t size = chunk.bytes + OutputBounds::kChunk;
        rows_.insert_chunk(run_, key_, row_, number, chunk);
        if (row_.end_from == 0 && row_.first_bytes + size <= bounds_.first_bytes) {
            row_.first_bytes += size;
            return;
        }
        if (row_.end_from == 0) row_.end_from = number;
        row_.last_bytes += size;
        while (row_.last_bytes > bounds_.last_bytes) drop_oldest();
    }

private:
    /// Makes room for output that is missing. Nothing of the end may stand before the gap.
    void leave_gap(const OutputChunk& chunk) {
        while (row_.last_bytes > 0) drop_oldest();
        if (row_.end_from == 0) row_.end_from = all_.next;
        row_.left_out_bytes += chunk.lost_bytes;
        row_.left_out_lines += chunk.lost_lines;
        row_.left_out_to = all_.next - 1;
    }

    /// Drops the first chunk of the end.
    void drop_oldest() {
        const std::optional<ChunkSize> oldest = rows_.chunk_from(run_, row_, row_.end_from);
        if (!oldest) rows_.damaged("the output of an attempt is shorter than was counted");
        rows_.erase_chunk(run_, row_, oldest->number);
        row_.last_bytes -= oldest->bytes + OutputBounds::kChunk;
        row_.left_out_bytes += oldest->bytes;
        row_.left_out_lines += oldest->lines;
        row_.left_out_to = oldest->number;
        row_.end_from = oldest->number + 1;
    }

    Rows& rows_;
    const Run& run_;
    const AttemptKey key_;
    const OutputBounds& bounds_;
    RunOutput& all_;
    AttemptRow& row_;
};

/// Removes the output of a whole attempt. Returns false if it has none.
bool drop_attempt(Rows& rows, const Run& run, RunOutput& all, const AttemptKey& key) {
    const std::optional<AttemptRow> row = rows.find_attempt(run, key);
    if (!row) return false;
    rows.erase_attempt(run, key, *row);
    all.bytes -= std::min(all.bytes, size_of(*row));
    return true;
}

/// Removes earlier attempts at the same activity beyond the number that is kept.
void drop_earlier(
    Rows& rows, const Run& run, RunOutput& all, const AttemptKey& kept, std::uint32_t most) {
    const std::vector<AttemptKey> attempts =
        rows.attempts_with_output(run, kept.execution, kept.first);
    std::size_t left = attempts.size();
    for (const AttemptKey& key : attempts) {
        if (left <= std::max(most, 1U)) return;
        if (key == kept || !drop_attempt(rows, run, all, key)) continue;
        ++all.left_out_attempts;
        --left;
    }
}

/// Removes the attempts that began to write first until the run is within its bound.
void drop_oldest_of_run(
    Rows& rows, const Run& run, RunOutput& all, std::uint64_t kept, std::uint64_t most) {
    while (all.bytes > most) {
        const std::optional<AttemptKey> oldest = rows.oldest_attempt(run, kept);
        if (!oldest || !drop_attempt(rows, run, all, *oldest)) return;
        ++all.left_out_attempts;
    }
}

}  // namespace

AttemptKey attempt_key(const AppendOutput& part) {
    const CommandNo command = part.activity.command;
    const CommandNo first = part.first_command == 0 ? command : part.first_command;
    return AttemptKey{part.activity.execution, first, command, part.attempt};
}

void apply(Change& change, const AppendOutput& part) {
    Rows& rows = change.rows;
    const Run& run = rows.run_of(part.activity.run.key);
    const AttemptKey key = attempt_key(part);
    RunOutput all = rows.output_of(run).value_or(RunOutput());
    std::optional<AttemptRow> found = rows.find_attempt(run, key);
    const bool is_new = !found;
    AttemptRow row = std::move(found).value_or(AttemptRow());
    if (is_new) row.id = all.next;
    if (row.token != part.token) {
        row.token = part.token;
        row.taken = 0;
    }
    const std::uint64_t known = row.taken > part.before ? row.taken - part.before : 0;
    if (known >= part.chunks.size()) return;

    const std::uint64_t size_before = is_new ? 0 : size_of(row);
    Writer writer(rows, run, part, all, row);
    const auto first = part.chunks.begin() + static_cast<std::ptrdiff_t>(known);
    std::for_each(first, part.chunks.end(), [&](const OutputChunk& one) { writer.add(one); });
    row.taken = part.before + part.chunks.size();
    if (!part.source.empty()) row.source = part.source;
    rows.put_attempt(run, key, row);
    all.bytes = all.bytes + size_of(row) - size_before;
    if (is_new) drop_earlier(rows, run, all, key, part.bounds.attempts);
    drop_oldest_of_run(rows, run, all, row.id, part.bounds.run_bytes);
    rows.put_output(run, all);
}

void delete_output(Rows& rows, const Run& run, ExecutionNo execution) {
    std::optional<RunOutput> all = rows.output_of(run);
    if (!all) return;
    for (const AttemptKey& key : rows.attempts_with_output(run, execution, std::nullopt)) {
        drop_attempt(rows, run, *all, key);
    }
    rows.put_output(run, *all);
}

}  // namespace belay::store
