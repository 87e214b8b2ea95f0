// The output of attempts.
#include "naive/change.hpp"
#include "naive/naive_store.hpp"

#include <algorithm>

namespace belay::naive {

namespace {

std::uint64_t size_of(const std::vector<Output::Numbered>& chunks) {
    std::uint64_t size = 0;
    for (const Output::Numbered& one : chunks) size += one.chunk.bytes + OutputBounds::kChunk;
    return size;
}

std::uint64_t size_of(const std::vector<Output>& all) {
    std::uint64_t size = 0;
    for (const Output& one : all) {
        size += size_of(one.beginning) + size_of(one.end) + OutputBounds::kAttempt;
    }
    return size;
}

/// The output between the beginning and this chunk is lost.
void lose(Output& output, const Output::Numbered& chunk) {
    output.about.left_out_bytes += chunk.chunk.bytes;
    output.about.left_out_lines += chunk.chunk.lines;
    output.about.left_out_to = chunk.number;
}

void write(Run& run, Output& output, const OutputChunk& chunk, const OutputBounds& bounds) {
    if (chunk.lost_bytes + chunk.lost_lines > 0) {
        for (const Output::Numbered& one : output.end) lose(output, one);
        output.end.clear();
        output.closed = true;
        output.about.left_out_bytes += chunk.lost_bytes;
        output.about.left_out_lines += chunk.lost_lines;
        output.about.left_out_to = run.chunks_written;
    }
    const Output::Numbered one{++run.chunks_written, chunk};
    if (!output.closed) {
        output.beginning.push_back(one);
        if (size_of(output.beginning) <= bounds.first_bytes) return;
        output.beginning.pop_back();
        output.closed = true;
    }
    output.end.push_back(one);
    while (size_of(output.end) > bounds.last_bytes) {
        lose(output, output.end.front());
        output.end.erase(output.end.begin());
    }
}

/// The attempts at the same activity, by command and attempt.
std::vector<const Output*> attempts_of(const Run& run, const AttemptOutput& about) {
    std::vector<const Output*> found;
    for (const Output& one : run.output) {
        if (one.about.execution == about.execution &&
            one.about.first_command == about.first_command) {
            found.push_back(&one);
        }
    }
    std::sort(found.begin(), found.end(), [](const Output* a, const Output* b) {
        return std::pair(a->about.command, a->about.attempt) <
               std::pair(b->about.command, b->about.attempt);
    });
    return found;
}

bool is_same(const AttemptOutput& one, const AttemptOutput& other) {
    return one.execution == other.execution && one.command == other.command &&
           one.first_command == other.first_command && one.attempt == other.attempt;
}

}  // namespace

void Change::apply(const AppendOutput& part) {
    if (stopping(part.activity, part.token) != nullptr) {
        address(part.activity.run);
    } else {
        (void)held_activity(part.activity, part.token);
    }
    Run& run = *state_.write(part.activity.run);
    Output fresh;
    fresh.about.execution = part.activity.execution;
    fresh.about.command = part.activity.command;
    fresh.about.first_command =
        part.first_command == 0 ? part.activity.command : part.first_command;
    fresh.about.attempt = part.attempt;
    const AttemptOutput about = fresh.about;
    const auto is_it = [&](const Output& one) { return is_same(one.about, about); };
    auto at = std::find_if(run.output.begin(), run.output.end(), is_it);
    const bool is_new = at == run.output.end();
    Output& output = is_new ? fresh : *at;
    if (output.writer != part.token) output.taken = 0;
    const std::uint64_t known = output.taken > part.before ? output.taken - part.before : 0;
    if (known >= part.chunks.size()) return;
    output.writer = part.token;
    for (std::size_t i = known; i < part.chunks.size(); ++i) {
        write(run, output, part.chunks[i], part.bounds);
    }
    output.taken = part.before + part.chunks.size();
    if (!part.source.empty()) output.about.source = part.source;
    if (is_new) run.output.push_back(fresh);

    const auto drop = [&](const AttemptOutput& one) {
        std::erase_if(run.output, [&](const Output& other) { return is_same(other.about, one); });
        ++run.attempts_dropped;
    };
    while (is_new) {
        const std::vector<const Output*> attempts = attempts_of(run, about);
        if (attempts.size() <= std::max(part.bounds.attempts, 1U)) break;
        const bool first_stays = is_same(attempts.front()->about, about);
        drop(AttemptOutput(attempts[first_stays ? 1 : 0]->about));
    }
    while (run.output.size() > 1 && size_of(run.output) > part.bounds.run_bytes) {
        drop(AttemptOutput(run.output[is_it(run.output.front()) ? 1 : 0].about));
    }
}

ReadOutput::Answer read(const State& state, const ReadOutput& request, Timestamp /*now*/) {
    OutputPage page;
    page.next = request.after;
    const Run* run = state.find(request.run);
    if (run == nullptr || run->chunks_written == 0) return page;
    page.left_out_attempts = run->attempts_dropped;
    std::map<std::uint64_t, std::pair<const Output*, const OutputChunk*>> chunks;
    for (const Output& one : run->output) {
        if (request.execution && one.about.execution != *request.execution) continue;
        if (request.command && one.about.command != *request.command) continue;
        if (request.attempt && one.about.attempt != *request.attempt) continue;
        for (const auto* part : {&one.beginning, &one.end}) {
            for (const Output::Numbered& chunk : *part) {
                chunks[chunk.number] = std::pair(&one, &chunk.chunk);
            }
        }
    }
    std::vector<const Output*> shown;
    std::uint64_t bytes = 0;
    for (const auto& [number, found] : chunks) {
        const auto& [output, chunk] = found;
        if (number <= request.after) continue;
        page.more = !page.chunks.empty() && bytes + chunk->bytes > request.max_bytes;
        if (page.more) return page;
        bytes += chunk->bytes + OutputBounds::kChunk;
        const auto place = std::find(shown.begin(), shown.end(), output) - shown.begin();
        if (place == static_cast<std::ptrdiff_t>(shown.size())) {
            shown.push_back(output);
            page.attempts.push_back(output->about);
        }
        page.chunks.push_back(KeptChunk{
            number, static_cast<std::size_t>(place), chunk->stream, chunk->at, chunk->text});
        page.next = number;
    }
    page.next = std::max(request.after, run->chunks_written);
    return page;
}

}  // namespace belay::naive
