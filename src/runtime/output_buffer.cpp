#include <belay/activity.hpp>
#include <belay/detail/output_buffer.hpp>

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <utility>

namespace belay {

namespace detail {

namespace {

/// A longer text is cut into chunks, so that a bound drops no more than this at once.
constexpr std::size_t kMostChunk = 8 * 1024;
/// Text of one stream that follows so soon has the time of the text before.
constexpr Millis kSameTime{20};

std::uint64_t counted(const OutputChunk& chunk) { return chunk.bytes + OutputBounds::kChunk; }

}  // namespace

void OutputBuffer::listen(Clock& clock, Told told) {
    const MutexLock lock(mutex_);
    clock_ = &clock;
    told_ = std::move(told);
}

void OutputBuffer::then(std::function<void()> after) {
    const MutexLock lock(mutex_);
    after_ = std::move(after);
}

void OutputBuffer::close() {
    const MutexLock lock(mutex_);
    clock_ = nullptr;
    told_ = nullptr;
    after_ = nullptr;
    waiting_.clear();
    bytes_ = 0;
}

void OutputBuffer::name(std::string source) {
    const MutexLock lock(mutex_);
    source_ = std::move(source);
}

std::string OutputBuffer::source() {
    const MutexLock lock(mutex_);
    return source_;
}

void OutputBuffer::write(OutputStream stream, std::string_view text) {
    const MutexLock lock(mutex_);
    if (clock_ == nullptr || text.empty()) return;
    while (!text.empty()) {
        const std::string_view piece = text.substr(0, kMostChunk);
        append(stream, piece);
        text.remove_prefix(piece.size());
        if (bytes_ > bounds_.first_bytes + bounds_.last_bytes + 2 * kMostChunk) trim();
    }
    tell();
}

void OutputBuffer::append(OutputStream stream, std::string_view text) {
    const Timestamp at = clock_->wall();
    if (!waiting_.empty()) {
        OutputChunk& last = waiting_.back();
        const bool joins = last.stream == stream && at >= last.at && at - last.at < kSameTime &&
                           last.text.bytes.size() + text.size() <= kMostChunk;
        if (joins) {
            last.text.bytes += text;
            last.bytes += text.size();
            last.lines += static_cast<std::uint64_t>(std::count(text.begin(), text.end(), '\n'));
            bytes_ += text.size();
            return;
        }
    }
    waiting_.push_back(output_chunk(stream, at, std::string(text)));
    bytes_ += counted(waiting_.back());
}

bool OutputBuffer::begins(const OutputChunk& chunk,
                          std::uint64_t& first_bytes,
                          bool& closed) const {
    if (chunk.lost_bytes > 0 || chunk.lost_lines > 0) closed = true;
    if (!closed && first_bytes + counted(chunk) <= bounds_.first_bytes) {
        first_bytes += counted(chunk);
        return true;
    }
    closed = true;
    return false;
}

void OutputBuffer::trim() {
    std::uint64_t first_bytes = first_bytes_;
    bool closed = closed_;
    std::uint64_t end_bytes = bytes_;
    auto end = waiting_.begin();
    for (; end != waiting_.end() && begins(*end, first_bytes, closed); ++end) {
        end_bytes -= counted(*end);
    }
    auto kept = end;
    std::uint64_t lost_bytes = 0;
    std::uint64_t lost_lines = 0;
    // The last chunk stays: it tells of the gap.
    for (; end_bytes > bounds_.last_bytes && kept + 1 < waiting_.end(); ++kept) {
        end_bytes -= counted(*kept);
        bytes_ -= counted(*kept);
        lost_bytes += kept->bytes + kept->lost_bytes;
        lost_lines += kept->lines + kept->lost_lines;
    }
    if (kept == end) return;
    kept->lost_bytes += lost_bytes;
    kept->lost_lines += lost_lines;
    waiting_.erase(end, kept);
}

void OutputBuffer::tell() {
    const bool full = bytes_ >= batch_bytes_;
    if (told_some_ && (told_full_ || !full)) return;
    told_some_ = true;
    told_full_ = full;
    if (told_) told_(full);
    if (after_) after_();
}

std::vector<OutputChunk> OutputBuffer::take() {
    const MutexLock lock(mutex_);
    for (const OutputChunk& one : waiting_) {
        static_cast<void>(begins(one, first_bytes_, closed_));
    }
    std::vector<OutputChunk> taken = std::exchange(waiting_, {});
    bytes_ = 0;
    told_some_ = false;
    told_full_ = false;
    return taken;
}

}  // namespace detail

void ActivityOutput::write(OutputStream stream, std::string_view text) const {
    if (buffer_) buffer_->write(stream, text);
}

void ActivityOutput::name(std::string source) const {
    if (buffer_) buffer_->name(std::move(source));
}

}  // namespace belay
