// A part for the output of attempts: text that handlers write for people while they run.
#pragma once

#include <belay/ids.hpp>
#include <belay/limits.hpp>
#include <belay/output.hpp>
#include <belay/payload.hpp>
#include <belay/time.hpp>

#include <algorithm>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace belay {

/// A piece of one stream.
struct OutputChunk {
    OutputStream stream = OutputStream::out;
    Timestamp at{};  ///< When the first of it was written, by the clock of the writer.
    Payload text;    ///< Bytes; not necessarily UTF-8.
    /// The bytes and the newlines of the text before it was coded: a store may be unable to read
    /// it.
    std::uint64_t bytes = 0;
    std::uint64_t lines = 0;
    /// Output between the chunk before and this one that its writer did not send. It counts as left
    /// out, and so does everything behind the beginning that was kept until then.
    std::uint64_t lost_bytes = 0;
    std::uint64_t lost_lines = 0;
    bool operator==(const OutputChunk&) const = default;
};

/// Makes a chunk of a text.
[[nodiscard]] inline OutputChunk output_chunk(OutputStream stream, Timestamp at, std::string text) {
    OutputChunk chunk;
    chunk.stream = stream;
    chunk.at = at;
    chunk.bytes = text.size();
    chunk.lines = static_cast<std::uint64_t>(std::count(text.begin(), text.end(), '\n'));
    chunk.text = Payload(PayloadCodec::bytes, std::move(text));
    return chunk;
}

/// The output that is kept, from the sender's Limits. A chunk counts as its bytes and `kChunk`, an
/// attempt as `kAttempt` on top, so that empty ones are bounded too.
struct OutputBounds {
    /// Counted for each chunk.
    static constexpr std::uint64_t kChunk = 32;
    /// Counted for each attempt, for the bound of a run.
    static constexpr std::uint64_t kAttempt = 256;

    std::uint64_t first_bytes = Limits().output_first_bytes;
    std::uint64_t last_bytes = Limits().output_last_bytes;
    std::uint32_t attempts = Limits().output_attempts;
    std::uint64_t run_bytes = Limits().output_run_bytes;
};

/// Appends to the output of an attempt. Guard: `token` holds the activity's row, or a *stopping*
/// record of this token is there, because a handler that was told to stop may still write.
/// Otherwise refused with `lease_lost`. The part stands before the AckActivity or AbandonActivity
/// of the same activity, if they are fused.
///
/// Effects: the chunks are kept under numbers that ascend over the whole run. Of an attempt the
/// beginning is kept, in whole chunks up to the first that does not fit into `first_bytes`, and the
/// end: when the chunks behind the beginning exceed `last_bytes` the oldest of them go. The bytes
/// and lines that have gone are counted. If the activity has output of more than `attempts`
/// attempts in this execution, those of the lowest command and attempt go, whole; so do the
/// attempts that began to write first if the run has more than `run_bytes`. The attempt that is
/// appended to stays. Attempts that have gone are counted, too.
///
/// Output stays when its activity ends. It goes with its execution and with its run.
struct AppendOutput {
    ActivityRef activity;
    LeaseToken token;
    std::uint32_t attempt = 1;  ///< As the handler counts it: with the attempts of a RetryPolicy.
    /// The command that made the call first: the same for all attempts of a RetryPolicy. 0: that
    /// of the activity.
    CommandNo first_command = 0;
    std::string source;  ///< A name for people. The last one that is not empty counts.
    /// The number of chunks of this token before these. Those that are kept already are skipped, so
    /// that a repeat after an unknown outcome changes nothing.
    std::uint64_t before = 0;
    std::vector<OutputChunk> chunks;
    OutputBounds bounds{};
};

}  // namespace belay
