// The output that is kept is what handlers wrote.
#include "simulation/checks/observer.hpp"

#include <algorithm>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace belay::sim {

namespace {

/// A line of output: a handler, and the number of its line.
struct OutputLine {
    std::string handler;
    std::uint64_t number = 0;
};

std::optional<OutputLine> line_of(const std::string& text) {
    const std::size_t colon = text.rfind(':');
    if (colon == std::string::npos) return std::nullopt;
    return OutputLine{text.substr(0, colon), std::stoull(text.substr(colon + 1))};
}

/// The lines of an attempt. None if they are encoded.
std::optional<std::vector<std::string>> lines_of(const memory::Output& output,
                                                 const memory::Attempt& attempt) {
    std::string text;
    for (const std::uint64_t number : attempt.chunks) {
        const Payload& chunk = output.chunks.at(number).content.text;
        if (chunk.flags != 0) return std::nullopt;
        text += chunk.bytes;
    }
    std::vector<std::string> lines;
    for (std::size_t begin = 0; begin < text.size();) {
        const std::size_t end = std::min(text.find('\n', begin), text.size());
        lines.push_back(text.substr(begin, end - begin));
        begin = end + 1;
    }
    return lines;
}

}  // namespace

void Observer::check_applied(const memory::Tables& tables,
                             const AppendOutput& part,
                             const Answer&) {
    const auto output = tables.output.find(part.activity.run);
    if (output == tables.output.end()) return;
    for (const auto& [key, attempt] : output->second.attempts) {
        if (key.command != part.activity.command || key.execution != part.activity.execution) {
            continue;
        }
        const auto lines = lines_of(output->second, attempt);
        if (!lines) return;
        if (!lines->empty()) features_.add(Feature::output_kept);
        if (attempt.row.left_out_to > 0) features_.add(Feature::output_left_out);
        std::map<std::string, std::uint64_t> last;
        // An attempt that went, and wrote on, begins in the middle. It goes for want of room, or
        // with its execution.
        const memory::Run* const run = memory::find_run(tables, part.activity.run);
        const bool pruned = run == nullptr || run->find_execution(key.execution) == nullptr;
        const bool may_begin_late = pruned || output->second.all.left_out_attempts > 0;
        bool gap_left = attempt.row.left_out_to > 0;
        for (const std::string& text : *lines) {
            const std::optional<OutputLine> line = line_of(text);
            const bool known = line && line->number <= effects_.lines_of(line->handler);
            expect(known, "what is kept of output was written", text);
            if (!known) return;
            std::uint64_t& before = last[line->handler];
            const bool next = line->number == before + 1 || (may_begin_late && before == 0);
            expect(next || (gap_left && line->number > before),
                   "output is kept in order, and once",
                   [&] { return text + " after " + std::to_string(before); });
            gap_left = gap_left && next;
            before = line->number;
        }
    }
    said_last_.reset();
    if (part.chunks.empty() || part.chunks.back().text.flags != 0) return;
    std::string text = part.chunks.back().text.bytes;
    if (text.ends_with('\n')) text.pop_back();
    const std::size_t begin = text.rfind('\n');
    said_last_.emplace(part.token, text.substr(begin == std::string::npos ? 0 : begin + 1));
}

/// The end of an activity comes with all of its output.
void Observer::check_applied(const memory::Tables&, const AckActivity& part, const Answer&) {
    if (!said_last_ || said_last_->first != part.token || !part.completion ||
        part.completion->kind != MessageKind::activity_completed) {
        return;
    }
    const std::optional<OutputLine> line = line_of(said_last_->second);
    expect(line && line->number == effects_.lines_of(line->handler),
           "the end of an activity comes with all that it wrote",
           said_last_->second);
}

}  // namespace belay::sim
