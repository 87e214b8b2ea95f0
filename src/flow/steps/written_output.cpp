#include "flow/steps/written_output.hpp"

#include "base/utf8.hpp"
#include "json/writer.hpp"

#include <algorithm>

namespace belay::flow {

namespace {

constexpr std::string_view kBlank = " \t\r\n";

/// Returns the last line of a text that is not blank. A line that a program writes again and again,
/// after carriage returns, counts as its last version.
std::string_view last_line_of(std::string_view text) {
    const std::size_t last = text.find_last_not_of(kBlank);
    if (last == std::string_view::npos) return {};
    text = text.substr(0, last + 1);
    const std::size_t before = text.find_last_of("\r\n");
    return before == std::string_view::npos ? text : text.substr(before + 1);
}

/// Returns the length of a piece of at most `most` bytes that does not cut a character in two.
std::size_t whole_characters(std::string_view text, std::size_t most) {
    if (text.size() <= most) return text.size();
    std::size_t size = most;
    const auto continues = [&] {
        return (static_cast<unsigned char>(text[size]) & 0xC0U) == 0x80U;
    };
    while (size > most - 3 && continues()) --size;
    return continues() ? most : size;
}

}  // namespace

void WrittenOutput::wrote(ProgramStream stream, std::string_view bytes) noexcept {
    try {
        Stream& to = at(stream);
        to.bytes += bytes.size();
        take(to, to.mask.push(bytes));
        tell();
    } catch (...) {
        return;  // Without memory, or a log that fails: the program goes on all the same.
    }
}

void WrittenOutput::finish() noexcept {
    try {
        for (Stream& stream : streams_) {
            take(stream, stream.mask.finish());
            if (!stream.line.empty()) add_line(stream, true);
        }
    } catch (...) {
        return;
    }
}

void WrittenOutput::take(Stream& stream, std::string_view masked) {
    if (masked.empty()) return;
    stream.end += masked;
    if (stream.end.size() > 2 * kDetailBytes) {
        stream.end.erase(0, stream.end.size() - kDetailBytes);
        stream.cut = true;
    }
    while (!masked.empty()) {
        const std::size_t end = masked.find('\n');
        stream.line += masked.substr(0, end);
        masked.remove_prefix(end == std::string_view::npos ? masked.size() : end + 1);
        while (stream.line.size() > kLongestLine) {
            const std::size_t size = whole_characters(stream.line, kLongestLine);
            std::string rest = stream.line.substr(size);
            stream.line.resize(size);
            add_line(stream, true);
            stream.line = std::move(rest);
        }
        if (end != std::string_view::npos) add_line(stream, false);
    }
    if (const std::string_view last = last_line_of(stream.line); !last.empty()) {
        shown_ = base::shortened(std::string(last), kShownLine);
    }
}

void WrittenOutput::add_line(Stream& stream, bool unended) {
    if (const std::string_view last = last_line_of(stream.line); !last.empty()) {
        shown_ = base::shortened(std::string(last), kShownLine);
    }
    OutputLine line;
    line.stream = stream.which;
    line.at = clock_->wall();
    line.unended = unended;
    line.text.swap(stream.line);
    if (!log_) return;
    try {
        log_->add(line);
    } catch (...) {
        return;
    }
}

void WrittenOutput::tell() {
    if (!told_) return;
    json::Writer out;
    out.open_object().field("line", shown_);
    out.field("out", at(ProgramStream::output).bytes).field("err", at(ProgramStream::error).bytes);
    told_(out.close_object().str());
}

std::string WrittenOutput::end_of(ProgramStream stream) const {
    const Stream& from = at(stream);
    if (from.end.size() <= kDetailBytes) return (from.cut ? "..." : "") + from.end;
    return "..." + from.end.substr(from.end.size() - kDetailBytes);
}

std::string WrittenOutput::last_line(ProgramStream stream) const {
    return base::shortened(std::string(last_line_of(at(stream).end)), kShownLine);
}

}  // namespace belay::flow
