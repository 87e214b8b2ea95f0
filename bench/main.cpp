// belay-bench [group] [options]: measures the speed of the engine, and its distance from the
// limits.
#include "children.hpp"
#include "compare.hpp"
#include "groups.hpp"
#include "other_load.hpp"
#include "report.hpp"

#include <charconv>
#include <cstdio>
#include <exception>
#include <fstream>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace {

using belay::bench::Plan;
using belay::bench::Report;

constexpr const char* kUsage =
    "usage: belay-bench [group] [--only TEXT] [--slices N] [--json FILE] [--check]\n"
    "       belay-bench [group] --against-program PATH [the same]\n"
    "\n"
    "groups:\n"
    "  engine      a worker on a SQLite file (the default)\n"
    "  kernel      the engine on the memory store, in one thread\n"
    "  management  lists, counts and deletion on a file with a million finished instances\n"
    "  finished    a worker on a file with a million finished instances, beside an empty one\n"
    "  schedules   ten thousand schedules that wait\n"
    "  flow        flows, beside orchestrations in C++ that do the same: they are raw here\n"
    "\n"
    "--only       measures only what has TEXT in its name\n"
    "--slices     how many slices of each figure are measured, in turns with its yardstick; 9\n"
    "--check      ends with 1 when a promised figure (docs/reference/performance.md) is missed,\n"
    "             with 3 when the spread is too wide to tell, or the machine too busy\n"
    "--against-program\n"
    "             compares with another build of belay-bench, in turns; with --check, throughput\n"
    "             must be at least 0.95 and latency at most 1.10 of the other's\n"
    "\n"
    "per second   instances that went from their start to their end, the median of the slices\n"
    "raw per sec  the same writes without the engine, in turns with it\n"
    "ratio        the median of the ratios of neighbouring slices\n"
    "spread       holds the true median with a confidence of 95 %\n"
    "rows         written, per instance\n"
    "commits      writes to the store, claims included, per instance; instances share them\n"
    "limit        what was promised, or what bounds the value\n";

constexpr int kFailed = 1;
constexpr int kMisused = 2;
constexpr int kCannotTell = 3;

struct Arguments {
    std::string group = "engine";
    std::string only;
    std::size_t slices = belay::bench::kSlices;
    std::optional<std::string> json;
    std::optional<std::string> against;
    bool check = false;
    bool help = false;
};

/// Returns none if it is no number above 0.
std::optional<std::size_t> number(std::string_view text) {
    std::size_t value = 0;
    const auto [end, problem] = std::from_chars(text.data(), text.data() + text.size(), value);
    const bool whole = problem == std::errc() && end == text.data() + text.size();
    return whole && value > 0 ? std::optional(value) : std::nullopt;
}

/// Takes a word that has a value behind it. Returns false if it is none, or the value makes no
/// sense.
bool take(Arguments& arguments, std::string_view word, const char* value) {
    if (value == nullptr) return false;
    if (word == "--json" && !arguments.json) {
        arguments.json = value;
    } else if (word == "--only") {
        arguments.only = value;
    } else if (word == "--against-program" && !arguments.against) {
        arguments.against = value;
    } else if (word == "--slices" && number(value)) {
        arguments.slices = *number(value);
    } else {
        return false;
    }
    return true;
}

/// Returns none if the arguments make no sense.
std::optional<Arguments> parse(int argc, char** argv) {
    Arguments arguments;
    bool named = false;
    for (int i = 1; i < argc; ++i) {
        const std::string_view word = argv[i];
        if (word == "--help" || word == "-h") {
            arguments.help = true;
        } else if (word == "--check") {
            arguments.check = true;
        } else if (!word.starts_with("-") && !named) {
            arguments.group = word;
            named = true;
        } else if (take(arguments, word, i + 1 < argc ? argv[i + 1] : nullptr)) {
            ++i;
        } else {
            return std::nullopt;
        }
    }
    return arguments;
}

void measure(const Arguments& arguments, Report& report) {
    const belay::bench::LoadWatch load;
    if (arguments.against) {
        compare_with(report, arguments.group, arguments.only, *arguments.against);
    } else {
        belay::bench::group_of(arguments.group)(report);
    }
    report.add(load.so_far());
}

/// Prints the missed and the unclear figures. Returns the exit code.
int conclude(const Report& report, bool check) {
    for (const std::string& line : report.missed()) std::printf("missed: %s\n", line.c_str());
    for (const std::string& line : report.unclear()) {
        std::printf("cannot tell: %s\n", line.c_str());
    }
    if (!check) return 0;
    if (!report.missed().empty()) return kFailed;
    if (report.unclear().empty()) return 0;
    std::fputs(
        "belay-bench: cannot tell whether all figures are kept; repeat it on an idle machine, "
        "or with more --slices\n",
        stderr);
    return kCannotTell;
}

int run(const Arguments& arguments) {
    if (belay::bench::group_of(arguments.group) == nullptr) {
        std::fprintf(stderr, "belay-bench: there is no group '%s'\n", arguments.group.c_str());
        return kMisused;
    }
    // Opened first: a wrong path shows before the measuring, not after it.
    std::ofstream file;
    if (arguments.json) file.open(*arguments.json);
    Report report(Plan::containing(arguments.only, arguments.slices));
    if (file) measure(arguments, report);
    if (arguments.json) file << report.json() << std::flush;
    if (!file) {
        std::fprintf(stderr, "belay-bench: cannot write '%s'\n", arguments.json->c_str());
        return kFailed;
    }
    return conclude(report, arguments.check);
}

/// Runs a part that this program asks of itself, in another process. Returns -1 if there is none.
int run_part(const std::vector<std::string>& arguments) {
    const int code = belay::bench::run_child(arguments);
    return code >= 0 ? code : belay::bench::answer_comparison(arguments);
}

}  // namespace

int main(int argc, char** argv) {
    try {
        const int code = run_part({argv + 1, argv + argc});
        if (code >= 0) return code;
    } catch (const std::exception& problem) {
        std::fprintf(stderr, "belay-bench: %s\n", problem.what());
        return kFailed;
    }
    const std::optional<Arguments> arguments = parse(argc, argv);
    if (!arguments || arguments->help) {
        std::fputs(kUsage, arguments ? stdout : stderr);
        return arguments ? 0 : kMisused;
    }
    try {
        return run(*arguments);
    } catch (const std::exception& problem) {
        std::fprintf(stderr, "belay-bench: %s\n", problem.what());
        return kFailed;
    }
}
