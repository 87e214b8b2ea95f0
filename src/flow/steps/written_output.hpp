// The output of a program while it runs: masked, cut into lines, counted.
#pragma once

#include "flow/steps/mask.hpp"
#include "flow/steps/output_log.hpp"
#include <belay/time.hpp>

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>

namespace belay::flow {

/// A longer line is cut in pieces of this size.
inline constexpr std::size_t kLongestLine = 8 * 1024;
/// The end of each stream that is kept for the detail of a failure.
inline constexpr std::size_t kDetailBytes = 4 * 1024;
/// The last line, as it is shown while the program runs and in the message of a failure.
inline constexpr std::size_t kShownLine = 256;

/// Both streams of one attempt. Used by one thread at a time.
class WrittenOutput {
public:
    /// Receives the progress as JSON: {"line": "the last line", "out": bytes, "err": bytes}.
    using Progress = std::function<void(std::string json)>;

    /// `log` may be null. `masker` and `clock` must outlive it.
    WrittenOutput(const Masker& masker, Clock& clock, std::shared_ptr<OutputLog> log, Progress told)
        : clock_(&clock),
          log_(std::move(log)),
          told_(std::move(told)),
          streams_{{Stream(masker, ProgramStream::output), Stream(masker, ProgramStream::error)}} {}

    /// Takes what the program has written. Exceptions of the log and of the progress are dropped.
    void wrote(ProgramStream stream, std::string_view bytes) noexcept;
    /// Completes the last lines.
    void finish() noexcept;

    /// Returns the end of what was written to a stream, masked.
    [[nodiscard]] std::string end_of(ProgramStream stream) const;
    /// Returns the last line of a stream that is not blank, masked and shortened; empty: none.
    [[nodiscard]] std::string last_line(ProgramStream stream) const;

private:
    struct Stream {
        Stream(const Masker& masker, ProgramStream which_) : which(which_), mask(masker) {}
        ProgramStream which;
        StreamMasker mask;
        std::uint64_t bytes = 0;
        std::string line{};  ///< Begun, and not ended.
        std::string end{};   ///< The last bytes, masked.
        bool cut = false;    ///< `end` is not all.
    };

    Stream& at(ProgramStream stream) { return streams_[stream == ProgramStream::output ? 0 : 1]; }
    [[nodiscard]] const Stream& at(ProgramStream stream) const {
        return streams_[stream == ProgramStream::output ? 0 : 1];
    }
    void take(Stream& stream, std::string_view masked);
    void add_line(Stream& stream, bool unended);
    void tell();

    Clock* clock_;
    std::shared_ptr<OutputLog> log_;
    Progress told_;
    std::array<Stream, 2> streams_;
    std::string shown_;  ///< The last line of both streams.
};

}  // namespace belay::flow
