#include "base/sort_stably.hpp"
#include "cli/commands/all.hpp"
#include "cli/commands/input.hpp"
#include "cli/commands/watch_many.hpp"
#include "cli/instance_view.hpp"
#include "cli/output_view.hpp"
#include "cli/step_output.hpp"
#include "cli/text.hpp"
#include "cli/values.hpp"

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

namespace belay::cli {

namespace {

/// A chunk with its attempt, which several pages may have.
struct OutputPiece {
    AttemptOutput attempt;
    KeptChunk chunk;
    Timestamp order{};  ///< Its time, but not before that of the chunk before of its attempt.
    bool gap = false;   ///< Output is missing before it.
};

/// Reads the output of a run as it grows.
class OutputReader {
public:
    /// `prefix`: stands before the names of activities.
    OutputReader(Context& context, RunRef run, const Arguments& arguments, std::string prefix)
        : context_(context), run_(run), prefix_(std::move(prefix)), step_(arguments.value("step")) {
        options_.max_bytes(kPage);
        if (const auto attempt = number_option(arguments, "attempt")) options_.attempt(*attempt);
        if (const auto execution = number_option(arguments, "execution")) {
            options_.execution(*execution);
        }
    }

    /// Adds all that was kept since the last call.
    void next(std::vector<OutputPiece>& pieces) {
        for (bool more = true; more;) {
            OutputPage page = or_throw(context_.service().ask(options_.request(run_)));
            for (AttemptOutput& attempt : page.attempts) {
                attempt.source = prefixed(prefix_, attempt.source);
            }
            for (const KeptChunk& chunk : page.chunks) {
                const AttemptOutput& attempt = page.attempts[chunk.attempt];
                sources_.insert(attempt.source);
                if (!step_ || is_output_of(attempt.source, *step_)) add(pieces, attempt, chunk);
            }
            left_out_ = page.left_out_attempts;
            options_.after(page.next);
            more = page.more;
        }
    }

    /// The names of all attempts that have written.
    [[nodiscard]] const std::set<std::string>& sources() const noexcept { return sources_; }
    [[nodiscard]] std::uint64_t left_out_attempts() const noexcept { return left_out_; }

private:
    static constexpr std::uint64_t kPage = 1024 * 1024;
    struct Read {
        Timestamp last{};
        std::uint64_t number = 0;
    };
    using Writer = std::tuple<ExecutionNo, CommandNo, std::uint32_t>;

    void add(std::vector<OutputPiece>& pieces,
             const AttemptOutput& attempt,
             const KeptChunk& chunk) {
        Read& read = read_[Writer(attempt.execution, attempt.command, attempt.attempt)];
        read.last = std::max(read.last, chunk.at);
        OutputPiece piece{attempt, chunk, read.last, false};
        // A reader who has read beyond the gap already has missed nothing of it.
        piece.gap = chunk.number > attempt.left_out_to && attempt.left_out_to > read.number;
        read.number = chunk.number;
        pieces.push_back(std::move(piece));
    }

    Context& context_;
    RunRef run_;
    const std::string prefix_;
    const std::optional<std::string> step_;
    OutputOptions options_;
    std::uint64_t left_out_ = 0;
    std::set<std::string> sources_;
    std::map<Writer, Read> read_;
};

/// Reads the output of a run and of all runs below it.
class TreeReader {
public:
    TreeReader(Context& context, const InstanceInfo& root, const Arguments& arguments)
        : context_(context), root_(root), arguments_(arguments) {}

    /// Returns all that was kept since the last call, in order of time.
    std::vector<OutputPiece> next() {
        std::vector<OutputPiece> pieces;
        read(root_.name.id, root_.run, pieces);
        base::sort_stably(
            pieces, [](const OutputPiece& a, const OutputPiece& b) { return a.order < b.order; });
        return pieces;
    }

    /// The names of all attempts that have written.
    [[nodiscard]] std::set<std::string> sources() const {
        std::set<std::string> all;
        for (const auto& [id, reader] : readers_) {
            all.insert(reader.sources().begin(), reader.sources().end());
        }
        return all;
    }
    [[nodiscard]] std::uint64_t left_out_attempts() const {
        std::uint64_t count = 0;
        for (const auto& [id, reader] : readers_) count += reader.left_out_attempts();
        return count;
    }

private:
    /// Goes as deep as the tree does: see Limits::tree_depth.
    void read(const std::string& id, RunRef run, std::vector<OutputPiece>& pieces) {
        std::string prefix = id == root_.name.id ? "" : relative_id(id, root_.name.id);
        if (prefix.starts_with('/')) prefix.erase(0, 1);
        const auto reader = readers_.try_emplace(id, context_, run, arguments_, prefix).first;
        reader->second.next(pieces);
        const auto children = context_.service().ask(requests::ListChildren{run});
        if (!children) return;  // It was deleted meanwhile.
        for (const InstanceBrief& child : *children) read(child.name.id, child.run, pieces);
    }

    Context& context_;
    const InstanceInfo& root_;
    const Arguments& arguments_;
    std::map<std::string, OutputReader> readers_;  ///< By the ids of runs.
};

void print_json(Context& context, const std::vector<OutputPiece>& pieces) {
    for (const OutputPiece& piece : pieces) {
        if (piece.gap) {
            JsonWriter gap;
            write_gap(gap, piece.attempt);
            context.print(gap);
        }
        JsonWriter line;
        write_chunk(line, piece.attempt, piece.chunk);
        context.print(line);
    }
}

void print_lines(OutputPrinter& printer, const std::vector<OutputPiece>& pieces) {
    for (const OutputPiece& piece : pieces) printer.expect(piece.attempt);
    for (const OutputPiece& piece : pieces) {
        if (piece.gap) printer.print_gap(piece.attempt);
        printer.print(piece.attempt, piece.chunk);
    }
}

/// The run that was meant at first, also if another one has its name by now.
InstanceInfo look(Context& context, const InstanceInfo& first) {
    auto found = context.service().ask(requests::Inspect{first.name, first.run});
    if (found || found.error().code() != Errc::not_found) return or_throw(std::move(found));
    throw Problem(Exit::not_found, "'" + safe(first.name.id) + "' was deleted meanwhile");
}

std::string listed(const std::set<std::string>& names) {
    std::string text;
    for (const std::string& name : names) text += (text.empty() ? "" : ", ") + safe(name);
    return text;
}

void check_step(const Arguments& arguments, const InstanceInfo& info, const TreeReader& reader) {
    const std::optional<std::string> step = arguments.value("step");
    if (!step) return;
    const std::set<std::string> sources = reader.sources();
    const bool there = std::any_of(sources.begin(), sources.end(), [&](const std::string& one) {
        return is_output_of(one, *step);
    });
    if (there) return;
    throw Problem(Exit::not_found,
                  "'" + safe(info.name.id) + "' has no output of '" + safe(*step) + "'",
                  sources.empty() ? "nothing of it has written any"
                                  : "these have written: " + listed(sources));
}

Exit run_logs(Context& context, const Arguments& arguments) {
    const InstanceInfo info =
        or_throw(context.client().inspect(context.name(arguments.operand(0))));
    const bool follow = arguments.has("follow");
    const Millis interval =
        std::max(duration_option(arguments, "interval").value_or(Millis(250)), Millis(10));
    TreeReader reader(context, info, arguments);
    OutputPrinter printer(context.terminal(), arguments.has("timestamps"));
    bool settled = info.settled;
    while (true) {
        const std::vector<OutputPiece> pieces = reader.next();
        if (context.json()) {
            print_json(context, pieces);
        } else {
            print_lines(printer, pieces);
        }
        if (!follow || settled || !wait_a_little(context, interval)) break;
        // Looked at before its output is: then none is missing when it has settled.
        settled = look(context, info).settled;
    }
    printer.finish();
    if (!follow) check_step(arguments, info, reader);
    if (reader.left_out_attempts() > 0) {
        context.terminal().err << "the output of " << counted(reader.left_out_attempts(), "attempt")
                               << " is not kept any more\n";
    }
    return Exit::ok;
}

}  // namespace

Command logs_command() {
    return {
        .name = "logs",
        .summary = "Print the output of an instance's activities",
        .details =
            "Prints what they wrote to both streams, attempt by attempt in order of time, also "
            "while they run. Of a long output the beginning and the end are kept, and a line says "
            "how much is missing. With several activities each line begins with the name of its "
            "own. The output of its children is taken in: their activities have names like "
            "kids-3/build. On a terminal control characters are made harmless. With --json prints "
            "one line "
            "for each piece.",
        .operands = {id_operand()},
        .options = {{.name = "step",
                     .value = "NAME",
                     .help = "only of this step or activity, with all items and children"},
                    {.name = "attempt", .value = "N", .help = "only of attempts with this number"},
                    {.name = "execution",
                     .value = "N",
                     .help = "only of this execution of an instance that continues as new"},
                    {.name = "follow",
                     .help = "go on until no activity of it runs any more",
                     .letter = 'f'},
                    {.name = "interval",
                     .value = "DURATION",
                     .help = "with --follow: how often to look. Default: 250ms"},
                    {.name = "timestamps",
                     .help = "begin each line with the time at which it was written",
                     .letter = 't'}},
        .examples = {{"belay logs order-9", ""},
                     {"belay logs order-9 --follow --timestamps", ""},
                     {"belay logs nightly --step build --attempt 2", ""}},
        .run = run_logs,
    };
}

}  // namespace belay::cli
