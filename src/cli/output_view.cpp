#include "cli/output_view.hpp"

#include "cli/text.hpp"
#include "cli/values.hpp"

#include <algorithm>

namespace belay::cli {

namespace {

/// Returns the length of a control sequence of a terminal, such as a colour. 0: there is none.
std::size_t sequence_at(std::string_view text) noexcept {
    if (!text.starts_with("\x1b[")) return 0;
    std::size_t end = 2;
    while (end < text.size() && text[end] >= ' ' && text[end] <= '?') ++end;
    return end < text.size() && text[end] >= '@' && text[end] <= '~' ? end + 1 : 0;
}

std::string without_sequences(std::string_view text) {
    std::string plain;
    while (!text.empty()) {
        const std::size_t sequence = sequence_at(text);
        if (sequence == 0) plain += text.front();
        text.remove_prefix(std::max<std::size_t>(sequence, 1));
    }
    return plain;
}

std::string gap_of(const AttemptOutput& attempt) {
    return "... " + std::to_string(attempt.left_out_lines) + " lines (" +
           format_bytes(attempt.left_out_bytes) + ") left out ...";
}

void write_attempt(JsonWriter& out, const AttemptOutput& attempt) {
    out.field("execution", attempt.execution)
        .field("command", attempt.command)
        .field("attempt", attempt.attempt)
        .field("source", attempt.source);
}

}  // namespace

std::string safe_output(std::string_view line) {
    while (line.ends_with('\r')) line.remove_suffix(1);
    if (const std::size_t again = line.rfind('\r'); again != std::string_view::npos) {
        line.remove_prefix(again + 1);
    }
    std::string shown = safe_lines(without_sequences(line));
    return shown;
}

std::string label_of(const AttemptOutput& attempt) {
    std::string label =
        attempt.source.empty() ? "#" + std::to_string(attempt.command) : safe(attempt.source);
    if (attempt.attempt > 1) label += "#" + std::to_string(attempt.attempt);
    return label;
}

void write_chunk(JsonWriter& out, const AttemptOutput& attempt, const KeptChunk& chunk) {
    out.open_object();
    write_attempt(out, attempt);
    out.field("stream", to_string(chunk.stream)).field("at", format_time(chunk.at));
    if (is_utf8(chunk.text.bytes)) {
        out.field("text", chunk.text.bytes);
    } else {
        out.field("base64", base64(chunk.text.bytes));
    }
    out.close_object();
}

void write_gap(JsonWriter& out, const AttemptOutput& attempt) {
    out.open_object();
    write_attempt(out, attempt);
    out.field("left_out_lines", attempt.left_out_lines)
        .field("left_out_bytes", attempt.left_out_bytes)
        .close_object();
}

void OutputPrinter::expect(const AttemptOutput& attempt) {
    const std::string label = label_of(attempt);
    labels_.insert(label);
    width_ = std::max(width_, columns_of(label));
}

void OutputPrinter::print(const AttemptOutput& attempt, const KeptChunk& chunk) {
    std::string_view text = chunk.text.bytes;
    if (text.empty()) return;
    if (is_raw()) {
        terminal_.out << text;
        mid_line_ = !text.ends_with('\n');
        return;
    }
    if (std::exchange(mid_line_, false)) terminal_.out << "\n";
    Begun& begun = begun_[Stream(writer_of(attempt), chunk.stream)];
    begun.label = label_of(attempt);
    while (true) {
        if (begun.line.empty()) begun.at = chunk.at;
        const std::size_t end = text.find('\n');
        begun.line += text.substr(0, end);
        if (end == std::string_view::npos) return;
        print_line(begun.label, chunk.stream, begun.at, begun.line);
        begun.line.clear();
        text.remove_prefix(end + 1);
        if (text.empty()) return;
    }
}

void OutputPrinter::print_gap(const AttemptOutput& attempt) {
    for (const OutputStream stream : {OutputStream::out, OutputStream::err}) {
        const auto begun = begun_.find(Stream(writer_of(attempt), stream));
        if (begun == begun_.end()) continue;
        if (!begun->second.line.empty()) {
            print_line(begun->second.label, stream, begun->second.at, begun->second.line);
        }
        begun_.erase(begun);
    }
    if (std::exchange(mid_line_, false)) terminal_.out << "\n";
    const std::string prefix = labels_.size() > 1 ? label_of(attempt) + " | " : "";
    terminal_.out << terminal_.paint(Colour::dim, prefix + gap_of(attempt)) << "\n";
}

void OutputPrinter::finish() {
    for (const auto& [stream, begun] : begun_) {
        if (!begun.line.empty()) print_line(begun.label, stream.second, begun.at, begun.line);
    }
    begun_.clear();
    terminal_.out.flush();
}

void OutputPrinter::print_line(const std::string& label,
                               OutputStream stream,
                               Timestamp at,
                               std::string_view line) {
    std::string prefix;
    if (with_times_) prefix += format_time(at) + " ";
    if (labels_.size() > 1) {
        prefix += label + std::string(width_ - std::min(width_, columns_of(label)), ' ') + " | ";
    }
    const std::string shown = terminal_.out_is_terminal ? safe_output(line) : std::string(line);
    const bool is_err = stream == OutputStream::err;
    terminal_.out << terminal_.paint(Colour::dim, prefix)
                  << (is_err ? terminal_.paint(Colour::yellow, shown) : shown) << "\n";
}

}  // namespace belay::cli
