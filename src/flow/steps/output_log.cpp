#include "flow/steps/output_log.hpp"

namespace belay::flow {

namespace {

std::size_t bytes_of(const OutputLine& line) { return line.text.size() + KeptOutput::kLineBytes; }

void write_line(std::string& out, const OutputLine& line) {
    out += line.text;
    if (!line.unended) out += '\n';
}

}  // namespace

void KeptOutput::add(OutputLine line) {
    const std::size_t size = bytes_of(line);
    full_ = full_ || first_bytes_ + size > most_first_;
    if (!full_) {
        first_bytes_ += size;
        first_.push_back(std::move(line));
        return;
    }
    last_bytes_ += size;
    last_.push_back(std::move(line));
    while (last_bytes_ > most_last_) {
        const OutputLine& oldest = last_.front();
        last_bytes_ -= bytes_of(oldest);
        left_out_bytes_ += oldest.text.size();
        ++left_out_;
        last_.pop_front();
    }
}

std::string KeptOutput::text() const {
    std::string out;
    for (const OutputLine& line : first_) write_line(out, line);
    if (left_out_ > 0) {
        if (!out.empty() && !out.ends_with('\n')) out += '\n';
        out += "... " + std::to_string(left_out_) + " lines (" + std::to_string(left_out_bytes_) +
               " bytes) left out ...\n";
    }
    for (const OutputLine& line : last_) write_line(out, line);
    return out;
}

void MemoryOutputLog::add(const OutputLine& line) {
    const detail::MutexLock lock(mutex_);
    kept_.add(line);
}

KeptOutput MemoryOutputLog::kept() const {
    const detail::MutexLock lock(mutex_);
    return kept_;
}

}  // namespace belay::flow
