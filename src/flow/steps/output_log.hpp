// The lines that programs write, kept for people.
#pragma once

#include <belay/detail/mutex.hpp>
#include <belay/program.hpp>
#include <belay/time.hpp>

#include <cstddef>
#include <cstdint>
#include <deque>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace belay::flow {

/// A line that a program has written, without its newline and with its secrets masked.
struct OutputLine {
    ProgramStream stream = ProgramStream::output;
    Timestamp at{};        ///< The time at which it was complete.
    std::string text{};    ///< Not necessarily UTF-8.
    bool unended = false;  ///< The line goes on in the next record of its stream, or its program
                           ///< ended without a newline.

    bool operator==(const OutputLine&) const = default;
};

/// Receives the lines of one attempt at a step, complete and in order.
class OutputLog {
public:
    OutputLog() = default;
    OutputLog(const OutputLog&) = delete;
    OutputLog& operator=(const OutputLog&) = delete;
    virtual ~OutputLog() = default;
    /// Called while the program runs, by a thread that serves all programs, never by two at once.
    /// Must not block. An exception is dropped.
    virtual void add(const OutputLine& line) = 0;
};

/// The beginning and the end of a log: a bounded number of bytes of each. A line counts as its text
/// and `kLineBytes`, so that empty lines are bounded too.
class KeptOutput {
public:
    static constexpr std::size_t kLineBytes = 16;

    KeptOutput(std::size_t first_bytes, std::size_t last_bytes)
        : most_first_(first_bytes), most_last_(last_bytes) {}

    void add(OutputLine line);

    /// The beginning. It does not change once a line was left out.
    [[nodiscard]] const std::vector<OutputLine>& first() const noexcept { return first_; }
    /// The lines after the beginning; after a gap if some were left out.
    [[nodiscard]] const std::deque<OutputLine>& last() const noexcept { return last_; }
    /// The number of lines that were left out between `first` and `last`.
    [[nodiscard]] std::uint64_t left_out() const noexcept { return left_out_; }
    /// The bytes of their texts.
    [[nodiscard]] std::uint64_t left_out_bytes() const noexcept { return left_out_bytes_; }

    /// Returns all of it as a text for people, with a line that says how much was left out.
    [[nodiscard]] std::string text() const;

private:
    std::size_t most_first_;
    std::size_t most_last_;
    std::size_t first_bytes_ = 0;
    std::size_t last_bytes_ = 0;
    bool full_ = false;  ///< `first_` takes no more.
    std::vector<OutputLine> first_;
    std::deque<OutputLine> last_;
    std::uint64_t left_out_ = 0;
    std::uint64_t left_out_bytes_ = 0;
};

/// A log in memory that can be read while it grows. Any thread.
class MemoryOutputLog final : public OutputLog {
public:
    MemoryOutputLog(std::size_t first_bytes, std::size_t last_bytes)
        : kept_(first_bytes, last_bytes) {}
    void add(const OutputLine& line) override BELAY_EXCLUDES(mutex_);
    [[nodiscard]] KeptOutput kept() const BELAY_EXCLUDES(mutex_);

private:
    mutable detail::Mutex mutex_;
    KeptOutput kept_ BELAY_GUARDED_BY(mutex_);
};

}  // namespace belay::flow
