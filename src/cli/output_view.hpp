// The output of activities, for people.
#pragma once

#include "cli/json.hpp"
#include "cli/terminal.hpp"
#include <belay/store/listing.hpp>

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>

namespace belay::cli {

/// A line of output that a terminal may have: no control characters, no colours, and of a line that
/// was written over and over only the last state.
[[nodiscard]] std::string safe_output(std::string_view line);

/// "build", "build#2" for a later attempt.
[[nodiscard]] std::string label_of(const AttemptOutput& attempt);

void write_chunk(JsonWriter& out, const AttemptOutput& attempt, const KeptChunk& chunk);
void write_gap(JsonWriter& out, const AttemptOutput& attempt);

/// Prints chunks as lines. Bytes are printed as they are if they are all there is to print: of one
/// attempt, without times, and not to a terminal.
class OutputPrinter {
public:
    OutputPrinter(Terminal& terminal, bool with_times)
        : terminal_(terminal), with_times_(with_times) {}

    /// Called for each attempt before its chunks are printed: with several, lines begin with names.
    void expect(const AttemptOutput& attempt);
    void print(const AttemptOutput& attempt, const KeptChunk& chunk);
    /// Says that something is missing here.
    void print_gap(const AttemptOutput& attempt);
    /// Prints lines that have no end yet.
    void finish();

private:
    /// The name, the execution, the command, the attempt.
    using Writer = std::tuple<std::string, ExecutionNo, CommandNo, std::uint32_t>;
    using Stream = std::pair<Writer, OutputStream>;
    struct Begun {
        std::string label;
        std::string line;
        Timestamp at{};
    };

    [[nodiscard]] static Writer writer_of(const AttemptOutput& attempt) {
        return {attempt.source, attempt.execution, attempt.command, attempt.attempt};
    }
    [[nodiscard]] bool is_raw() const {
        return !terminal_.out_is_terminal && !with_times_ && labels_.size() < 2;
    }
    void print_line(const std::string& label,
                    OutputStream stream,
                    Timestamp at,
                    std::string_view line);

    Terminal& terminal_;
    const bool with_times_;
    std::set<std::string> labels_;
    std::size_t width_ = 0;          ///< Of the longest label.
    std::map<Stream, Begun> begun_;  ///< Lines without an end.
    bool mid_line_ = false;          ///< Raw output that has not ended with a line feed.
};

}  // namespace belay::cli
