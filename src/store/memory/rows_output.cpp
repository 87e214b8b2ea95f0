// The output of attempts.
#include "store/memory/reads.hpp"
#include "store/memory/table_rows.hpp"

#include <map>
#include <utility>

namespace belay::memory {

std::optional<store::RunOutput> TableRows::output_of(const store::Run& run) {
    const auto found = tables_.output.find(run.ref);
    return found == tables_.output.end() ? std::nullopt : std::optional(found->second.all);
}

void TableRows::put_output(const store::Run& run, const store::RunOutput& output) {
    tables_.output[run.ref].all = output;
}

std::optional<store::AttemptRow> TableRows::find_attempt(const store::Run& run,
                                                         const store::AttemptKey& key) {
    const auto output = tables_.output.find(run.ref);
    if (output == tables_.output.end()) return std::nullopt;
    const auto found = output->second.attempts.find(key);
    return found == output->second.attempts.end() ? std::nullopt : std::optional(found->second.row);
}

void TableRows::put_attempt(const store::Run& run,
                            const store::AttemptKey& key,
                            const store::AttemptRow& row) {
    Output& output = tables_.output[run.ref];
    output.attempts[key].row = row;
    output.by_id.insert_or_assign(row.id, key);
}

void TableRows::erase_attempt(const store::Run& run,
                              const store::AttemptKey& key,
                              const store::AttemptRow& row) {
    Output& output = tables_.output.at(run.ref);
    const auto attempt = output.attempts.find(key);
    BELAY_ASSERT(attempt != output.attempts.end());
    for (const std::uint64_t number : attempt->second.chunks) output.chunks.erase(number);
    output.attempts.erase(attempt);
    output.by_id.erase(row.id);
}

std::vector<store::AttemptKey> TableRows::attempts_with_output(const store::Run& run,
                                                               ExecutionNo execution,
                                                               std::optional<CommandNo> first) {
    std::vector<store::AttemptKey> found;
    const auto output = tables_.output.find(run.ref);
    if (output == tables_.output.end()) return found;
    const auto& attempts = output->second.attempts;
    auto at = attempts.lower_bound(store::AttemptKey{execution, first.value_or(0), 0, 0});
    for (; at != attempts.end() && at->first.execution == execution; ++at) {
        if (first && at->first.first != *first) break;
        found.push_back(at->first);
    }
    return found;
}

std::optional<store::AttemptKey> TableRows::oldest_attempt(const store::Run& run,
                                                           std::uint64_t except) {
    const auto output = tables_.output.find(run.ref);
    if (output == tables_.output.end()) return std::nullopt;
    for (const auto& [id, key] : output->second.by_id) {
        if (id != except) return key;
    }
    return std::nullopt;
}

void TableRows::insert_chunk(const store::Run& run,
                             const store::AttemptKey& key,
                             const store::AttemptRow& attempt,
                             std::uint64_t number,
                             const OutputChunk& chunk) {
    Output& output = tables_.output[run.ref];
    output.by_id.emplace(attempt.id, key);
    output.attempts[key].chunks.insert(number);
    const bool inserted = output.chunks.try_emplace(number, Chunk{key, chunk}).second;
    BELAY_ASSERT(inserted);
}

std::optional<store::ChunkSize> TableRows::chunk_from(const store::Run& run,
                                                      const store::AttemptRow& attempt,
                                                      std::uint64_t number) {
    const Output& output = tables_.output.at(run.ref);
    const std::set<std::uint64_t>& chunks = output.attempts.at(output.by_id.at(attempt.id)).chunks;
    const auto found = chunks.lower_bound(number);
    if (found == chunks.end()) return std::nullopt;
    const OutputChunk& chunk = output.chunks.at(*found).content;
    return store::ChunkSize{*found, chunk.bytes, chunk.lines};
}

void TableRows::erase_chunk(const store::Run& run,
                            const store::AttemptRow& attempt,
                            std::uint64_t number) {
    Output& output = tables_.output.at(run.ref);
    output.attempts.at(output.by_id.at(attempt.id)).chunks.erase(number);
    output.chunks.erase(number);
}

// ---- Reading -----------------------------------------------------------------------------------

namespace {

AttemptOutput shown(const store::AttemptKey& key, const store::AttemptRow& row) {
    AttemptOutput shown;
    shown.execution = key.execution;
    shown.command = key.command;
    shown.first_command = key.first;
    shown.attempt = key.attempt;
    shown.source = row.source;
    shown.left_out_bytes = row.left_out_bytes;
    shown.left_out_lines = row.left_out_lines;
    shown.left_out_to = row.left_out_to;
    return shown;
}

bool matches(const store::AttemptKey& key, const ReadOutput& request) {
    return (!request.execution || key.execution == *request.execution) &&
           (!request.command || key.command == *request.command) &&
           (!request.attempt || key.attempt == *request.attempt);
}

}  // namespace

ReadOutput::Answer read(const Tables& tables, const ReadOutput& request, Timestamp) {
    OutputPage page;
    page.next = request.after;
    const auto found = tables.output.find(request.run);
    if (found == tables.output.end()) return page;
    const Output& output = found->second;
    page.left_out_attempts = output.all.left_out_attempts;
    std::map<store::AttemptKey, std::size_t> places;
    std::uint64_t bytes = 0;
    auto chunk = output.chunks.upper_bound(request.after);
    for (; chunk != output.chunks.end(); ++chunk) {
        const auto& [key, content] = chunk->second;
        if (!matches(key, request)) continue;
        if (!page.chunks.empty() && bytes + content.bytes > request.max_bytes) {
            page.more = true;
            return page;
        }
        bytes += content.bytes + OutputBounds::kChunk;
        const auto [place, is_new] = places.try_emplace(key, page.attempts.size());
        if (is_new) page.attempts.push_back(shown(key, output.attempts.at(key).row));
        page.chunks.push_back(
            KeptChunk{chunk->first, place->second, content.stream, content.at, content.text});
        page.next = chunk->first;
    }
    // Nothing that matches is behind it.
    page.next = std::max(request.after, output.all.next - 1);
    return page;
}

}  // namespace belay::memory
