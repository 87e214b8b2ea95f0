// belay-bench [group] [--only TEXT] [--json FILE] [--check]: how fast the engine is, and how far
// from what bounds it.
#include "children.hpp"
#include "kernel_group.hpp"
#include "management_group.hpp"
#include "report.hpp"
#include "sqlite_group.hpp"

#include <cstdio>
#include <exception>
#include <fstream>
#include <optional>
#include <string>
#include <string_view>

namespace {

constexpr const char* kUsage =
    "usage: belay-bench [group] [--only TEXT] [--json FILE] [--check]\n"
    "\n"
    "groups:\n"
    "  engine      a worker on a SQLite file (the default)\n"
    "  kernel      the engine on the memory store, in one thread\n"
    "  management  lists, counts and deletion on a file with a million finished instances\n"
    "\n"
    "--only       measures only what has TEXT in its name\n"
    "--check      fails when a promised figure (docs/performance.md) is missed\n"
    "per second   instances that went from their start to their end, the median of three runs\n"
    "raw per sec  the same writes without the engine, measured in turns with it\n"
    "rows         written, per instance\n"
    "commits      writes to the store, claims included, per instance; instances share them\n"
    "limit        the most that was promised, or what bounds the value\n";

struct Arguments {
    std::string group = "engine";
    std::string only;
    std::optional<std::string> json;
    bool check = false;
    bool help = false;
};

/// Nothing when they make no sense.
std::optional<Arguments> parse(int argc, char** argv) {
    Arguments arguments;
    bool named = false;
    for (int i = 1; i < argc; ++i) {
        const std::string_view word = argv[i];
        if (word == "--help" || word == "-h") {
            arguments.help = true;
        } else if (word == "--json" && i + 1 < argc && !arguments.json) {
            arguments.json = argv[++i];
        } else if (word == "--only" && i + 1 < argc) {
            arguments.only = argv[++i];
        } else if (word == "--check") {
            arguments.check = true;
        } else if (!word.starts_with("-") && !named) {
            arguments.group = word;
            named = true;
        } else {
            return std::nullopt;
        }
    }
    return arguments;
}

using Group = void (*)(belay::bench::Report&);

/// Nothing if there is none of that name.
Group group_of(const std::string& name) {
    if (name == "engine") return belay::bench::run_sqlite_group;
    if (name == "kernel") return belay::bench::run_kernel_group;
    if (name == "management") return belay::bench::run_management_group;
    return nullptr;
}

int run(const Arguments& arguments) {
    const Group measure = group_of(arguments.group);
    if (measure == nullptr) {
        std::fprintf(stderr, "belay-bench: there is no group '%s'\n", arguments.group.c_str());
        return 2;
    }
    // Opened first: a wrong path shows before the measuring, not after it.
    std::ofstream file;
    if (arguments.json) file.open(*arguments.json);
    belay::bench::Report report(arguments.only);
    if (file) measure(report);
    if (arguments.json) file << report.json() << std::flush;
    if (!file) {
        std::fprintf(stderr, "belay-bench: cannot write '%s'\n", arguments.json->c_str());
        return 1;
    }
    for (const std::string& line : report.missed()) std::printf("missed: %s\n", line.c_str());
    return arguments.check && !report.missed().empty() ? 1 : 0;
}

}  // namespace

int main(int argc, char** argv) {
    try {
        const int code = belay::bench::run_child({argv + 1, argv + argc});
        if (code >= 0) return code;
    } catch (const std::exception& problem) {
        std::fprintf(stderr, "belay-bench: %s\n", problem.what());
        return 1;
    }
    const std::optional<Arguments> arguments = parse(argc, argv);
    if (!arguments || arguments->help) {
        std::fputs(kUsage, arguments ? stdout : stderr);
        return arguments ? 0 : 2;
    }
    try {
        return run(*arguments);
    } catch (const std::exception& problem) {
        std::fprintf(stderr, "belay-bench: %s\n", problem.what());
        return 1;
    }
}
